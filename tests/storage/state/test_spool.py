"""What hooks left is read once, and nothing that comes meanwhile is lost."""

from __future__ import annotations

import _sqlite3
import fcntl
import os
import threading
import time
from pathlib import Path

import pytest
from world import repo_with

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files import logs
from ctxrepo.hooks.session.spool import KeptVersion
from ctxrepo.hooks.session.spool import spool as leave
from ctxrepo.storage.state.spool import Spool, SpoolEvent, tidy
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
    monkeypatch.setattr(logs, "FILE_LOCK_SECONDS", 0)
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
    spool.drop(*reversed(spool.read()))
    assert spool.is_empty()
    # A worker goes on while the spool isn't empty: what nobody will ever finish must not keep it going.
    spool.places.spool.write_bytes(torn)
    events, end = spool.read()
    spool.drop(end, events)
    assert spool.is_empty()


def test_versions_are_read_and_go_with_their_event(spool: Spool, tmp_path: Path) -> None:
    spool.places.versions.mkdir()
    (spool.places.versions / "1-2").write_bytes(b"- as written\n")
    event = SpoolEvent("tool", "claude", "s", path="a.md", version="1-2")
    assert spool.version(event) == b"- as written\n"
    hook(spool, "s")
    spool.drop(spool.read()[1], [event])
    assert list(spool.places.versions.iterdir()) == []
    assert spool.version(event) is None


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "..", "sub/../../outside", "folder"])
def test_a_version_is_never_looked_for_elsewhere(spool: Spool, tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").write_bytes(b"not yours")
    (spool.places.versions / "folder").mkdir(parents=True)
    event = SpoolEvent("tool", "claude", "s", version=name)
    assert spool.version(event) is None
    hook(spool, "s")
    spool.drop(spool.read()[1], [event])
    assert (tmp_path / "outside").read_bytes() == b"not yours"
    assert spool.is_empty()


def test_hooks_and_worker_at_once_lose_no_line(spool: Spool) -> None:
    hooks = [
        threading.Thread(target=lambda n=n: [hook(spool, f"{n}-{i}") for i in range(40)]) for n in range(4)
    ]
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


def test_versions_nobody_needs_any_more_go(places: RepositoryPlaces) -> None:
    day, now = 86400.0, 1e9
    places.versions.mkdir()
    for age in (1, 6, 8, 29, 31):
        (places.versions / str(age)).touch()
        os.utime(places.versions / str(age), (now - age * day, now - age * day))
    tidy(places, now)
    assert sorted(os.listdir(places.versions)) == ["1", "6"]


def test_versions_stay_however_many_they_are(places: RepositoryPlaces) -> None:
    places.versions.mkdir()
    for number in range(1005):
        (places.versions / str(number)).touch()
        os.utime(places.versions / str(number), (1e9 + number, 1e9 + number))
    tidy(places, 1e9)
    assert len(os.listdir(places.versions)) == 1005, "their events may still come"


def test_versions_that_wait_for_a_commit_stay_however_long_it_takes(spool: Spool) -> None:
    spool.places.versions.mkdir()
    for name in ("waits", "event-never-came"):
        (spool.places.versions / name).write_bytes(b"- a\n")
    db = _sqlite3.connect(":memory:")
    waiting = KeptVersion("a.md", "", "waits")
    assert leave(db, repo_with(spool.places.root), "tool", Event("claude", "", {}), waiting)
    db.close()
    tidy(spool.places, time.time() + 60 * 86400)
    assert os.listdir(spool.places.versions) == ["waits"]


def test_events_that_are_files_of_their_own_stand_where_they_belong(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "FILE_LOCK_SECONDS", 0.02)
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
    spool.drop(*reversed(spool.read()))
    assert spool.is_empty()


@pytest.mark.parametrize("data", [b"", b"torn", b"[1]"])
def test_a_left_file_that_makes_no_sense_comes_to_an_end(spool: Spool, data: bytes) -> None:
    spool.left.mkdir()
    (spool.left / "1-1").write_bytes(data)
    assert not spool.is_empty()
    spool.drop(*reversed(spool.read()))
    assert spool.is_empty()


def test_what_is_in_place_of_the_spool_keeps_no_event_from_the_worker(spool: Spool) -> None:
    spool.places.spool.mkdir()
    hook(spool, "one")
    assert [e.session for e in spool.read()[0]] == ["one"]
    spool.drop(*reversed(spool.read()))
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
