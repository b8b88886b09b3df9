"""Who commits is what the user's own git says, and never a guess."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxrepo.errors import GitFailed
from ctxrepo.storage.git.committer import Committer, find_committer
from ctxrepo.storage.git.git import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    git = Git(tmp_path, dict(os.environ))
    git.ask("init", "-q", "-b", "main")
    return git


def test_identity_is_the_users_own(git: Git, home: Path) -> None:
    assert find_committer(git, {}) == Committer("Ada", "ada@example.org", signs=False)
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n")
    assert find_committer(git, {}) == Committer("", "", signs=False)


def test_a_name_of_the_clones_own_is_taken_and_nothing_about_signing(git: Git) -> None:
    own = {"user.name": "Ada at work", "user.email": "ada@work.example", "user.signingkey": "x"}
    assert find_committer(git, own) == Committer("Ada at work", "ada@work.example", signs=False)
    assert find_committer(git, {"user.email": "ada@work.example"}).name == "Ada"


def test_who_commits_is_never_guessed_when_git_gives_no_answer(git: Git, home: Path) -> None:
    (home / ".gitconfig").write_text("[user\n")
    with pytest.raises(GitFailed, match="who commits: fatal: bad config"):
        find_committer(git, {})
    (home / ".gitconfig").unlink()
    assert find_committer(git, {}) == Committer("", "", signs=False)
