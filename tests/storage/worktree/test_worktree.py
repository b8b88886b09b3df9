"""Files of the clone: whole or not at all, never through a link, never over an edit."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.errors import Refused
from ctxrepo.storage.disk.folders import Folders
from ctxrepo.storage.worktree.worktree import FileUpdate, Worktree


@pytest.fixture
def tree(tmp_path: Path) -> Worktree:
    root = tmp_path / "clone"
    root.mkdir()
    return Worktree(root, tmp_path / "scratch")


def test_what_is_written_is_read_back_and_leaves_no_temporary(tree: Worktree) -> None:
    tree.write("global/topics/build.md", b"- make\n")
    assert tree.read("global/topics/build.md") == b"- make\n"
    assert os.listdir(tree.root / "global/topics") == ["build.md"]


def test_many_files_at_once_are_all_there(tree: Worktree) -> None:
    files = {f"global/{n % 7}/{n}.md": b"%d" % n for n in range(100)}
    tree.write_all(files)
    assert {path: tree.read(path) for path in files} == files
    assert set(tree.scan().files) == set(files)


@pytest.mark.parametrize("path", ["../out.md", "/etc/out.md", "a/../../out.md", ".git/config", "a/.GIT/x"])
def test_a_path_that_leaves_the_clone_is_refused(tree: Worktree, path: str) -> None:
    with pytest.raises(Refused):
        tree.write(path, b"x")
    assert list(tree.root.rglob("*")) == []


def test_a_linked_folder_is_neither_read_nor_written_through(tree: Worktree, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "note.md").write_bytes(b"theirs")
    (tree.root / "global").symlink_to(outside)
    assert tree.read("global/note.md") is None
    with pytest.raises(Refused, match="not a folder"):
        tree.write("global/note.md", b"ours")
    assert (outside / "note.md").read_bytes() == b"theirs"


def test_a_linked_file_is_not_read_and_is_told_by_the_scan(tree: Worktree, tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"secret")
    (tree.root / "note.md").symlink_to(tmp_path / "victim")
    assert tree.read("note.md") is None
    assert tree.scan().skipped == {"note.md": "is a symbolic link"}


def test_a_pipe_is_never_opened_blocking(tree: Worktree) -> None:
    os.mkfifo(tree.root / "pipe.md")
    assert tree.read("pipe.md") is None
    assert "pipe.md" in tree.scan().skipped


def test_the_scan_passes_over_git_nested_clones_and_editors_leftovers(tree: Worktree) -> None:
    tree.write("global/MEMORY.md", b"x")
    for path in (".git/HEAD", "global/other/.git/HEAD", "global/other/n.md", "global/.MEMORY.md.swp"):
        file = tree.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x")
    assert set(tree.scan().files) == {"global/MEMORY.md"}


def test_evidence_is_seen_though_its_folder_is_hidden(tree: Worktree) -> None:
    for path in (".ctx/evidence/host-202611.jsonl", ".ctx/other.jsonl", ".obsidian/app.md"):
        tree.write(path, b"x")
    assert set(tree.scan().files) == {".ctx/evidence/host-202611.jsonl"}


def test_adopting_replaces_adds_and_removes(tree: Worktree) -> None:
    tree.write_all({"a.md": b"old", "b.md": b"going"})
    wanted = {
        "a.md": FileUpdate(blob_id(b"old"), b"new"),
        "b.md": FileUpdate(blob_id(b"going"), None),
        "c/d.md": FileUpdate(None, b"fresh"),
    }
    assert tree.update_unchanged(wanted) == frozenset()
    assert tree.replaced.late_writes() == []
    assert (tree.read("a.md"), tree.read("b.md"), tree.read("c/d.md")) == (b"new", None, b"fresh")


def test_adopting_leaves_alone_what_changed_since(tree: Worktree) -> None:
    tree.write_all({"a.md": b"edited since", "gone.md": b"x"})
    (tree.root / "dir.md").mkdir()
    wanted = {
        "a.md": FileUpdate(blob_id(b"old"), b"new"),
        "gone.md": FileUpdate(blob_id(b"other"), None),
        "dir.md": FileUpdate(None, b"new"),
    }
    assert tree.update_unchanged(wanted) == set(wanted)
    assert tree.read("a.md") == b"edited since"
    assert tree.read("gone.md") == b"x"
    assert (tree.root / "dir.md").is_dir()


def test_bytes_appended_to_the_old_file_during_adoption_come_back(
    tree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("a.md", b"old\n")
    with (tree.root / "a.md").open("ab") as editor:
        put = Worktree._put

        def slow_put(self: Worktree, folders: Folders, path: str, temporary: str) -> None:
            put(self, folders, path, temporary)
            editor.write(b"late\n")
            editor.flush()

        monkeypatch.setattr(Worktree, "_put", slow_put)
        tree.update_unchanged({"a.md": FileUpdate(blob_id(b"old\n"), b"new\n")})
    assert [(write.path, write.data) for write in tree.replaced.late_writes()] == [("a.md", b"old\nlate\n")]
    assert tree.read("a.md") == b"new\n"


def test_a_file_that_comes_while_the_disk_is_busy_with_ours_comes_back(
    tree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tree.root / "a.md"
    monkeypatch.setattr(os, "fsync", lambda _: file.exists() or file.write_bytes(b"- theirs\n"))
    tree.update_unchanged({"a.md": FileUpdate(None, b"- ours\n")})
    assert tree.read("a.md") == b"- ours\n"
    assert [(write.path, write.data) for write in tree.replaced.late_writes()] == [("a.md", b"- theirs\n")]


def test_removing_the_last_file_takes_its_empty_folders_along(tree: Worktree) -> None:
    tree.write("p/topics/a.md", b"x")
    tree.remove("p/topics/a.md")
    assert list(tree.root.iterdir()) == []


def test_a_full_disk_leaves_the_old_file_and_no_temporary(
    tree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("a.md", b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        tree.write("a.md", b"new")
    monkeypatch.undo()
    assert (tree.read("a.md"), os.listdir(tree.root), os.listdir(tree.scratch)) == (b"old", ["a.md"], [])


def test_what_a_killed_writer_left_is_cleared_by_the_next(tree: Worktree) -> None:
    tree.write("a.md", b"a")
    (tree.scratch / "0123456789abcdef").write_bytes(b"hal")
    tree.write("b.md", b"b")
    assert os.listdir(tree.scratch) == []


def test_a_file_that_an_editor_is_about_to_fill_is_waited_for(tree: Worktree) -> None:
    tree.write("a.md", b"- one\n")
    with (tree.root / "a.md").open("w") as editor, ThreadPoolExecutor() as pool:
        reading = pool.submit(tree.read_saved, "a.md")
        editor.write("- one\n- two\n")
        editor.flush()
        assert reading.result() == b"- one\n- two\n"
    tree.write("empty.md", b"")
    assert tree.read_saved("empty.md") == tree.read_saved("empty.md", was_empty=True) == b""
    assert tree.read_saved("gone.md") is None
