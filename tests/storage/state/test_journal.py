"""The journal gives back every byte of every save in the order in which they were made, and drops nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ctxrepo.domain.records.save import TOOL, Origin, Save
from ctxrepo.errors import Busy
from ctxrepo.hooks.saves import HOOKS_BYTES
from ctxrepo.storage.state.journal import Intent, Journal

ADDING = """
import sys
from pathlib import Path
from ctxrepo.domain.records.save import Origin, Save
from ctxrepo.storage.state.journal import Journal
folder, who = sys.argv[1:]
for number in range(50):
    Journal(Path(folder)).add([Save("a.md", None, b"x", "remember", Origin(""), id=f"{who}-{number}")])
"""


def save(path: str, after: bytes | None = b"after\n", base: bytes | None = None) -> Save:
    by = Origin("", "s-1", "claude", "example/shop")
    return Save(path, base, after, "remember", by, "2026-11-20T00:00:00.000Z", "id", "a note\n☃")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


def paths(journal: Journal) -> list[str]:
    return [save.path for save in journal.read()]


def test_an_empty_one_has_nothing_and_is_settled(journal: Journal) -> None:
    assert (journal.names(), journal.read(), journal.unreadable()) == ([], [], [])
    assert journal.is_settled()
    journal.take_out([])
    journal.require_room()
    assert journal.left_half_way(lambda _: True) is None


def test_saves_come_back_in_order_with_every_byte(journal: Journal) -> None:
    odd = b'\xff\x00 not utf-8\n{"path": "b.md"}\n\r\n no newline at the end'
    saves = [
        save("a.md", odd, None),
        save("b/ä\udce9.md", None, odd),
        save("c.md", b"", None),
        save("d.md", None, b""),
        save("e.md", b"\n", b"\n\n"),
        replace(save("f.md"), op=TOOL, tree="c0ffee"),
    ]
    journal.add(saves[:4])
    journal.add(saves[4:])
    entries = journal.read()
    assert [replace(entry, place="") for entry in entries] == saves
    assert len({entry.place for entry in entries}) == len(saves)
    assert journal.unreadable() == []
    assert not journal.is_settled()


def test_the_order_is_that_of_the_saves_even_where_the_clock_goes_back(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        monkeypatch.setattr(time, "time_ns", lambda number=number: 10**18 - number * 10**9)
        journal.add([save(f"{number}.md")])
    assert paths(journal) == [f"{number}.md" for number in range(12)]


def test_two_processes_at_once_lose_none_and_keep_the_order_of_each(journal: Journal) -> None:
    words = [sys.executable, "-c", ADDING, str(journal.folder)]
    adding = [subprocess.Popen([*words, who]) for who in "ab"]
    assert [process.wait() for process in adding] == [0, 0]
    names = [save.id for save in journal.read()]
    for who in "ab":
        assert [name for name in names if name[0] == who] == [f"{who}-{number}" for number in range(50)]
    assert len(names) == 100


def test_those_that_are_not_taken_out_keep_their_places(journal: Journal) -> None:
    journal.add([save(name) for name in ("a.md", "b.md", "c.md", "d.md")])
    journal.add([save("e.md")])
    place = {save.path: save.place for save in journal.read()}
    journal.take_out([place["b.md"]])
    assert {save.path: save.place for save in journal.read()} == {p: place[p] for p in place if p != "b.md"}
    journal.take_out([place["a.md"], place["b.md"]])
    assert [(save.path, save.place) for save in journal.read()] == [
        (p, place[p]) for p in ("c.md", "d.md", "e.md")
    ]
    journal.take_out([place["c.md"], place["d.md"], place["e.md"]])
    assert journal.is_settled()
    assert os.listdir(journal.folder) == []


def test_a_place_is_not_given_again_while_others_wait(journal: Journal) -> None:
    journal.add([save("a.md")])
    journal.add([save("b.md")])
    (first, second) = journal.read()
    journal.take_out([second.place])
    journal.add([save("c.md")])
    journal.take_out([second.place])
    assert paths(journal) == ["a.md", "c.md"]
    journal.take_out([first.place])
    assert paths(journal) == ["c.md"]


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"[]\n",
        b"7\n",
        b'{"path": 7}\n\n',
        b'{"op": "remember", "after": 1}\nx\n',
        b'{"path": "torn',
        b'{"path": "a.md", "after": 9}\ntorn',
        b'{"path": "a.md", "after": -2}\n\n',
        b'{"path": "a.md", "after": "9"}\n\n',
        b"\xff\n",
    ],
)
def test_a_file_that_cannot_be_read_is_told_of_and_stays(journal: Journal, junk: bytes) -> None:
    journal.add([save("a.md")])
    bad = journal.folder / f"7-7-7-{len(junk)}"
    bad.write_bytes(junk)
    journal.add([save("b.md")])
    assert paths(journal) == ["a.md", "b.md"]
    assert journal.unreadable() == [bad]
    journal.take_out([f"{bad.name}/0", *(save.place for save in journal.read())])
    journal.forget_trees()
    assert (bad.read_bytes(), journal.names()) == (junk, [bad.name])
    assert not journal.is_settled()


def test_an_operation_that_is_torn_is_told_of_and_left_as_it_is(journal: Journal) -> None:
    journal.add([save("a.md"), save("b.md", b"long " * 100)])
    (name,) = journal.names()
    with (journal.folder / name).open("r+b") as file:
        file.truncate(file.seek(0, os.SEEK_END) - 50)
    torn = (journal.folder / name).read_bytes()
    assert paths(journal) == [], "half of it could never be taken out"
    assert journal.unreadable() == [journal.folder / name]
    journal.take_out([f"{name}/0"])
    assert (journal.folder / name).read_bytes() == torn


def test_what_has_no_name_of_an_operation_is_none(journal: Journal) -> None:
    journal.add([save("a.md")])
    for name in (".1-1-1-1", "intent.old", "1-1-1", "1-1-1-x", "1-1-1-1-1", "²-1-1-1"):
        (journal.folder / name).write_bytes(b"x")
    assert paths(journal) == ["a.md"]
    assert journal.unreadable() == []


def test_an_intent_counts_only_when_the_commit_is_there(journal: Journal) -> None:
    journal.add([save("a.md"), save("b.md")])
    first, second = journal.read()
    intent = Intent("c0ffee", (first.place,), {"a.md": "b10b", "b.md": None})
    journal.intend(intent)
    assert journal.left_half_way(lambda _: False) is None
    assert paths(journal) == ["a.md", "b.md"]
    assert journal.left_half_way(lambda commit: commit == "c0ffee") == intent
    journal.take_out(intent.done)
    assert journal.left_half_way(lambda _: True) is None
    assert [save.place for save in journal.read()] == [second.place]


def test_an_intent_alone_is_something_left(journal: Journal) -> None:
    journal.intend(Intent("c0ffee", (), {}))
    assert not journal.is_settled()
    journal.take_out([])
    assert journal.is_settled()


@pytest.mark.parametrize(
    "junk", ["", "{", "[]", "7", '{"commit": "c0ffee"}', '{"commit": 7, "done": 7, "on_disk": 7}', "\xff"]
)
def test_an_intent_that_a_crash_tore_takes_nothing_out(journal: Journal, junk: str) -> None:
    journal.add([save("a.md")])
    journal.folder.with_name("journal.intent").write_text(junk, "latin-1")
    assert journal.left_half_way(lambda _: True) is None
    assert paths(journal) == ["a.md"]


def test_when_too_much_waits_for_a_commit_no_more_is_promised(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.add([save("a.md")])
    journal.require_room()
    assert not journal.is_nearly_full()
    (journal.folder / f"5-5-5-{HOOKS_BYTES * 9 // 5}").touch()  # the names say how much it is
    assert journal.is_nearly_full()
    journal.require_room()
    (journal.folder / f"6-6-6-{HOOKS_BYTES * 2}").touch()
    with pytest.raises(Busy, match="256 MiB"):
        journal.require_room()
    journal.add([save("late.md")])  # what is in its file already is taken, or no commit could be made
    assert "late.md" in paths(journal)


def test_forgotten_trees_take_no_bytes_and_no_places_along(journal: Journal) -> None:
    journal.add([replace(save("a.md"), op=TOOL, tree="c0ffee"), save("b.md", None, b"before\n")])
    before = journal.read()
    journal.forget_trees()
    assert journal.read() == [replace(before[0], tree=""), before[1]]


@pytest.mark.parametrize("fails", ["write", "fsync", "rename"])
def test_a_disk_that_fails_leaves_nothing_half_written_and_acknowledges_nothing(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    journal.add([save("a.md"), save("b.md")])
    before = journal.read()

    def failing(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, fails, failing)
    with pytest.raises(OSError, match="No space"):
        journal.add([save("c.md")])
    with pytest.raises(OSError, match="No space"):
        journal.take_out([before[0].place])
    monkeypatch.undo()
    assert journal.read() == before
    assert [name for name in os.listdir(journal.folder) if name.startswith(".")] == []


def test_a_save_is_on_the_disk_with_its_name_before_add_returns(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.add([save("a.md")])
    synced: list[bool] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        synced.append(os.path.isdir(f"/proc/self/fd/{handle}"))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    journal.add([save("b.md")])
    assert synced == [False, True], "the bytes first, and then the folder that names them"


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_is_in_its_place_takes_no_save_and_keeps_no_commit_from_being_made(
    journal: Journal, tmp_path: Path, kind: str
) -> None:
    if kind == "file":
        journal.folder.touch()
    else:
        (tmp_path / "theirs").mkdir()
        journal.folder.symlink_to(tmp_path / "theirs")
    with pytest.raises(NotADirectoryError):
        journal.add([save("a.md")])
    assert journal.is_settled()
    assert (journal.read(), journal.left_half_way(lambda _: True)) == ([], None)
    journal.take_out([])
    assert kind == "file" or os.listdir(tmp_path / "theirs") == []
