"""What hooks left is read once, and nothing that comes meanwhile is lost."""

from __future__ import annotations

import _sqlite3
import fcntl
import os
import threading
from pathlib import Path

import pytest
from world import repo_with

from ctxrepo.hooks import own_files
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.wakeup import spool as leave
from ctxrepo.storage.state.spool import Spool, SpoolEvent
from ctxrepo.storage.user.places import RepositoryPlaces


@pytest.fixture
def places(tmp_path: Path) -> RepositoryPlaces:
    return RepositoryPlaces(tmp_path)


@pytest.fixture
def spool(places: RepositoryPlaces) -> Spool:
    return Spool(places)


def hook(spool: Spool, session: str) -> None:
    """Leave an event, as a hook does."""
    db = _sqlite3.connect(":memory:")
    assert leave(db, repo_with(spool.places.root), "stop", Event("claude", "Stop", {"session": session}))
    db.close()


def drop_all(spool: Spool) -> None:
    events, end = spool.read()
    spool.drop(end, events)


def test_what_a_hook_leaves_is_what_the_worker_reads(spool: Spool) -> None:
    assert spool.is_empty()
    assert spool.read() == ([], 0)
    hook(spool, "one")
    hook(spool, "two")
    events, end = spool.read()
    assert events == [SpoolEvent("stop", "claude", "one"), SpoolEvent("stop", "claude", "two")]
    assert not spool.is_empty()
    spool.drop(end, events)
    assert spool.is_empty()


def test_what_comes_after_reading_stays(spool: Spool) -> None:
    hook(spool, "one")
    events, end = spool.read()
    hook(spool, "two")
    spool.drop(end, events)
    assert [e.session for e in spool.read()[0]] == ["two"]


def test_no_hook_waits_while_the_disk_keeps_what_the_worker_dropped(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(spool, "one")
    events, end = spool.read()
    monkeypatch.setattr(own_files, "FILE_LOCK_SECONDS", 0)
    monkeypatch.setattr(os, "fsync", lambda _: hook(spool, "meanwhile"))
    spool.drop(end, events)
    assert [e.session for e in spool.read()[0]] == ["meanwhile"]


@pytest.mark.parametrize(
    "torn",
    [b'{"event": "st', b"\xff\xfe", b"null\n", b"[1]\n", b'{"event": 7, "agent": null}', b"\n\n", b"\0"],
)
def test_lines_that_make_no_sense_are_passed_over_and_come_to_an_end(spool: Spool, torn: bytes) -> None:
    spool.places.spool.write_bytes(torn)
    hook(spool, "after")
    assert [e.session for e in spool.read()[0] if e.event] == ["after"]
    drop_all(spool)
    assert spool.is_empty()
    # A worker goes on while the spool isn't empty: what nobody will ever finish must not keep it going.
    spool.places.spool.write_bytes(torn)
    events, end = spool.read()
    spool.drop(end, events)
    assert spool.is_empty()


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "..", "sub/../../outside", "folder"])
def test_only_files_of_its_own_folder_go_with_their_event(spool: Spool, tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").write_bytes(b"not yours")
    (spool.left / "folder").mkdir(parents=True)
    hook(spool, "s")
    spool.drop(spool.read()[1], [SpoolEvent("tool", "claude", "s", left=name)])
    assert (tmp_path / "outside").read_bytes() == b"not yours"
    assert (spool.left / "folder").is_dir()
    assert spool.read()[0] == [SpoolEvent("", "", "", left="folder")] or spool.read()[0] == []


def test_a_file_that_no_hook_could_save_is_named(spool: Spool) -> None:
    db = _sqlite3.connect(":memory:")
    assert leave(db, repo_with(spool.places.root), "tool", Event("claude", "", {"session": "s"}), "shop/a.md")
    db.close()
    assert spool.read()[0] == [SpoolEvent("tool", "claude", "s", path="shop/a.md")]


def test_hooks_and_worker_at_once_lose_no_line(spool: Spool) -> None:
    def leave(number: int) -> None:
        for i in range(40):
            hook(spool, f"{number}-{i}")

    hooks = [threading.Thread(target=leave, args=(number,)) for number in range(4)]
    for thread in hooks:
        thread.start()
    seen: list[str] = []

    def work() -> None:
        events, end = spool.read()
        seen.extend(e.session for e in events)
        spool.drop(end, events)

    while any(thread.is_alive() for thread in hooks):
        work()
    work()  # one round takes all that was left by then
    assert spool.is_empty()
    assert sorted(seen) == sorted(f"{n}-{i}" for n in range(4) for i in range(40))


def test_events_that_are_files_of_their_own_stand_where_they_belong(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_files, "FILE_LOCK_SECONDS", 0.02)
    hook(spool, "1")
    with spool.places.spool.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        hook(spool, "2")
        hook(spool, "3")
    hook(spool, "4")
    events, end = spool.read()
    assert [e.session for e in events] == ["1", "2", "3", "4"]
    hook(spool, "5")
    spool.drop(end, events)
    assert [e.session for e in spool.read()[0]] == ["5"]
    drop_all(spool)
    assert spool.is_empty()


@pytest.mark.parametrize("data", [b"", b"torn", b"[1]"])
def test_a_left_file_that_makes_no_sense_comes_to_an_end(spool: Spool, data: bytes) -> None:
    spool.left.mkdir()
    (spool.left / "1-1").write_bytes(data)
    assert not spool.is_empty()
    drop_all(spool)
    assert spool.is_empty()


def test_what_is_in_place_of_the_spool_keeps_no_event_from_the_worker(spool: Spool) -> None:
    spool.places.spool.mkdir()
    hook(spool, "one")
    assert [e.session for e in spool.read()[0]] == ["one"]
    drop_all(spool)
    assert spool.read()[0] == []


def test_lines_that_came_meanwhile_are_on_the_disk_before_the_old_ones_go(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that are moved within a file may be in neither place after a power cut."""
    hook(spool, "one")
    events, end = spool.read()
    hook(spool, "two")
    before, inode = spool.places.spool.read_bytes(), spool.places.spool.stat().st_ino
    synced: list[bytes] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        synced.append(spool.places.spool.read_bytes())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    spool.drop(end, events)
    assert synced[0] == before, "the old file was changed before the disk had the new one"
    assert spool.places.spool.stat().st_ino != inode
    assert [e.session for e in spool.read()[0]] == ["two"]
