"""What the hook of a tool noted is read back, and lines in which nothing can be made of it are left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from machines import Machine
from sessions import Session, connected

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.storage.state import usage
from ctxrepo.storage.state.usage import Access, AccessLog


def access(at: float = 1.0, path: str = "/code/a.py", ranges: tuple[tuple[int, int], ...] = ()) -> Access:
    return Access(at, "claude", "s-1", "Read", path, ranges)


def test_what_is_added_comes_back_the_newest_first(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "access.jsonl")
    assert (list(log.newest()), log.lines) == ([], [])
    before = log.stamp
    log.add(access(1.0, ranges=((3, 5), (9, 9))))
    log.add(access(2.0, "/code/größe.py"))
    assert list(log.newest()) == [access(2.0, "/code/größe.py"), access(1.0, ranges=((3, 5), (9, 9)))]
    assert log.stamp != before


def test_a_full_log_is_read_with_the_one_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "ACCESS_BYTES", 250)
    log = AccessLog(tmp_path / "access.jsonl")
    for at in (1.0, 2.0, 3.0):
        log.add(access(at))
    assert (tmp_path / "access.jsonl.1").exists()
    assert [entry.at for entry in log.newest()] == [3.0, 2.0, 1.0]
    assert [json.loads(line)["at"] for line in log.lines] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "line",
    [
        "torn",
        "[]",
        '{"path": "/a"}',
        '{"at": "today", "path": "/a"}',
        '{"at": 1, "path": "a"}',
        '{"at": 1, "path": "/a\\u0000"}',
        '{"at": 1, "path": ["/a"]}',
    ],
)
def test_a_line_of_which_nothing_can_be_made(line: str) -> None:
    assert Access.of(record(line)) is None


@pytest.mark.parametrize(
    "ranges",
    ['"all"', "{}", "[1, 2]", "[[1]]", "[[1, 2, 3]]", "[[0, 1]]", "[[2, 1]]", '[["1", 2]]', "[[1.5, 2]]"],
)
def test_ranges_that_are_none_stand_for_the_whole_file(ranges: str) -> None:
    entry = Access.of(record(f'{{"at": 1, "path": "/a", "ranges": {ranges}}}'))
    assert entry is not None
    assert entry.ranges == ()
    assert entry.shows(7, 7)


def test_lines_are_shown_where_one_of_them_is_in_a_range() -> None:
    entry = access(ranges=((3, 5), (9, 9)))
    assert [line for line in range(1, 12) if entry.shows(line, line)] == [3, 4, 5, 9]
    assert entry.shows(1, 3)
    assert entry.shows(6, 10)
    assert not entry.shows(6, 8)


def test_it_is_what_the_hook_writes(ada: Machine) -> None:
    connected(ada)
    path = ada.project_folder / "build.py"
    path.write_text("x = 1\n")
    arguments = {"file_path": str(path)}
    response = {"file": {"filePath": str(path), "startLine": 2, "numLines": 3, "totalLines": 90}}
    Session(ada, "s-7").hook("PostToolUse", "PostToolUse-read", tool_input=arguments, tool_response=response)
    (entry,) = AccessLog(ada.open().state.access).newest()
    assert entry == Access(entry.at, "claude", "s-7", "Read", str(path), ((2, 4),))
