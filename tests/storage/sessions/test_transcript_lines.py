"""A transcript is read as lines, whatever holds it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from needs import lacks, unless

from ctxrepo.storage.sessions import transcript_lines
from ctxrepo.storage.sessions.transcript_lines import NoUnpacker, is_database, opened_file

PARTS = (("../messages/{session}", "../parts/{message}"),)

needs_zstd = unless(lacks("zstd"))


def lines_of(path: Path, parts: transcript_lines.Parts = ()) -> list[str]:
    with opened_file(path, parts) as handle:
        return os.pread(handle, 1 << 20, 0).decode().splitlines()


def packed(path: Path, data: bytes) -> Path:
    subprocess.run(["zstd", "-q", "-o", path], input=data, check=True)
    return path


def test_a_plain_file_is_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n")
    assert lines_of(tmp_path / "a") == ["1", "2"]
    assert not is_database(tmp_path / "a")
    with pytest.raises(OSError, match="not a file"):
        lines_of(tmp_path)
    with pytest.raises(FileNotFoundError):
        lines_of(tmp_path / "b")


@needs_zstd
def test_a_compressed_file_is_known_by_its_content_and_read_again_when_it_changes(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.jsonl", b"1\n2\n")
    assert lines_of(path) == lines_of(path) == ["1", "2"]
    path.unlink()
    packed(path, b"another\n")
    assert lines_of(path) == ["another"]


@needs_zstd
def test_of_a_torn_file_what_is_whole_is_read(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a", b"".join(b"%d %s\n" % (n, os.urandom(40).hex().encode()) for n in range(9000))
    )
    path.write_bytes(path.read_bytes()[:-1000])
    assert [line.split()[0] for line in lines_of(path)[:3]] == ["0", "1", "2"]


@needs_zstd
def test_what_cannot_be_unpacked_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path / "bomb", b"x" * 3_000_000)
    torn = tmp_path / "torn"
    torn.write_bytes(path.read_bytes()[:6])
    with pytest.raises(OSError, match="premature end"):
        lines_of(torn)
    monkeypatch.setattr(transcript_lines, "_MOST_BYTES", 1_000_000)
    with pytest.raises(OSError, match="within bounds"):
        lines_of(path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoUnpacker, match="isn't installed"):
        lines_of(path)


def test_small_files_are_a_line_each_in_their_order(tmp_path: Path) -> None:
    session = tmp_path / "sessions/s.json"
    files = {
        session: '{\r\n "id": "s"\n}',
        tmp_path / "messages/s/m2.json": "{}",
        tmp_path / "messages/s/m1.json": '{"n":\n1}',
        tmp_path / "parts/m1/p1.json": '{"p": 1}',
        tmp_path / "parts/m1/p2.json": "x" * 2_000_000,
        tmp_path / "parts/m2/p1.json": '{"p": 2}',
        tmp_path / "messages/other/m3.json": "{}",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "parts/m2/pipe.json").mkdir()
    expected = ['{   "id": "s" }', '{"n": 1}', '{"p": 1}', "", "{}", '{"p": 2}', ""]
    assert lines_of(session, PARTS) == expected
    (tmp_path / "messages/s/m3.json").write_text("3")
    assert lines_of(session, PARTS) == [*expected, "3"]
