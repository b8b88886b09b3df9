"""Versions of memory files that hooks put into the journal, as commands read them."""

from __future__ import annotations

import _sqlite3
import os
import re
import subprocess
from pathlib import Path

import pytest
from world import repo_with

from ctxrepo.domain.records.save import TOOL, Origin
from ctxrepo.hooks import saves as module
from ctxrepo.hooks.dialect import Event, TouchedFile
from ctxrepo.hooks.known.world import Repo
from ctxrepo.hooks.saves import MAX_VERSION, ToolVersion, save, version_of, why_too_large
from ctxrepo.storage.state.journal import Journal

NOTE = "shop/a.md"
EVENT = Event("claude", "PostToolUse", {"session": 's "1"\n日本'})


@pytest.fixture
def db() -> _sqlite3.Connection:
    return _sqlite3.connect(":memory:")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    (tmp_path / "memory/shop").mkdir(parents=True)
    (tmp_path / "state").mkdir(mode=0o700)
    return repo_with(tmp_path / "state", tmp_path / "memory")


def version(repo: Repo, wrote: str = "") -> ToolVersion | None:
    return version_of(repo, TouchedFile(f"{repo.home}/{NOTE}", "[]", wrote), NOTE)


def check_out(repo: Repo) -> str:
    """Make the clone's `wt` lead to a tree; returns its id."""
    words = ["git", "-C", repo.home]
    subprocess.run([*words, "init", "-q"], check=True)
    tree = subprocess.check_output([*words, "mktree"], input=b"").decode().strip()
    subprocess.run([*words, "update-ref", "refs/ctxrepo/wt", tree], check=True)
    return tree


def journal(repo: Repo) -> Journal:
    return Journal(Path(repo.state) / "journal")


def test_a_version_is_the_bytes_as_they_are_now_and_commands_read_them(
    db: _sqlite3.Connection, repo: Repo
) -> None:
    tree = check_out(repo)
    note = Path(repo.home, NOTE)
    for data in (b"\xff\x00one\nno end", b"two\n", b""):
        note.write_bytes(data)
        tool_version = version(repo)
        assert tool_version is not None
        assert save(db, repo, EVENT, tool_version) == ""
    note.write_bytes(b"another editor was here")
    kept = journal(repo).read()
    assert [save.after for save in kept] == [b"\xff\x00one\nno end", b"two\n", b""]
    assert {(save.path, save.base, save.op, save.by, save.tree) for save in kept} == {
        (NOTE, None, TOOL, Origin("", 's "1"\n日本', "claude"), tree)
    }
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", save.at) for save in kept)
    assert len({save.id for save in kept}) == 3
    assert journal(repo).unreadable() == []


def test_the_tree_is_found_where_git_has_packed_its_refs(repo: Repo) -> None:
    tree = check_out(repo)
    Path(repo.home, NOTE).write_text("one")
    git_dir = Path(repo.home, ".git")
    (git_dir / "refs/ctxrepo/wt").unlink()
    (git_dir / "packed-refs").write_text(
        f"# pack-refs with: peeled fully-peeled sorted \n{'1' * 40} refs/heads/main\n{tree} refs/ctxrepo/wt\n"
    )
    tool_version = version(repo)
    assert tool_version is not None
    assert tool_version.tree == tree


def test_where_gits_files_do_not_tell_no_tree_is_named(repo: Repo) -> None:
    Path(repo.home, NOTE).write_text("one")
    tool_version = version(repo)
    assert tool_version is not None
    assert (tool_version.data, tool_version.tree) == (b"one", "")


def test_what_the_agent_says_it_wrote_comes_first_and_no_tree_is_named_then(
    repo: Repo,
) -> None:
    tree = check_out(repo)
    Path(repo.home, NOTE).write_text("by the agent ☃")
    same = version(repo, "by the agent ☃")
    assert same is not None
    assert (same.data, same.tree) == ("by the agent ☃".encode(), tree)
    Path(repo.home, NOTE).write_text("another editor was faster")
    other = version(repo, "by the agent ☃")
    assert other is not None
    assert (other.data, other.tree) == ("by the agent ☃".encode(), "")
    Path(repo.home, NOTE).unlink()
    gone = version(repo, "by the agent ☃")
    assert gone is not None
    assert (gone.data, gone.tree) == ("by the agent ☃".encode(), "")


def test_what_is_no_small_regular_file_is_not_taken(repo: Repo, tmp_path: Path) -> None:
    note = Path(repo.home, NOTE)
    assert version(repo) is None
    note.mkdir()
    assert version(repo) is None
    note.rmdir()
    os.mkfifo(note)
    assert version(repo) is None
    note.unlink()
    (tmp_path / "elsewhere").write_text("x")
    note.symlink_to(tmp_path / "elsewhere")
    assert version(repo) is None
    note.unlink()
    note.write_bytes(b"x" * (MAX_VERSION + 1))
    assert version(repo) is None
    assert version(repo, "x" * (MAX_VERSION + 1)) is None
    note.write_bytes(b"x" * MAX_VERSION)
    tool_version = version(repo)
    assert tool_version is not None
    assert len(tool_version.data) == MAX_VERSION


def test_why_no_version_was_taken_is_said(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"x" * (MAX_VERSION + 1))
    assert why_too_large(str(note), "") == "it is larger than 1 MiB"
    assert why_too_large(str(tmp_path / "gone"), "x" * (MAX_VERSION + 1)) == "it is larger than 1 MiB"
    assert why_too_large(str(tmp_path / "gone"), "€" * (MAX_VERSION // 2)) == "it is larger than 1 MiB"
    assert why_too_large(str(tmp_path / "gone"), "") == ""
    note.write_bytes(b"x")
    assert why_too_large(str(note), "") == ""


def test_hooks_leave_room_for_commands_and_say_so(
    db: _sqlite3.Connection, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HOOKS_BYTES", 2 << 20)
    full = ToolVersion(NOTE, b"x" * MAX_VERSION, "")
    assert save(db, repo, EVENT, full) == ""
    assert (
        save(db, repo, EVENT, full)
        == "the journal can't be written: 2 MiB of saves wait for a commit already"
    )
    assert len(journal(repo).names()) == 1
    journal(repo).require_room()
    assert save(db, repo, EVENT, ToolVersion(NOTE, b"small", "")) == ""


def test_what_cannot_be_written_is_said_and_leaves_nothing(
    db: _sqlite3.Connection, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", failing)
        why = save(db, repo, EVENT, ToolVersion(NOTE, b"x", ""))
    assert why == "the journal can't be written: No space left on device"
    assert os.listdir(journal(repo).folder) == []
    journal(repo).folder.rmdir()
    journal(repo).folder.touch()
    assert "the journal can't be written" in save(db, repo, EVENT, ToolVersion(NOTE, b"x", ""))
