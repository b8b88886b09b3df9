"""Files that were replaced while somebody had them open: what is written to them later is found."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.storage.worktree import worktree as module
from ctxrepo.storage.worktree.worktree import LateWrite, ReplacedFiles


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, ReplacedFiles]:
    file = tmp_path / "a.md"
    file.write_bytes(b"- one\n")
    return file, ReplacedFiles(tmp_path / "replaced")


def replace(file: Path, kept: ReplacedFiles, data: bytes) -> None:
    kept.keep(file, file.name, blob_id(file.read_bytes()), time.time())
    new = file.with_suffix(".new")
    new.write_bytes(data)
    new.rename(file)


def test_what_an_open_editor_writes_afterwards_is_found_until_it_is_settled(
    place: tuple[Path, ReplacedFiles],
) -> None:
    file, kept = place
    with file.open("ab") as editor:
        replace(file, kept, b"- two\n")
        assert kept.late_writes() == []
        editor.write(b"- late\n")
    late = [LateWrite("a.md", blob_id(b"- one\n"), b"- one\n- late\n")]
    assert kept.late_writes() == kept.late_writes() == late
    kept.forget(late)
    assert kept.late_writes() == []


def test_what_is_written_after_that_is_told_from_there(place: tuple[Path, ReplacedFiles]) -> None:
    file, kept = place
    with file.open("ab") as editor:
        replace(file, kept, b"- two\n")
        editor.write(b"- late\n")
        editor.flush()
        kept.forget(kept.late_writes())
        editor.write(b"- later\n")
    assert kept.late_writes() == [LateWrite("a.md", blob_id(b"- one\n- late\n"), b"- one\n- late\n- later\n")]


def test_nothing_is_kept_for_ever(place: tuple[Path, ReplacedFiles], monkeypatch: pytest.MonkeyPatch) -> None:
    file, kept = place
    replace(file, kept, b"- two\n")
    (kept.folder / "left-by-a-kill").write_bytes(b"x")
    monkeypatch.setattr(module, "KEPT", 0.0)
    time.sleep(0.01)
    kept.forget([])
    assert os.listdir(kept.folder) == ["list.jsonl"]
    assert kept.late_writes() == []


@pytest.mark.parametrize(
    "line", ["", "null", '{"path": 1}', '{"path":"a","id":"b","name":"../../a.md","at":0}']
)
def test_a_list_that_a_kill_tore_is_read_as_far_as_it_goes(
    place: tuple[Path, ReplacedFiles], line: str
) -> None:
    file, kept = place
    with file.open("ab") as editor:
        replace(file, kept, b"- two\n")
        with (kept.folder / "list.jsonl").open("a") as lines:
            lines.write(line + "\n")
        editor.write(b"- late\n")
    assert [late.data for late in kept.late_writes()] == [b"- one\n- late\n"]


def test_two_that_were_the_same_when_they_were_replaced_are_both_settled(
    place: tuple[Path, ReplacedFiles],
) -> None:
    file, kept = place
    with file.open("ab") as first:
        replace(file, kept, b"- one\n")
        with file.open("ab") as second:
            replace(file, kept, b"- two\n")
            first.write(b"- by the first\n")
            second.write(b"- by the second\n")
    assert len(kept.late_writes()) == 2
    kept.forget(kept.late_writes())
    assert kept.late_writes() == []


def test_what_was_written_before_it_was_held_and_after_it_was_looked_at_is_found(
    place: tuple[Path, ReplacedFiles],
) -> None:
    file, kept = place
    seen, since = blob_id(file.read_bytes()), time.time()
    file.write_bytes(b"- one\n- just then\n")
    time.sleep(0.1)  # as long as a slow disk takes to keep what is to come in its place
    kept.keep(file, file.name, seen, since)
    assert [late.data for late in kept.late_writes()] == [b"- one\n- just then\n"]


def test_what_is_written_after_the_clock_was_put_back_is_found(place: tuple[Path, ReplacedFiles]) -> None:
    file, kept = place
    with file.open("ab") as editor:
        replace(file, kept, b"- two\n")
        editor.write(b"- late\n")
        editor.flush()
        os.utime(editor.fileno(), (time.time() - 3600,) * 2)
    assert [late.data for late in kept.late_writes()] == [b"- one\n- late\n"]


def test_what_an_editor_renamed_into_place_while_the_disk_was_busy_is_found(
    place: tuple[Path, ReplacedFiles],
) -> None:
    file, kept = place
    saved = file.with_suffix(".saved")
    saved.write_bytes(b"- one\n- just then\n")
    os.utime(saved, (1, 1))  # written long before we looked, and renamed only now
    seen, since = blob_id(file.read_bytes()), time.time()
    saved.rename(file)
    kept.keep(file, file.name, seen, since)
    assert [late.data for late in kept.late_writes()] == [b"- one\n- just then\n"]


def test_a_link_that_came_into_the_place_of_a_file_is_not_followed(place: tuple[Path, ReplacedFiles]) -> None:
    file, kept = place
    seen = blob_id(file.read_bytes())
    elsewhere = file.with_name("elsewhere")
    elsewhere.write_bytes(b"not yours\n")
    file.unlink()
    file.symlink_to(elsewhere)
    kept.keep(file, file.name, seen, time.time())
    assert kept.late_writes() == []
