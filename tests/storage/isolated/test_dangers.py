"""What in a clone could harm a person who runs their own git there."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.isolated.dangers import dangers, remove_dangers

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    subprocess.run(["git", "init", "-q", "-b", "main", "--template=", str(tmp_path / "c")], check=True)
    return Clone(tmp_path / "c", "main")


def configure(clone: Clone, *words: str) -> None:
    subprocess.run(["git", "config", "--file", str(clone.git_dir / "config"), *words], check=True)


def told(clone: Clone) -> list[str]:
    """The name of each file that is told of, with the key."""
    keys = dangers(clone, dict(os.environ))
    return [f"{d.file.relative_to(clone.git_dir)} {d.key}".strip() for d in keys]


def test_an_ordinary_clone_holds_none(clone: Clone) -> None:
    for key, value in {
        "remote.origin.url": "https://git.example.org/me/memory.git",
        "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
        "branch.main.remote": "origin",
        "branch.main.merge": "refs/heads/main",
        "user.name": "Ada",
        "commit.gpgsign": "true",
        "core.autocrlf": "false",
        "core.hooksPath": os.devnull,
        "remote.origin.gh-resolved": "base",
        "pull.rebase": "true",
        "push.default": "simple",
        "gc.auto": "0",
    }.items():
        configure(clone, key, value)
    assert told(clone) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.sshCommand", "sh -c 'touch sprung'"),
        ("core.fsmonitor", "touch sprung"),
        ("core.hooksPath", "/tmp/hooks"),
        ("core.autocrlf", "true"),
        ("credential.helper", "!touch sprung"),
        ("include.path", "/tmp/other"),
        ("includeIf.gitdir:/.path", "/tmp/other"),
        ("filter.x.clean", "touch sprung"),
        ("alias.status", "!touch sprung"),
        ("url.ext::sh.insteadOf", "https://git.example.org"),
        ("remote.origin.uploadpack", "touch sprung"),
        ("remote.https://git.example.org/me/memory.git.url", "https://evil.example/x.git"),
        ("remote./srv/memory.git.pushurl", "/srv/other.git"),
        ("remote.pushDefault", "other"),
        ("branch.main.pushRemote", "https://evil.example/x.git"),
        ("branch.main.remote", "/srv/other.git"),
        ("push.recurseSubmodules", "on-demand"),
        ("pull.twohead", "mine"),
        ("gc.recentObjectsHook", "touch sprung"),
        ("gpg.program", "touch sprung"),
        ("http.proxy", "http://evil.example"),
    ],
)
@pytest.mark.parametrize("name", ["config", "config.worktree"])
def test_a_key_that_could_run_a_program_or_lead_astray_is_told_and_taken_out(
    clone: Clone, key: str, value: str, name: str
) -> None:
    file = clone.git_dir / name
    subprocess.run(["git", "config", "--file", str(file), key, value], check=True)
    before = file.read_bytes()
    assert [line.lower() for line in told(clone)] == [f"{name} {key}".lower()]
    broken = Broken.at(clone.git_dir, NOW)
    assert len(list(remove_dangers(clone, dict(os.environ), broken))) == 1
    assert told(clone) == []
    assert (broken.folder / name).read_bytes() == before
    assert not (clone.root / "sprung").exists()


def test_includes_are_told_and_not_followed(clone: Clone, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "other")  # who opens it waits for ever
    configure(clone, "include.path", str(tmp_path / "other"))
    assert told(clone) == ["config include.path"]


def test_a_second_address_and_one_for_pushes_are_told_and_left(clone: Clone) -> None:
    configure(clone, "remote.origin.url", "https://git.example.org/me/memory.git")
    configure(clone, "--add", "remote.origin.url", "https://evil.example/x.git")
    configure(clone, "remote.other.pushurl", "https://evil.example/x.git")
    expected = ["config remote.origin.url", "config remote.other.pushurl"]
    assert told(clone) == expected
    assert list(remove_dangers(clone, dict(os.environ), Broken.at(clone.git_dir, NOW))) == []
    assert told(clone) == expected


def test_another_common_directory_is_told_and_moved_aside(clone: Clone, tmp_path: Path) -> None:
    (clone.git_dir / "commondir").write_text(f"{tmp_path}\n")
    assert told(clone) == ["commondir"]
    broken = Broken.at(clone.git_dir, NOW)
    assert [d.file.name for d in remove_dangers(clone, dict(os.environ), broken)] == ["commondir"]
    assert told(clone) == []
    assert (broken.folder / "commondir").read_text() == f"{tmp_path}\n"


@pytest.mark.parametrize(
    "name", ["objects/info/alternates", "objects/info/http-alternates", "hooks/post-checkout", "modules"]
)
def test_files_by_which_git_goes_elsewhere_or_runs_something_are_told(clone: Clone, name: str) -> None:
    (clone.git_dir / name).parent.mkdir(exist_ok=True)
    (clone.git_dir / name).write_text("/elsewhere\n")
    assert told(clone) == [name]


def test_attributes_of_others_are_told_and_ours_are_not(clone: Clone) -> None:
    file = clone.git_dir / "info" / "attributes"
    file.parent.mkdir(exist_ok=True)
    file.write_text("# why\n*.md merge=ctxrepo\n\nctxrepo.toml merge=ctxrepo\n")
    assert told(clone) == []
    file.write_text("*.md filter=spy\n")
    assert told(clone) == ["info/attributes"]


@pytest.mark.parametrize("name", ["info", "info/attributes"])
def test_attributes_behind_a_link_are_told_by_their_place_and_never_by_what_they_say(
    clone: Clone, tmp_path: Path, name: str
) -> None:
    (clone.git_dir / "info").mkdir(exist_ok=True)
    (clone.git_dir / "info" / "attributes").write_text("*.md filter=spy\n")
    (clone.git_dir / name).rename(tmp_path / "there")
    (clone.git_dir / name).symlink_to(tmp_path / "there")
    assert told(clone) == [name]


def test_a_linked_worktree_is_none_unless_it_leads_elsewhere(clone: Clone, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=clone.root, check=True, capture_output=True)

    git("commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", str(tmp_path / "tree"))
    assert told(clone) == []
    own = clone.git_dir / "worktrees" / "tree"
    (own / "commondir").write_text(f"{tmp_path}\n")
    (own / "gitdir").write_text(f"{tmp_path}/nowhere/.git\n")
    (own / "config.worktree").write_text("[core]\n\tsshCommand = touch sprung\n")
    assert told(clone) == [
        "worktrees/tree/config.worktree core.sshcommand",
        "worktrees/tree/commondir",
        "worktrees/tree/gitdir",
    ]


def test_what_is_no_file_is_not_waited_for(clone: Clone) -> None:
    for name in ("info/attributes", "commondir"):
        (clone.git_dir / name).parent.mkdir(exist_ok=True)
        os.mkfifo(clone.git_dir / name)
    assert told(clone) == ["commondir"]
