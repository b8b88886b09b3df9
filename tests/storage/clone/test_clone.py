"""The clone as a place: its id, its state, and what its own configuration may say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxrepo.errors import Damaged, NotInitialised, RepositoryState
from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.git.git import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    git = Git(tmp_path, dict(os.environ))
    git.ask("init", "-q", "-b", "main")
    return git


@pytest.fixture
def clone(git: Git) -> Clone:
    return Clone(git.folder, "main")


def test_the_id_is_kept_when_the_clone_moves_and_differs_between_clones(clone: Clone, tmp_path: Path) -> None:
    known = clone.repo_id()
    assert (len(known), clone.repo_id()) == (12, known)
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    tmp_path.rename(moved)
    assert Clone(moved, "main").repo_id() == known


def test_without_a_clone_the_way_to_one_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotInitialised) as caught:
        Clone(tmp_path / "none", "main").repo_id()
    assert "ctxrepo init" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "message"),
    [("MERGE_HEAD", "a merge"), ("rebase-merge", "a rebase"), ("BISECT_LOG", "a bisection")],
)
def test_what_a_person_left_unfinished_is_named(clone: Clone, name: str, message: str) -> None:
    clone.require_ready()
    (clone.git_dir / name).write_text("x")
    with pytest.raises(RepositoryState, match=message):
        clone.require_ready()


def test_another_branch_is_a_persons_and_a_missing_head_is_damage(clone: Clone, git: Git) -> None:
    git.ask("symbolic-ref", "HEAD", "refs/heads/idea")
    with pytest.raises(RepositoryState, match="on idea, not on main"):
        clone.require_ready()
    (clone.git_dir / "refs/ctxrepo").mkdir()
    (clone.git_dir / "refs/ctxrepo/wt").write_text("")
    with pytest.raises(
        RepositoryState
    ):  # what a person must do comes first: repair leaves their branch alone
        clone.require_ready()
    for spoil in (lambda head: head.write_text("garbage"), Path.unlink):
        spoil(clone.git_dir / "HEAD")
        with pytest.raises(Damaged, match=r"HEAD in .* can't be read"):
            clone.require_ready()
