"""HEAD, refs and logs are read as the files they are, and written past what is there."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from ctxrepo.storage.clone.refwriter import RefWriter

ONE, TWO = "1" * 40, "2" * 40
MAIN = "refs/heads/main"


@pytest.fixture
def refs(tmp_path: Path) -> RefWriter:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)
    return RefWriter(tmp_path / ".git")


@pytest.mark.parametrize(
    "text", ["", "garbage", "ref: refs/heads/a b", "ref: heads/main", "0" * 39, "ref: refs/heads/\udcedain"]
)
def test_what_is_no_head_and_no_ref(refs: RefWriter, text: str) -> None:
    for path in (refs.git_dir / "HEAD", refs.git_dir / MAIN):
        path.write_text(text, "utf-8", "surrogateescape")
    assert refs.head() == ""
    assert (refs.is_garbage(MAIN), refs.find(MAIN), refs.exists(MAIN)) == (True, None, True)


def test_loose_before_packed(refs: RefWriter) -> None:
    (refs.git_dir / "packed-refs").write_text(
        f"# pack-refs with: sorted\n{ONE} {MAIN}\n{TWO} refs/tags/t\n^{ONE}\n"
    )
    assert (refs.find(MAIN), refs.find("refs/tags/t"), refs.find("refs/heads/none")) == (ONE, TWO, None)
    refs.write(MAIN, TWO)
    assert refs.find(MAIN) == TWO
    assert not refs.packed_is_garbage()
    refs.remove(MAIN)
    assert (refs.find(MAIN), refs.packed()) == (None, {"refs/tags/t": TWO})
    refs.remove("refs/tags/t")
    assert (refs.git_dir / "packed-refs").read_text() == ""


def test_packed_refs_keep_what_can_be_read(refs: RefWriter) -> None:
    (refs.git_dir / "packed-refs").write_bytes(f"{ONE} {MAIN}\n".encode() + b"\xff\xfe\x00 garbage\n")
    assert refs.packed_is_garbage()
    refs.write_packed()
    assert (refs.packed_is_garbage(), refs.packed()) == (False, {MAIN: ONE})


def test_a_log_tells_newest_first(refs: RefWriter) -> None:
    log = refs.git_dir / "logs" / MAIN
    log.parent.mkdir(parents=True)
    who = "Ada <ada@example.org> 1 +0000\tcommit"
    log.write_text(f"{'0' * 40} {ONE} {who}\ntorn\n{ONE} {TWO} {who}\n")
    assert refs.log(MAIN) == [TWO, ONE]
    assert refs.log("refs/heads/none") == []


def test_garbage_and_an_old_lock_are_written_past(refs: RefWriter) -> None:
    lock = refs.git_dir / f"{MAIN}.lock"
    for path in (refs.git_dir / MAIN, lock):
        path.write_text("garbage")
    os.utime(lock, (time.time() - 60,) * 2)
    assert [path for path, age in refs.locks() if age > 50] == [lock]
    refs.write(MAIN, ONE)
    assert (refs.find(MAIN), lock.exists(), refs.loose()) == (ONE, False, [MAIN])


def test_an_index(refs: RefWriter) -> None:
    assert not refs.index_is_garbage()
    clone = refs.git_dir.parent
    (clone / "x.md").write_text("x")
    subprocess.run(["git", "add", "."], cwd=clone, check=True)
    assert not refs.index_is_garbage()
    data = (refs.git_dir / "index").read_bytes()
    for spoiled in (b"", data[:-1], bytes(len(data)), data.replace(b"x.md", b"y.md"), data[:60] + bytes(20)):
        (refs.git_dir / "index").write_bytes(spoiled)
        assert refs.index_is_garbage()
    (refs.git_dir / "index").write_bytes(data[:-20] + bytes(20))
    assert not refs.index_is_garbage(), "git may be told to leave the hash out"
