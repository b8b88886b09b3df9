"""What is on disk beside the tree of a commit: the same differences as a look at every file finds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from owned import own_of

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Item
from ctxrepo.storage.worktree.disk import AllFiles, Differing, read_files, read_worktree
from ctxrepo.storage.worktree.stamps import Stamps
from ctxrepo.storage.worktree.worktree import Worktree

Files = dict[str, bytes]

FILES = st.dictionaries(
    st.sampled_from(["top.md", "a/x.md", "a/y.md", "a/b/x.md", "a.md", "c/b/x.md", "c/y.md", "c/d/e/z.md"]),
    st.sampled_from([b"", b"1", b"2"]),
)


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    subprocess.run(["git", "init", "-q", str(tmp_path / "clone")], check=True)
    return Objects(own_of(tmp_path / "clone"))


@pytest.fixture
def tree(objects: Objects, tmp_path: Path) -> Worktree:
    return Worktree(tmp_path / "clone", tmp_path / "scratch")


@pytest.fixture
def stamps(tmp_path: Path) -> Stamps:
    return Stamps(tmp_path / "stamps.db")


def stored(objects: Objects, files: Files) -> str:
    return objects.edit(None, {path: objects.store(data) for path, data in files.items()})


def write(tree: Worktree, files: Files) -> None:
    """Make the files on disk these, as another program does."""
    for path in tree.scan().files.keys() - files.keys():
        tree.remove(path)
    for path, data in files.items():
        tree.write(path, data)


def unequal(disk: Mapping[str, bytes], there: Mapping[str, bytes]) -> Differing:
    def ids(path: str) -> tuple[str | None, str | None]:
        first, second = disk.get(path), there.get(path)
        return None if first is None else blob_id(first), None if second is None else blob_id(second)

    return {path: ids(path) for path in disk.keys() | there.keys() if disk.get(path) != there.get(path)}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FILES, min_size=1, max_size=4), FILES)
def test_it_differs_in_just_what_is_not_the_same(
    objects: Objects, tree: Worktree, stamps: Stamps, states: list[Files], there: Files
) -> None:
    commit = stored(objects, there)
    for files in states:
        write(tree, files)
        top, skipped = read_worktree(stamps, tree)
        assert skipped == {}
        assert top.id == stored(objects, files)
        assert AllFiles(top).differing(objects, commit) == unequal(files, there)
        assert {*AllFiles(top).shared(objects, commit)} == files.keys() & there.keys()
        some, _ = read_files(tree, frozenset({*files, "a/y.md", "never.md"}))
        known = {p: d for p, d in there.items() if p in some.only}
        assert some.differing(objects, commit) == unequal(files, known)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILES, FILES, st.sets(st.sampled_from(["a", "a/b", "c/d", "c/d/e", "nowhere"])))
def test_outside_the_cone_only_what_is_on_disk_is_compared(
    objects: Objects, tree: Worktree, stamps: Stamps, files: Files, there: Files, folders: set[str]
) -> None:
    write(tree, files)
    cone = Cone.of(folders)
    known = {path: data for path, data in there.items() if cone.holds(path) or path in files}
    disk = AllFiles(read_worktree(stamps, tree)[0], cone)
    assert disk.differing(objects, stored(objects, there)) == unequal(files, known)


def test_a_folder_as_it_is_known_is_not_read_in_the_tree(
    objects: Objects, tree: Worktree, stamps: Stamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{folder}/{name}.md": b"1" for folder in "abc" for name in "xyz"}
    write(tree, files)
    commit = stored(objects, files | {"b/x.md": b"2"})
    differing = objects.key_at(commit, "b")
    read = list[str]()
    items = Objects.items

    def noted(objects: Objects, tree: str) -> dict[str, Item]:
        read.append(tree)
        return items(objects, tree)

    monkeypatch.setattr(Objects, "items", noted)
    assert AllFiles(read_worktree(stamps, tree)[0]).differing(objects, commit).keys() == {"b/x.md"}
    assert read == [commit, differing]


def test_what_can_not_be_read_is_told_and_is_not_there(
    tree: Worktree, stamps: Stamps, tmp_path: Path
) -> None:
    tree.write_all({"a/x.md": b"1", "b/y.md": b"1"})
    (tree.root / "a" / "nested" / ".git").mkdir(parents=True)
    (tree.root / "a" / "nested" / "n.md").write_bytes(b"x")
    (tree.root / "b" / "link.md").symlink_to(tmp_path)
    (tree.root / "con").mkdir()
    (tree.root / "con" / "x.md").write_bytes(b"x")
    for _ in range(2):
        top, skipped = read_worktree(stamps, tree)
        assert sorted(top.folders) == ["a", "b"]
        assert skipped == {
            "a/nested": "is a git repository of its own",
            "b/link.md": "is a symbolic link",
            "con": "has a name that Windows reserves",
        }


def test_folders_without_a_file_are_not_there(objects: Objects, tree: Worktree, stamps: Stamps) -> None:
    (tree.root / "a" / "b" / "c").mkdir(parents=True)
    assert read_worktree(stamps, tree)[0].id == stored(objects, {})
    tree.write("a/b/c/d.md", b"1")
    assert read_worktree(stamps, tree)[0].id == stored(objects, {"a/b/c/d.md": b"1"})
    os.unlink(tree.root / "a" / "b" / "c" / "d.md")
    assert read_worktree(stamps, tree)[0].id == stored(objects, {})
