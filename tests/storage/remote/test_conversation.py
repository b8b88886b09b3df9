"""Conversations with a remote: bounded, without force, and told by one word."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from owned import own_of

from ctxrepo.storage.remote.conversation import Remote, clone


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(root: Path, message: str) -> str:
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def ours(tmp_path: Path, remote: Path) -> Remote:
    """A clone of the empty remote."""
    return cloned(tmp_path / "ours", remote)


def cloned(root: Path, remote: Path) -> Remote:
    answer = clone(str(remote), root, dict(os.environ), None, 10)
    assert answer.ok, answer
    git(root, "symbolic-ref", "HEAD", "refs/heads/main")
    return Remote(own_of(root, str(remote)), dict(os.environ), timeout=10)


def at(remote: Remote, url: str, **other: Any) -> Remote:
    return replace(remote, own=replace(remote.own, url=url), **other)


def test_an_empty_remote_is_no_failure(ours: Remote) -> None:
    answer = ours.fetch()
    assert (answer.outcome, answer.reason) == ("ok", "the remote is empty")


def test_what_is_pushed_is_fetched(ours: Remote, tmp_path: Path, remote: Path) -> None:
    theirs = cloned(tmp_path / "theirs", remote)
    made = commit(ours.clone.root, "first")
    assert ours.push(made).ok
    assert theirs.fetch().ok
    assert git(theirs.clone.root, "rev-parse", theirs.clone.upstream_ref) == made
    assert not (theirs.clone.git_dir / "FETCH_HEAD").exists()


def test_a_push_never_takes_anything_back(ours: Remote, tmp_path: Path, remote: Path) -> None:
    theirs = cloned(tmp_path / "theirs", remote)
    first = commit(ours.clone.root, "ours")
    assert ours.push(first).ok
    answer = theirs.push(commit(theirs.clone.root, "theirs"))
    assert (answer.outcome, answer.is_worth_retrying) == ("overtaken", True)
    assert git(remote, "rev-parse", "main") == first


def test_history_that_a_remote_rewrote_arrives_beside_ours(
    ours: Remote, remote: Path, tmp_path: Path
) -> None:
    ours.push(commit(ours.clone.root, "first"))
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", str(remote), str(other)], check=True)
    git(other, "commit", "-q", "--amend", "--allow-empty", "-m", "rewritten")
    git(other, "push", "-qf", "origin", "main")
    assert ours.fetch().ok
    assert git(ours.clone.root, "rev-parse", ours.clone.upstream_ref) == git(other, "rev-parse", "HEAD")
    assert git(ours.clone.root, "log", "-1", "--format=%s", "main") == "first"


def test_a_remote_that_is_gone_or_refuses_is_told_apart(ours: Remote, remote: Path) -> None:
    made = commit(ours.clone.root, "x")
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'use a pull request'\nexit 1\n")
    hook.chmod(0o755)
    refused = ours.push(made)
    assert (refused.outcome, refused.reason) == ("protected", "remote: use a pull request")
    remote.rename(remote.with_name("gone.git"))
    assert ours.fetch().outcome == "missing"
    assert ours.push(made).outcome == "missing"


@pytest.fixture
def hanging() -> Iterator[str]:
    """The address of a server that takes the call and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        # The kernel takes the call without anybody answering it.
        yield f"https://127.0.0.1:{server.getsockname()[1]}/x.git"


@pytest.mark.slow
def test_a_server_that_hangs_is_given_up(ours: Remote, hanging: str) -> None:
    begun = time.monotonic()
    answer = at(ours, hanging, timeout=1).fetch()
    assert (answer.outcome, answer.reason) == ("timeout", "no answer in time")
    assert time.monotonic() - begun < 20


def test_nobody_listening_is_offline(ours: Remote) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    answer = at(ours, f"https://127.0.0.1:{port}/x.git").fetch()
    assert (answer.outcome, answer.is_worth_retrying) == ("offline", False)


@pytest.mark.parametrize("key", ["core.sshCommand", "credential.helper", "url.ext::x.insteadOf", "alias.x"])
def test_what_the_clones_own_configuration_names_is_never_run(ours: Remote, tmp_path: Path, key: str) -> None:
    made = commit(ours.clone.root, "first")
    git(ours.clone.root, "config", key, f"touch {tmp_path / 'pwned'}")
    assert ours.push(made).ok
    assert ours.fetch().ok
    assert not (tmp_path / "pwned").exists()


def test_a_clone_brings_everything_and_checks_nothing_out(ours: Remote, tmp_path: Path, remote: Path) -> None:
    (ours.clone.root / "note.md").write_text("- x\n")
    git(ours.clone.root, "add", "note.md")
    ours.push(commit(ours.clone.root, "with a file"))
    (tmp_path / "copy").mkdir()  # an empty folder may be there
    copy = cloned(tmp_path / "copy", remote)
    assert sorted(p.name for p in copy.clone.root.iterdir()) == [".git"]
    assert git(copy.clone.root, "show", "HEAD:note.md") == "- x"


def test_a_clone_that_fails_leaves_nothing(tmp_path: Path) -> None:
    home = tmp_path / "place"
    answer = clone(str(tmp_path / "none.git"), home / "memory", dict(os.environ), None, 10)
    assert answer.outcome == "missing"
    assert list(home.iterdir()) == []


def test_a_clone_tells_of_its_progress(tmp_path: Path, remote: Path, ours: Remote) -> None:
    ours.push(commit(ours.clone.root, "x"))
    heard: list[str] = []
    answer = clone(f"file://{remote}", tmp_path / "copy", dict(os.environ), heard.append, 10)
    assert answer.ok
    assert "Receiving objects" in "".join(heard)


def test_a_clone_of_an_empty_remote_says_nothing_in_gits_words(tmp_path: Path, remote: Path) -> None:
    heard: list[str] = []
    assert clone(str(remote), tmp_path / "copy", dict(os.environ), heard.append, 10).ok
    assert heard == [f"asking {remote}"]


@pytest.fixture
def ssh(tmp_path: Path) -> Path:
    """Stands for ssh: writes down that it was called, and can't connect."""
    script = tmp_path / "ssh"
    script.write_text(
        f"#!/bin/sh\ntouch '{tmp_path}/called'\necho 'Permission denied (publickey).' >&2\nexit 255\n"
    )
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("url", ["ssh://git@host.invalid/me/memory.git", "git@host.invalid:me/memory.git"])
def test_how_to_reach_a_remote_comes_from_the_users_git_and_not_from_the_environment(
    ours: Remote, ssh: Path, url: str
) -> None:
    env = {**os.environ, "GIT_SSH_COMMAND": str(ssh)}
    there = at(ours, url, env={**env, "PATH": f"{ssh.parent}/none:{env['PATH']}"})
    git(ours.clone.root, "config", "--global", "core.sshCommand", "false")
    answer = there.fetch()
    assert not (ssh.parent / "called").exists()
    assert "doesn't pass GIT_SSH_COMMAND on to git; `git config --global core.sshCommand`" in answer.next_step
    git(ours.clone.root, "config", "--global", "core.sshCommand", str(ssh))
    assert there.fetch().outcome == "auth"
    assert (ssh.parent / "called").exists()


def test_a_clone_tells_what_of_the_environment_was_not_heard(tmp_path: Path, ssh: Path) -> None:
    git(tmp_path, "config", "--global", "core.sshCommand", "false")
    env = {**os.environ, "GIT_SSH_COMMAND": str(ssh)}
    assert (
        "GIT_SSH_COMMAND" in clone("git@host.invalid:m.git", tmp_path / "new", env, None, 10).ignored_variable
    )
    assert clone(str(tmp_path / "none"), tmp_path / "new", env, None, 10).ignored_variable == ""
