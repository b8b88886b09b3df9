"""Ledgers as a person asks for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxrepo.hooks.session.ledger import add, switch_memory
from ctxrepo.hooks.session.ledger_file import FOLDER, ledger_path
from ctxrepo.hooks.session.session import Session
from ctxrepo.storage.state.ledgers import MANY, ledgers, remove_old

REPO = "a" * 12
GIVEN = [f"@{REPO} entry a h1", f"@{REPO} entry a h2", f"@{REPO} entry b h1", f"@{'b' * 12} entry c h1"]


def at(root: Path, session: str, touched: float, *lines: str, sub: str = "") -> str:
    path = ledger_path(str(root), "claude", session, sub)
    begun = Session(str(root), REPO, "claude", session, sub)
    begun.begin(f"/code/{session}")
    begun.save()
    add(path, [*lines])
    os.utime(path, (touched, touched))
    return path


def test_the_newest_comes_first_with_what_is_known_of_it(tmp_path: Path) -> None:
    at(tmp_path, "old", 1000)
    at(tmp_path, "new", 3000, *GIVEN, "off")
    at(tmp_path, "new", 2000, "of new", sub="agent-1")
    records = ledgers(tmp_path / FOLDER, REPO)
    assert [(ledger.agent, ledger.touched, ledger.parent) for ledger in records] == [
        ("claude", 3000, ""),
        ("claude", 2000, "new"),
        ("claude", 1000, ""),
    ]
    new, _, old = records
    assert (new.session, new.cwd, new.is_off, new.given) == ("new", "/code/new", True, 2)
    assert (old.session, old.is_off, old.given) == ("old", False, 0)
    assert old.began > 1_700_000_000
    assert [ledger.session for ledger in ledgers(tmp_path / FOLDER, REPO, since=2500)] == ["new"]


def test_what_is_no_ledger_is_passed_over(tmp_path: Path) -> None:
    assert ledgers(tmp_path / FOLDER, REPO) == []
    folder = tmp_path / FOLDER
    (folder / "claude-folder").mkdir(parents=True)
    (folder / "claude-link").symlink_to("/etc/passwd")
    (folder / "odd").write_bytes(b"began many\nbegan 99999999999999999\n\xff\xfe\ncwd\n")
    (ledger,) = ledgers(tmp_path / FOLDER, REPO)
    assert (ledger.agent, ledger.session, ledger.began, ledger.cwd) == ("odd", "", 0, "")


def test_one_that_was_only_told_to_be_silent_is_known(tmp_path: Path) -> None:
    switch_memory(ledger_path(str(tmp_path), "claude", "s"), True)
    (ledger,) = ledgers(tmp_path / FOLDER, REPO)
    assert (ledger.is_off, ledger.began) == (True, 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / FOLDER).mkdir()
    return tmp_path / FOLDER


def test_those_of_sessions_that_are_over_for_long_go(folder: Path) -> None:
    day, now = 86400.0, 1e9
    for age in (1, 6, 8, 29, 31):
        (folder / str(age)).touch()
        os.utime(folder / str(age), (now - age * day, now - age * day))
    remove_old(folder, now)
    assert sorted(os.listdir(folder)) == ["1", "29", "6", "8"]


def test_of_too_many_those_of_the_latest_sessions_stay(folder: Path) -> None:
    for number in range(MANY + 5):
        (folder / str(number)).touch()
        os.utime(folder / str(number), (1e9 + number, 1e9 + number))
    remove_old(folder, 1e9)
    assert {int(name) for name in os.listdir(folder)} == set(range(5, MANY + 5))
