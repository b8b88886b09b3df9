"""The newest files of others, and as much of each as is worth reading."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctxrepo.storage.disk import recent
from ctxrepo.storage.disk.recent import RowReader, ends_of, lines_of, lines_of_rows, newest, written


def test_the_newest_come_first_and_only_so_many(tmp_path: Path) -> None:
    for number in range(5):
        file = tmp_path / "project" / f"{number}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
        os.utime(file, (number, number))
    (tmp_path / "project" / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "project" / "pipe.jsonl")
    (tmp_path / "project" / "dangling.jsonl").symlink_to(tmp_path / "nowhere")
    assert [path.stem for path in newest(tmp_path, "*/*.jsonl", 3)] == ["4", "3", "2"]


def test_no_folder_has_no_files(tmp_path: Path) -> None:
    assert newest(tmp_path / "none", "*/*.jsonl", 3) == []


def test_a_small_file_is_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"one\ntwo\xff\nthr")
    assert lines_of(file) == (["one", "two\ufffd", "thr"], True)


def test_of_a_large_file_beginning_and_end_are_read_in_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "MAX_BYTES", 400)
    monkeypatch.setattr(recent, "HEAD_BYTES", 100)
    file = tmp_path / "f"
    file.write_text("".join(f"line {number:04}\n" for number in range(1000)))
    lines, is_whole = lines_of(file)
    assert not is_whole
    assert lines[0] == "line 0000"
    assert lines[-2:] == ["line 0999", ""]
    assert all(len(line) == 9 for line in lines[:-1])
    assert sum(map(len, lines)) < 400


def test_one_that_cannot_be_read_is_as_empty(tmp_path: Path) -> None:
    assert lines_of(tmp_path / "none") == ([], True)
    assert written(tmp_path / "none") == 0.0
    assert lines_of(tmp_path) == ([], True)


def test_of_the_ends_only_whole_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("".join(f"line {number}\n" for number in range(100)) + "torn")
    head, tail, _ = ends_of(file, 20, 20, 20)
    assert head == ["line 0", "line 1"]
    assert tail == ["line 99", "torn"]
    lines = file.read_text().split("\n")
    assert ends_of(file, 10_000, 20, 20) == (lines, lines, True)


def test_what_is_no_file_has_no_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "gone", Path("/dev/zero"), Path("a\0b")):
        assert ends_of(path, 100, 100, 100) == ([], [], True)


def test_a_query_has_alternatives_for_databases_of_different_versions(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript("create table one (a); insert into one values (1), (2); create table two (b, c)")
    with closing(RowReader(path)) as reader:
        assert [*reader.select("select a from three; select a from one; select 3", {})] == [(1,), (2,), (3,)]
        refused = [reader.is_refused]
        query = "select a from three; select b from two; select 's' || a from one where :since <> :until"
        assert [*reader.lines(query, "s", "0", "9")] == ["s1", "s2"]
        assert [*reader.select("select a from three; select z from one", {})] == []
        assert [*refused, reader.is_refused] == [False, True]
    (tmp_path / "b.db").write_bytes(b"no database")
    assert [*lines_of_rows(tmp_path / "b.db", "select name from sqlite_master", "s")] == []
