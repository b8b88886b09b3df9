"""The write log holds what was acknowledged, whatever tore its end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ctxrepo.errors import Busy
from ctxrepo.storage.state.writelog import MAX_BYTES, Write, WriteLog


def write(path: str, after: str | None = "after\n", before: str | None = None) -> Write:
    return Write("remember", "id", "2026-11-20T00:00:00.000Z", path, before, after)


@pytest.fixture
def log(tmp_path: Path) -> WriteLog:
    return WriteLog(tmp_path / "writes.jsonl")


def test_writes_come_back_in_order_with_every_byte(log: WriteLog) -> None:
    odd = "tab\t newline\n \udcff not utf-8 \u2028 ☃"
    first, second = write("a.md", odd), write("b.md", None, odd)
    log.append([first, second])
    log.append([first])
    assert log.read() == [first, second, first]


def test_a_torn_last_line_is_dropped_and_swallows_nothing(log: WriteLog) -> None:
    log.append([write("a.md")])
    with log.path.open("ab") as file:
        file.write(b'{"op": "remember", "path": "torn')
    log.append([write("b.md")])
    assert [w.path for w in log.read()] == ["a.md", "b.md"]


@pytest.mark.parametrize("junk", [b"", b"[]\n", b"7\n", b'{"path": 7}\n', b'{"path": "a"}\n', b"\xff\n"])
def test_lines_that_are_no_writes_are_passed_over(log: WriteLog, junk: bytes) -> None:
    log.path.write_bytes(junk)
    log.append([write("a.md")])
    assert [w.path for w in log.read()] == ["a.md"]


def test_a_cut_log_is_empty_and_takes_new_writes(log: WriteLog) -> None:
    assert log.is_empty()
    log.append([write("a.md")])
    assert not log.is_empty()
    log.cut(log.read())
    assert (log.is_empty(), log.read()) == (True, [])
    log.append([write("b.md")])
    assert [w.path for w in log.read()] == ["b.md"]


def test_only_what_a_commit_holds_is_cut(log: WriteLog) -> None:
    log.append([write("a.md"), write("b.md")])
    log.cut([write("a.md")])
    assert [w.path for w in log.read()] == ["b.md"]


def test_what_was_intended_is_cut_once_the_commit_is_there_and_nothing_that_came_later(log: WriteLog) -> None:
    log.append([write("a.md")])
    log.intend("c0ffee", log.read())
    log.append([replace(write("a.md"), id="later")])
    assert log.cut_committed(lambda commit: False) == []
    assert len(log.read()) == 2
    assert [w.id for w in log.cut_committed(lambda commit: commit == "c0ffee")] == ["id"]
    assert [w.id for w in log.read()] == ["later"]
    assert log.cut_committed(lambda commit: True) == []


@pytest.mark.parametrize("junk", ["", "{", "[]", "7", '{"commit": "c0ffee"}', '{"commit": 7, "done": 7}'])
def test_an_intent_that_a_crash_tore_cuts_nothing(log: WriteLog, junk: str) -> None:
    log.append([write("a.md")])
    log.path.with_suffix(".intent").write_text(junk)
    assert log.cut_committed(lambda commit: True) == []
    assert len(log.read()) == 1


def test_when_too_much_waits_for_a_commit_no_more_is_promised(log: WriteLog) -> None:
    log.require_room()
    log.append([write("a.md")])
    log.require_room()
    with log.path.open("r+b") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(Busy, match="256 MiB"):
        log.require_room()
