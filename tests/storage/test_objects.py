"""Trees and commits built in memory, read back by the git executable."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from owned import own_of

from ctxrepo.errors import Damaged, GitFailed
from ctxrepo.storage.objects.objectfiles import loose_file
from ctxrepo.storage.objects.store import Author, Objects

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADA = Author("Ada", "ada@example.org")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    git(tmp_path, "init", "-q", "-b", "main", str(root))
    return root


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_tree_is_edited_in_place_and_git_agrees(clone: Path) -> None:
    objects = Objects(own_of(clone))
    store = objects.store
    before = objects.edit(None, {"a.md": store(b"a"), "p/x.md": store(b"x"), "p/y.md": store(b"y")})
    after = objects.edit(before, {"p/x.md": None, "p/y.md": store(b"Y"), "q/z.md": store(b"z")})
    assert git(clone, "ls-tree", "-r", "--name-only", after).split() == ["a.md", "p/y.md", "q/z.md"]
    assert objects.data(objects.files(after)["p/y.md"]) == b"Y"
    assert set(objects.diff(before, after)) == {"p/x.md", "p/y.md", "q/z.md"}


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ({"a": b"file"}, {"a": None, "a/b.md": b"x"}, ["a/b.md"]),
        ({"a/b.md": b"x"}, {"a/b.md": None, "a": b"file"}, ["a"]),
        ({"a/b/c.md": b"x", "d.md": b"y"}, {"a/b/c.md": None}, ["d.md"]),
        ({"a.md": b"x"}, {"a.md": None}, []),
        ({}, {"not/there.md": None}, []),
    ],
)
def test_files_and_folders_may_change_places(
    clone: Path, before: dict[str, bytes], changes: dict[str, bytes | None], after: list[str]
) -> None:
    objects = Objects(own_of(clone))
    tree = objects.edit(None, objects.store_files(before))
    edited = objects.edit(tree, objects.store_files(changes))
    assert sorted(objects.files(edited)) == after


def test_a_ref_moves_only_from_where_it_is(clone: Path) -> None:
    objects = Objects(own_of(clone))
    tree = objects.edit(None, {"a.md": objects.store(b"a")})
    first = objects.commit(tree, [], "one", ADA, NOW)
    second = objects.commit(tree, [first], "two", ADA, NOW)
    assert objects.move_ref("refs/heads/main", first, None)
    assert not objects.move_ref("refs/heads/main", second, None)
    assert not objects.move_ref("refs/heads/main", first, second)
    assert objects.move_ref("refs/heads/main", second, first)
    assert git(clone, "log", "--format=%s %an <%ae>", "main") == (
        "two Ada <ada@example.org>\none Ada <ada@example.org>"
    )


def test_links_and_odd_names_pass_through_an_edit_untouched(clone: Path) -> None:
    (clone / "link").symlink_to("/etc/passwd")
    (clone / "note.md").write_text("x")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "by hand")
    objects = Objects(own_of(clone))
    tree = objects.tree_of(objects.ref("refs/heads/main"))
    files = objects.files(tree)
    assert files["link"].startswith("120000:")
    edited = objects.edit(tree, {"note.md": objects.store(b"y"), "copy": files["link"]})
    assert git(clone, "ls-tree", edited, "link", "copy").count("120000 blob") == 2


def test_what_is_missing_is_said_by_name(clone: Path) -> None:
    with pytest.raises(GitFailed, match="file ffff"):
        Objects(own_of(clone)).data("f" * 40)
    with pytest.raises(GitFailed, match="is gone"):
        Objects(own_of(clone / "nowhere"))


def test_the_names_in_a_folder_are_told_with_their_keys(clone: Path) -> None:
    objects = Objects(own_of(clone))
    key = objects.store(b"a")
    tree = objects.edit(None, {"a.md": key, "p/x.md": key, "p/q/y.md": key})
    assert objects.names_in(tree, "") == {"a.md": key, "p": None}
    assert objects.names_in(tree, "p") == {"x.md": key, "q": None}
    assert [objects.names_in(*where) for where in ((tree, "none"), (tree, "a.md"), (None, ""))] == [{}] * 3


def test_an_object_that_was_cut_short_is_damage_wherever_it_is_met(clone: Path) -> None:
    """libgit2 itself would read it for ever."""
    objects = Objects(own_of(clone))
    blob = objects.store(b"a line\n" * 200)
    tree = objects.edit(None, {"a.md": blob})
    first = objects.commit(tree, [], "one " * 50, ADA, NOW)
    second = objects.commit(tree, [first], "two", ADA, NOW)
    for oid in (blob, tree, first):
        file = Path(loose_file(clone / ".git", oid))
        file.chmod(0o644)
        file.write_bytes(file.read_bytes()[:-12])
    there = Objects(own_of(clone))
    assert there.find(tree, "a.md") is None
    for read in (
        lambda: there.data(blob),
        lambda: there.files(tree),
        lambda: there.tree_of(first),
        lambda: there.contains(second, first),
        lambda: there.merge_base(second, first),
        lambda: list(there.new_commits(second, None)),
    ):
        with pytest.raises(Damaged, match="it was cut short"):
            read()


def test_a_clone_without_head_is_not_looked_for_in_the_folders_above(clone: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (clone / ".git/HEAD").unlink()
    key = Objects(own_of(clone)).store(b"a")
    assert Path(loose_file(clone / ".git", key)).exists()
    assert not Path(loose_file(tmp_path / ".git", key)).exists()


def test_many_files_are_on_the_disk_before_they_count(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = Objects(own_of(clone))
    synced: list[int] = []
    monkeypatch.setattr(os, "sync", lambda: synced.append(len(list((clone / ".git/objects").glob("??/*")))))
    few = objects.store_files({f"{n}.md": b"few %d" % n for n in range(3)})
    assert synced == []  # each by an fsync of its own
    many = objects.store_files({"gone.md": None, **{f"{n}.md": b"many %d" % n for n in range(100)}})
    assert synced == [103]
    assert many.pop("gone.md") is None
    assert objects.data(few["1.md"] or "") == b"few 1"
    assert {path: objects.data(key or "") for path, key in many.items()}["99.md"] == b"many 99"


def test_a_file_goes_though_nothing_comes_where_its_folder_would_be(clone: Path) -> None:
    objects = Objects(own_of(clone))
    key = objects.store(b"1")
    tree = objects.edit(None, {"a.md": key, "b.md": key})
    assert objects.files(objects.edit(tree, {"a.md": None, "a.md/inside.md": None})) == {"b.md": key}
