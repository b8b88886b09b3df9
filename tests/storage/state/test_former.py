"""What an earlier ctxrepo left is taken into the journal once, whatever tore it and wherever it is killed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.records.save import TOOL, Save
from ctxrepo.storage.state.former import take_over_former_state
from ctxrepo.storage.state.journal import Intent, Journal
from ctxrepo.storage.user.places import RepositoryPlaces

COMMIT = "c0ffee"


@pytest.fixture
def places(tmp_path: Path) -> RepositoryPlaces:
    return RepositoryPlaces(tmp_path)


@pytest.fixture
def journal(places: RepositoryPlaces) -> Journal:
    return Journal(places.journal)


def written(
    write_id: str, path: str, before: str | None, after: str | None, second: int = 0
) -> dict[str, Any]:
    """A line of the log, as the earlier one wrote it."""
    who = {"session": "s-1", "agent": "claude", "project": "example/shop", "note": "what was said", "v": 1}
    at = f"2026-11-20T12:00:{second:02}.000Z"
    return {"op": "remember", "id": write_id, "ts": at, "path": path, "before": before, "after": after, **who}


def as_save(fields: dict[str, Any]) -> Save:
    by = Origin("", "s-1", "claude", "example/shop")
    base, after = (
        None if text is None else text.encode("utf-8", "surrogateescape")
        for text in (fields["before"], fields["after"])
    )
    return Save(fields["path"], base, after, "remember", by, fields["ts"], fields["id"], "what was said")


def log(places: RepositoryPlaces, *lines: dict[str, Any], torn: bytes = b"") -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    places.former_writes.write_bytes(text.encode("ascii") + torn)


def version(places: RepositoryPlaces, name: str, data: bytes, second: int, is_left: bool = False) -> None:
    """A version that a hook of the earlier one kept, and its event in the spool or as a file of its own."""
    (places.root / "versions").mkdir(exist_ok=True)
    (places.root / "versions" / name).write_bytes(data)
    fields = {"event": "tool", "agent": "pi", "session": "s-2", "path": "a.md", "version": name}
    moment = 1795176000 + second  # 2026-11-20T12:00:00Z
    line = json.dumps({**fields, "base": "7ee", "at": moment}) + "\n"
    if is_left:
        (places.root / "left").mkdir(exist_ok=True)
        (places.root / "left" / name).write_text(line)
    else:
        with places.spool.open("a") as spool:
            spool.write(line)


def take_over(places: RepositoryPlaces, journal: Journal) -> list[Save]:
    """Take it over; what the journal has then, as if each were in no place."""
    take_over_former_state(places, journal, blob_id)
    return [replace(save, place="") for save in journal.read()]


def is_marked(places: RepositoryPlaces) -> bool:
    return (places.former_writes / "moved-to-journal").is_file()


def test_where_nothing_was_left_only_the_mark_is_made(places: RepositoryPlaces, journal: Journal) -> None:
    assert take_over(places, journal) == []
    assert is_marked(places)
    assert journal.is_settled()


def test_writes_come_in_their_order_with_every_byte(places: RepositoryPlaces, journal: Journal) -> None:
    lines = [
        written("1", "a.md", None, "tab\t \udcff not utf-8 \u2028 ☃"),
        written("1", "b.md", "gone\n", None),
        written("2", "c.md", "", ""),
    ]
    log(places, *lines)
    assert take_over(places, journal) == [as_save(line) for line in lines]
    assert is_marked(places)
    assert journal.unreadable() == []


@pytest.mark.parametrize("is_left", [False, True])
def test_versions_stand_between_the_writes_where_they_were_made(
    places: RepositoryPlaces, journal: Journal, is_left: bool
) -> None:
    first, last = written("1", "a.md", None, "- a\n", 1), written("2", "a.md", "- b\n", "- c\n", 5)
    log(places, first, last)
    version(places, "17-9", b"\xff\x00- by the agent\n", 3, is_left)
    found = take_over(places, journal)
    by = Origin("", "s-2", "pi")
    kept = Save(
        "a.md", None, b"\xff\x00- by the agent\n", TOOL, by, "2026-11-20T12:00:03.000Z", "17-9", tree="7ee"
    )
    assert found == [as_save(first), kept, as_save(last)]
    assert not (places.root / "versions").exists()


def test_writes_keep_their_order_though_the_clock_went_back(
    places: RepositoryPlaces, journal: Journal
) -> None:
    lines = [
        written("1", "a.md", "", "- a\n", 9),
        written("2", "a.md", "- a\n", "- b\n", 1),
        written("3", "a.md", "- b\n", "- c\n", 2),
    ]
    log(places, *lines)
    version(places, "17-9", b"- by the agent\n", 3)
    found = take_over(places, journal)
    assert [save.id for save in found if save.op != TOOL] == ["1", "2", "3"]


def test_what_was_left_waits_before_what_came_since(places: RepositoryPlaces, journal: Journal) -> None:
    since = as_save(written("9", "new.md", None, "- new\n"))
    journal.add([since])  # a hook of this one was faster than the first command
    log(places, written("1", "a.md", None, "- a\n"))
    assert [save.path for save in take_over(places, journal)] == ["a.md", "new.md"]


def test_a_commit_that_was_left_half_way_is_known(places: RepositoryPlaces, journal: Journal) -> None:
    log(
        places,
        written("1", "a.md", None, "- a\n", 1),
        written("1", "b.md", "- b\n", None, 1),
        written("2", "a.md", "- a\n", "- later\n", 2),
    )
    intent = places.former_writes.with_suffix(".intent")
    intent.write_text(json.dumps({"commit": COMMIT, "done": [["1", "a.md"], ["1", "b.md"]]}))
    take_over(places, journal)
    done, other, later = journal.read()
    assert journal.left_half_way(lambda commit: commit == COMMIT) == Intent(
        COMMIT, (done.place, other.place), {"a.md": blob_id(b"- a\n"), "b.md": None}
    )
    assert journal.left_half_way(lambda _: False) is None
    journal.take_out([done.place, other.place])
    assert journal.read() == [later]
    assert not intent.exists()


@pytest.mark.parametrize("junk", ["", "{", "[]", "7", '{"commit": "c0ffee"}', '{"commit": 7, "done": 7}'])
def test_an_intent_that_a_crash_tore_takes_nothing_out(
    places: RepositoryPlaces, journal: Journal, junk: str
) -> None:
    log(places, written("1", "a.md", None, "- a\n"))
    places.former_writes.with_suffix(".intent").write_text(junk)
    assert len(take_over(places, journal)) == 1
    assert journal.left_half_way(lambda _: True) is None


def test_a_torn_last_line_is_dropped_and_takes_nothing_along(
    places: RepositoryPlaces, journal: Journal
) -> None:
    log(places, written("1", "a.md", None, "- a\n"), torn=b'{"op": "remember", "path": "torn')
    assert [save.path for save in take_over(places, journal)] == ["a.md"]
    assert is_marked(places)


@pytest.mark.parametrize("junk", ["[]", "7", '{"path": 7}', '{"id": "x"}', "", "\xff", "[" * 100_000])
def test_lines_that_are_no_writes_are_passed_over(
    places: RepositoryPlaces, journal: Journal, junk: str
) -> None:
    lines = [json.dumps(written(name, f"{name}.md", None, "- a\n")) for name in "ab"]
    places.former_writes.write_text(f"{lines[0]}\n{junk}\n{lines[1]}\n", "latin-1")
    assert [save.path for save in take_over(places, journal)] == ["a.md", "b.md"]
    assert journal.unreadable() == []


@pytest.mark.parametrize("at", ["1e999", "-1e999", "NaN", "1e300", '"noon"', "null"])
def test_a_moment_that_is_none_keeps_no_version_from_being_taken(
    places: RepositoryPlaces, journal: Journal, at: str
) -> None:
    version(places, "1-1", b"- a\n", 0)
    line = f'{{"event": "tool", "path": "a.md", "version": "1-1", "session": "s-2", "at": {at}}}\n'
    places.spool.write_text(line)
    assert [save.after for save in take_over(places, journal)] == [b"- a\n"]


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "..", "sub/../../outside", "folder", ""])
def test_a_version_is_never_looked_for_elsewhere(
    places: RepositoryPlaces, journal: Journal, name: str
) -> None:
    (places.root / "outside").write_bytes(b"not yours")
    (places.root / "versions" / "folder").mkdir(parents=True)
    places.spool.write_text(json.dumps({"event": "tool", "path": "a.md", "version": name, "at": 1}) + "\n")
    assert take_over(places, journal) == []
    assert (places.root / "outside").read_bytes() == b"not yours"
    assert (places.root / "versions" / "folder").is_dir(), "what else is in it isn't ours"
    assert is_marked(places)


@pytest.mark.parametrize("place", ["spool.jsonl", "left/1-1", "versions", "left"])
def test_a_folder_or_a_file_in_the_place_of_what_hooks_left_keeps_nothing_from_being_taken(
    places: RepositoryPlaces, journal: Journal, place: str
) -> None:
    log(places, written("1", "a.md", None, "- a\n"))
    if place in ("versions", "left"):
        (places.root / place).touch()
    else:
        (places.root / place).mkdir(parents=True)
    assert [save.after for save in take_over(places, journal)] == [b"- a\n"]
    assert is_marked(places)


def killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def killed_after_a_removal(patch: pytest.MonkeyPatch) -> None:
    unlink = Path.unlink

    def remove(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok)
        raise KeyboardInterrupt

    patch.setattr(Path, "unlink", remove)


@pytest.mark.parametrize(
    "where",
    [
        lambda patch: patch.setattr("ctxrepo.storage.state.former._Former.clear", killed),
        lambda patch: patch.setattr(Journal, "intend", killed),
        lambda patch: patch.setattr("ctxrepo.storage.state.former.make_folder", killed),
        lambda patch: patch.setattr(Path, "unlink", killed),
        killed_after_a_removal,
    ],
    ids=["before anything is removed", "before the intent", "before the mark", "at a removal", "after one"],
)
def test_killed_anywhere_it_is_begun_again_and_has_all_of_it_once(
    places: RepositoryPlaces,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    where: Callable[[pytest.MonkeyPatch], None],
) -> None:
    log(places, written("1", "a.md", None, "- a\n", 1), written("2", "a.md", "- a\n", "- b\n", 5))
    version(places, "17-9", b"- by the agent\n", 3)
    intent = {"commit": COMMIT, "done": [["1", "a.md"]]}
    places.former_writes.with_suffix(".intent").write_text(json.dumps(intent))
    where(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        take_over(places, journal)
    assert not is_marked(places)
    monkeypatch.undo()
    assert [save.after for save in take_over(places, journal)] == [b"- a\n", b"- by the agent\n", b"- b\n"]
    assert is_marked(places)
    found = journal.left_half_way(lambda _: True)
    assert found is not None
    assert found.done == (journal.read()[0].place,)


def test_what_an_earlier_one_writes_after_a_killed_takeover_is_taken_over_as_well(
    places: RepositoryPlaces, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = written("1", "a.md", None, "- a\n", 1), written("2", "a.md", "- a\n", "- b\n", 2)
    log(places, first)
    monkeypatch.setattr("ctxrepo.storage.state.former._Former.clear", killed)
    with pytest.raises(KeyboardInterrupt):
        take_over(places, journal)
    monkeypatch.undo()
    log(places, first, second)
    assert take_over(places, journal) == [as_save(first), as_save(second)]


@pytest.mark.parametrize("lies_in", ["the log", "a version"])
def test_what_cannot_be_read_now_is_said_and_nothing_is_removed(
    places: RepositoryPlaces, journal: Journal, monkeypatch: pytest.MonkeyPatch, lies_in: str
) -> None:
    log(places, written("1", "a.md", None, "- a\n"))
    version(places, "17-9", b"- by the agent\n", 3)
    bad = places.former_writes if lies_in == "the log" else places.root / "versions" / "17-9"
    real = os.open

    def failing(path: str, *words: int, **named: int) -> int:
        if os.fspath(path) == str(bad):
            raise OSError(5, "Input/output error")
        return real(path, *words, **named)

    monkeypatch.setattr(os, "open", failing)
    with pytest.raises(OSError, match="Input/output"):
        take_over(places, journal)
    monkeypatch.undo()
    assert places.former_writes.is_file()
    assert (places.root / "versions" / "17-9").read_bytes() == b"- by the agent\n"
    assert [save.after for save in take_over(places, journal)] == [b"- a\n", b"- by the agent\n"]
