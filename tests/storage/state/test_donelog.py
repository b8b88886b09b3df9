"""The last operations, newest first, and what becomes of those that are too large."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ctxrepo.domain.note.note import encode
from ctxrepo.domain.records.save import BY_HAND, LATE, TOOL, Origin, Save
from ctxrepo.storage.state import committed_records
from ctxrepo.storage.state.committed_records import DoneLog, PastWrite


def save(save_id: str, path: str = "a.md", before: str | None = None, after: str | None = "- a\n") -> Save:
    base, data = (None if text is None else encode(text) for text in (before, after))
    return Save(path, base, data, "remember", Origin("", "s"), "2026-11-20T12:00:00.000Z", save_id, note="a")


def test_operations_come_back_whole_the_newest_first(tmp_path: Path) -> None:
    log = DoneLog(tmp_path / "done")
    assert list(log.newest()) == []
    log.add([save("1"), save("1", "b.md"), save("2", after=None)], "c1")
    log.add([save("3", after="\udce9")], "c2")
    operations = list(log.newest())
    assert [(o.id, o.commit, len(o.writes)) for o in operations] == [
        ("3", "c2", 1),
        ("2", "c1", 1),
        ("1", "c1", 2),
    ]
    assert operations[2].writes == (PastWrite("a.md", None, "- a\n"), PastWrite("b.md", None, "- a\n"))
    assert {(o.op, o.session, o.note) for o in operations} == {("remember", "s", "a")}
    assert operations[0].writes[0].after == "\udce9"


def test_of_lines_that_were_added_only_these_are_kept(tmp_path: Path) -> None:
    log = DoneLog(tmp_path / "done")
    log.add([save("1", "x.jsonl", "{}\n", "{}\n[]\n"), save("1", "y.jsonl", None, "{}\n")], "c1")
    first, second = next(log.newest()).writes
    assert (first.before, first.after) == ("", "[]\n")
    assert (second.before, second.after) == (None, "{}\n")


def test_one_that_is_too_large_is_known_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committed_records, "MAX_BYTES", 1000)
    log = DoneLog(tmp_path / "done")
    log.add([save("1")], "c1")
    log.add([save("2", after="x" * 1000)], "c2")
    assert [(o.id, o.commit, len(o.writes)) for o in log.newest()] == [("2", "c2", 0), ("1", "c1", 1)]


def test_the_log_is_bounded_and_torn_lines_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committed_records, "MAX_BYTES", 1000)
    log = DoneLog(tmp_path / "done")
    for number in range(50):
        log.add([save(str(number))], "c")
    with (tmp_path / "done").open("a") as file:
        file.write('{"id": "torn')
    ids = [o.id for o in log.newest()]
    assert ids == [str(49 - n) for n in range(len(ids))]
    assert 2 <= len(ids) < 10


def test_what_no_command_wrote_is_not_kept(tmp_path: Path) -> None:
    log = DoneLog(tmp_path / "done")
    log.add([replace(save("1"), op=op) for op in (TOOL, LATE, BY_HAND)], "c1")
    assert list(log.newest()) == []
