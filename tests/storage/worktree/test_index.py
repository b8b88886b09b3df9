"""The user's index follows HEAD: `git status` reads clean, and nothing staged takes anything back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from owned import own_of

from ctxrepo.storage.clone.reffiles import FOLLOWED
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.worktree.checkout import UserIndex


class World:
    """A clone in which commits are made as we make them: the branch first, then the index follows."""

    def __init__(self, root: Path) -> None:
        self.git = Git(root, dict(os.environ))
        self.git.ask("init", "-q", "-b", "main")
        self.root = root
        self.objects = Objects(own_of(root))
        self.index = UserIndex(root / ".git", self.objects, own_of(root).git(dict(os.environ)))
        (root / ".git/ctxrepo").mkdir()

    def commit(self, files: Mapping[str, str | None]) -> str:
        """Write files (None removes), commit them past the index, and return the tree."""
        for path, text in files.items():
            file = self.root / path
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        old = self.objects.ref("refs/heads/main")
        changes = {p: None if t is None else self.objects.store(t.encode()) for p, t in files.items()}
        tree = self.objects.edit(self.objects.tree_of(old), changes)
        parents = ["-p", old] if old else []
        commit = self.git.ask("commit-tree", *parents, "-m", "ours", tree).strip()
        assert self.objects.move_ref("refs/heads/main", commit, old)
        return tree

    def follow(self, files: Mapping[str, str | None]) -> None:
        self.index.follow(self.commit(files))

    def status(self) -> str:
        return self.git.ask("status", "--porcelain")

    def lock(self) -> Path:
        return self.root / ".git/index.lock"


@pytest.fixture
def world(tmp_path: Path) -> World:
    root = tmp_path / "clone"
    root.mkdir()
    world = World(root)
    world.follow({"a.md": "- a\n", "p/b.md": "- b\n"})
    return world


def test_it_reads_clean_after_every_kind_of_change(world: World) -> None:
    assert world.status() == ""
    for files in (
        {"a.md": "- a2\n"},
        {"q/new.md": "- new\n"},
        {"p/b.md": None},
        {"a.md": None},
        {"a.md/now-a-folder.md": "- x\n"},
        {"a.md/now-a-folder.md": None, "q/new.md": None, 'caf\u00e9 \u65e5\u672c/"odd".md': "- y\n"},
    ):
        for path in [p for p, text in files.items() if text is not None and (world.root / p).is_dir()]:
            (world.root / path).rmdir()
        world.follow(files)
        assert world.status() == "", files
        assert not (world.root / ".git/ctxrepo/index").exists()


def test_what_is_staged_stays_where_we_commit_nothing_and_is_overtaken_where_we_do(world: World) -> None:
    (world.root / "a.md").write_text("- staged\n")
    (world.root / "fresh.md").write_text("- fresh\n")
    world.git.ask("add", "a.md", "fresh.md")
    world.git.ask("rm", "-q", "--cached", "p/b.md")
    world.follow({"a.md": "- committed\n", "other.md": "- other\n"})
    assert world.git.ask("show", ":a.md") == "- committed\n"
    assert world.git.ask("show", ":fresh.md") == "- fresh\n"
    assert world.status().splitlines() == ["A  fresh.md", "D  p/b.md", "?? p/"]


def test_in_a_clone_that_was_there_before_us_staged_stays_too(world: World) -> None:
    world.git.ask("update-ref", "-d", FOLLOWED)
    (world.root / "a.md").write_text("- staged\n")
    world.git.ask("add", "a.md")
    world.follow({"p/b.md": "- b2\n"})
    assert world.status() == "M  a.md\n"


def test_a_commit_by_hand_between_two_of_ours_wedges_nothing(world: World) -> None:
    (world.root / "a.md").write_text("- by hand\n")
    world.git.ask("commit", "-qam", "by hand")
    world.follow({"a.md": "- edited at once\n"})
    world.follow({"later.md": "- later\n"})
    assert world.status() == ""


def test_staging_what_is_committed_next_reads_clean(world: World) -> None:
    (world.root / "a.md").write_text("- same\n")
    world.git.ask("add", "a.md")
    world.follow({"a.md": "- same\n"})
    assert world.status() == ""


def test_a_lock_of_somebody_else_is_left_and_waited_for(world: World) -> None:
    world.lock().write_text("theirs")
    before = (world.root / ".git/index").read_bytes()
    tree = world.commit({"a.md": "- a2\n"})
    world.index.follow(tree)
    assert world.lock().read_text() == "theirs"
    assert (world.root / ".git/index").read_bytes() == before
    assert world.objects.ref(FOLLOWED) != tree
    world.lock().unlink()
    world.index.follow(tree)
    assert world.status() == ""


def test_what_a_kill_left_of_ours_is_taken_away(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object) -> None:
        raise Killed

    tree = world.commit({"a.md": "- a2\n"})
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", kill)
        with pytest.raises(Killed):
            world.index.follow(tree)
    assert world.lock().exists()
    (world.root / ".git/ctxrepo/index.lock").touch()  # of a git that was killed at work on our copy
    world.index.follow(tree)
    assert not world.lock().exists()
    assert world.status() == ""


def test_staging_while_we_were_at_it_wins(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Git.run

    def racing(git: Git, *words: str, **how: Any) -> object:
        answer = run(git, *words, **how)
        if words[0] == "update-index":
            (world.root / "mine.md").write_text("- mine\n")
            run(world.git, "add", "mine.md", timeout=10)
        return answer

    tree = world.commit({"a.md": "- a2\n"})
    with monkeypatch.context() as patch:
        patch.setattr(Git, "run", racing)
        world.index.follow(tree)
    assert world.git.ask("show", ":mine.md") == "- mine\n"
    assert not world.lock().exists()
    world.index.follow(tree)
    assert world.status() == "A  mine.md\n"


@pytest.mark.parametrize("is_gone", [True, False])
def test_an_index_that_is_gone_or_empty_is_made_anew(world: World, is_gone: bool) -> None:
    index = world.root / ".git/index"
    index.unlink() if is_gone else index.write_bytes(b"")
    tree = world.objects.ref(FOLLOWED)
    assert tree is not None
    world.index.follow(tree)
    assert world.status() == ""
    index.unlink() if is_gone else index.write_bytes(b"")
    world.follow({"a.md": "- a2\n"})
    assert world.status() == ""


@pytest.mark.parametrize("damage", [lambda data: b"garbage", lambda data: data[:60] + b"\xff" + data[61:]])
def test_an_index_that_is_damaged_is_left_as_it_is_for_repair(
    world: World, damage: Callable[[bytes], bytes]
) -> None:
    index = world.root / ".git/index"
    index.write_bytes(spoiled := damage(index.read_bytes()))
    world.follow({"a.md": "- a2\n"})
    assert index.read_bytes() == spoiled
