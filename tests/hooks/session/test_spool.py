"""Events that hooks leave for the worker."""

from __future__ import annotations

import _sqlite3
import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from world import repo_with

from ctxrepo.hooks import own_files
from ctxrepo.hooks import wakeup as module
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.wakeup import spool

EVENT = Event("claude", "", {})


@pytest.fixture
def db() -> _sqlite3.Connection:
    return _sqlite3.connect(":memory:")


def test_a_line_says_what_is_known_and_leaves_out_the_rest(db: _sqlite3.Connection, tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    payload = {"session": "s", "cwd": '/a "b"\n日本', "source": "", "prompt": "not for the spool"}
    assert spool(db, repo_with(folder), "start", Event("claude", "", payload))
    (line,) = (folder / "spool.jsonl").read_text().splitlines()
    fields = json.loads(line)
    assert isinstance(fields.pop("at"), float)
    assert fields == {"event": "start", "agent": "claude", "session": "s", "cwd": '/a "b"\n日本'}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_spool_nobody_reads_stops_growing(
    db: _sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 70_000)
    while spool(db, repo_with(tmp_path), "stop", Event("claude", "", {"cwd": "x" * 9000})):
        pass
    assert (tmp_path / "spool.jsonl").stat().st_size <= 70_000


def test_where_it_cannot_be_written_nothing_fails(db: _sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "repo").write_text("a file in the way")
    assert not spool(db, repo_with(tmp_path / "repo"), "stop", EVENT)


@contextmanager
def held(lock: Path) -> Iterator[None]:
    """Others hold the lock meanwhile."""
    lock.touch()
    with lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_what_cannot_be_appended_is_left_as_a_file_of_its_own(
    db: _sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_files, "FILE_LOCK_SECONDS", 0.02)
    with held(tmp_path / "spool.jsonl"):
        for number in range(4):
            assert spool(db, repo_with(tmp_path), "tool", EVENT, f"{number}.md")
    lines = [(tmp_path / "left" / name).read_text() for name in sorted(os.listdir(tmp_path / "left"))]
    assert [json.loads(line)["path"] for line in lines] == [f"{number}.md" for number in range(4)]


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "full"])
def test_whatever_is_in_the_spools_place_the_event_is_left(
    db: _sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    place = tmp_path / "spool.jsonl"
    {"folder": place.mkdir, "pipe": lambda: os.mkfifo(place), "link": lambda: place.symlink_to("x")}.get(
        kind, lambda: place.write_text("x" * 70_000)
    )()
    monkeypatch.setattr(module, "MAX_BYTES", 70_000)
    assert spool(db, repo_with(tmp_path), "tool", EVENT, "a.md")
    assert len(os.listdir(tmp_path / "left")) == 1
    # Where nobody has worked for so long, only what the disk must have is left.
    assert spool(db, repo_with(tmp_path), "stop", EVENT) == (kind != "full")


def test_a_file_of_an_event_is_there_whole_or_not_at_all(
    db: _sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spool.jsonl").mkdir()
    monkeypatch.setattr(os, "rename", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        spool(db, repo_with(tmp_path), "tool", EVENT, "a.md")
    assert [name[0] for name in os.listdir(tmp_path / "left")] == ["."]


def test_a_line_follows_a_spool_that_is_replaced_while_it_waits(
    db: _sqlite3.Connection, tmp_path: Path
) -> None:
    place = tmp_path / "spool.jsonl"
    place.touch()
    with held(place):
        hook = threading.Thread(
            target=lambda: spool(_sqlite3.connect(":memory:"), repo_with(tmp_path), "stop", EVENT)
        )
        hook.start()
        time.sleep(0.1)
        (tmp_path / "new").write_text("{}\n")
        (tmp_path / "new").rename(place)
    hook.join()
    assert len(place.read_text().splitlines()) == 2
