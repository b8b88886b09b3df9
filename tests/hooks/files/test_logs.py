"""Appended lines arrive whole, from many processes at once, and logs stay bounded."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks import own_files
from ctxrepo.hooks.own_files import append, append_rolling, line_json, lines_of


def test_many_writers_lose_and_tear_no_line(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    children = []
    for writer in range(8):
        child = os.fork()
        if child == 0:
            for n in range(50):
                append(path, json.dumps([writer, n, "x" * 5000]) + "\n", 1 << 30)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    seen = [tuple(json.loads(line)[:2]) for line in Path(path).read_text().splitlines()]
    assert sorted(seen) == [(w, n) for w in range(8) for n in range(50)]


def test_nobody_waits_while_the_disk_keeps_the_line_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, others = str(tmp_path / "log"), []
    monkeypatch.setattr(own_files, "FILE_LOCK_SECONDS", 0)
    monkeypatch.setattr(os, "fsync", lambda _: others.append(append(path, "another\n", 100)))
    assert append(path, "one\n", 100, durable=True)
    assert others == [True]
    assert Path(path).read_text() == "one\nanother\n"


def test_a_line_behind_a_torn_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("torn")
    assert append(str(path), "next\n", 100)
    assert path.read_text() == "torn\nnext\n"


def test_a_full_file_takes_no_more(tmp_path: Path) -> None:
    path = tmp_path / "log"
    assert append(str(path), "0123456789\n", 20)
    assert not append(str(path), "0123456789\n", 20)
    assert path.read_text() == "0123456789\n"


def test_a_rolling_log_keeps_one_generation(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for n in range(10):
        append_rolling(str(path), f"line {n}\n", 20)
    assert path.read_text() == "line 8\nline 9\n"
    assert (tmp_path / "log.1").read_text() == "line 6\nline 7\n"
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["log", "log.1"]


@pytest.mark.parametrize("already", ["", "line 1\n"])
def test_on_a_full_disk_a_line_is_whole_or_not_there_and_no_log_is_rolled(
    tmp_path: Path, already: str
) -> None:
    path = tmp_path / "log"
    path.write_text(already)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    was = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        assert not append(str(path), "a line of more than twenty bytes\n", 1000)
        append_rolling(str(path), "a line of more than twenty bytes\n", 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, was)
    assert path.read_text() == already
    assert not (tmp_path / "log.1").exists()


def test_a_line_that_would_fill_a_log_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("line\n")
    append_rolling(str(path), "x" * 2000, 1000)
    assert path.read_text() == "line\n"
    assert not (tmp_path / "log.1").exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    (tmp_path / "log").symlink_to(target)
    assert not append(str(tmp_path / "log"), "x\n", 100)
    assert target.read_text() == ""
    assert lines_of(str(tmp_path / "log"), 100) == []


def test_only_the_end_of_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("a\n" * 100 + "end\n")
    assert lines_of(str(path), 8) == ["a", "a", "end", ""]
    assert lines_of(str(tmp_path / "none"), 8) == []


def test_a_pipe_in_the_place_of_a_log_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    assert lines_of(str(tmp_path / "log"), 8) == []


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"])))
def test_a_line_leaves_out_what_is_empty(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        line = line_json(db, {"a": text, "b": "", "c": None, "n": 1.5, "r:json": "[[1,2]]"})
    assert json.loads(line) == {**({"a": text} if text else {}), "n": 1.5, "r": [[1, 2]]}
