"""Ledgers as a person asks for them."""

from __future__ import annotations

import os
from pathlib import Path

from ctxrepo.hooks.session.ledger import add, ledger_path
from ctxrepo.hooks.session.session import Session, hush
from ctxrepo.storage.state.ledgers import ledgers
from ctxrepo.storage.user.places import RepositoryPlaces


def at(root: Path, session: str, touched: float, *lines: str, sub: str = "") -> str:
    path = ledger_path(str(root), "claude", session, sub)
    begun = Session(str(root), "claude", session, sub)
    begun.began(f"/code/{session}")
    begun.save()
    add(path, [*lines])
    os.utime(path, (touched, touched))
    return path


def test_the_newest_comes_first_with_what_is_known_of_it(tmp_path: Path) -> None:
    at(tmp_path, "old", 1000)
    at(tmp_path, "new", 3000, "entry a h1", "entry a h2", "entry b h1", "off")
    at(tmp_path, "new", 2000, "of new", sub="agent-1")
    found = ledgers(RepositoryPlaces(tmp_path))
    assert [(one.agent, one.touched, one.of) for one in found] == [
        ("claude", 3000, ""),
        ("claude", 2000, "new"),
        ("claude", 1000, ""),
    ]
    new, _, old = found
    assert (new.session, new.cwd, new.is_off, new.given) == ("new", "/code/new", True, 2)
    assert (old.session, old.is_off, old.given) == ("old", False, 0)
    assert old.began > 1_700_000_000
    assert [one.session for one in ledgers(RepositoryPlaces(tmp_path), since=2500)] == ["new"]


def test_what_is_no_ledger_is_passed_over(tmp_path: Path) -> None:
    assert ledgers(RepositoryPlaces(tmp_path)) == []
    folder = tmp_path / "ledger"
    (folder / "claude-folder").mkdir(parents=True)
    (folder / "claude-link").symlink_to("/etc/passwd")
    (folder / "odd").write_bytes(b"began many\nbegan 99999999999999999\n\xff\xfe\ncwd\n")
    (found,) = ledgers(RepositoryPlaces(tmp_path))
    assert (found.agent, found.session, found.began, found.cwd) == ("odd", "", 0, "")


def test_one_that_was_only_told_to_be_silent_is_known(tmp_path: Path) -> None:
    hush(ledger_path(str(tmp_path), "claude", "s"), True)
    (found,) = ledgers(RepositoryPlaces(tmp_path))
    assert (found.is_off, found.began) == (True, 0)
