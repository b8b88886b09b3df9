"""The git executable under our guard: no prompt, no leak, no hang, nobody else's program."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ctxrepo.domain.secrets import redact
from ctxrepo.errors import GitFailed
from ctxrepo.storage.git.git import Git, Watch


@pytest.fixture
def git(tmp_path: Path) -> Git:
    git = Git(tmp_path, dict(os.environ))
    git.ask("init", "-q", "-b", "main")
    return git


def test_variables_that_steer_git_or_hold_secrets_do_not_reach_it(git: Git, tmp_path: Path) -> None:
    leaky = {**os.environ, "GIT_DIR": "/nowhere", "ANTHROPIC_API_KEY": "k", "GITHUB_TOKEN": "t"}
    steered = Git(tmp_path, leaky)
    assert Path(steered.ask("rev-parse", "--absolute-git-dir").strip()) == tmp_path / ".git"
    shown = steered.ask("-c", "alias.env=!env", "env")
    assert "ANTHROPIC_API_KEY" not in shown
    assert "GITHUB_TOKEN" not in shown


def test_hooks_of_the_clone_and_file_system_monitors_never_run(git: Git, tmp_path: Path) -> None:
    trap = tmp_path / ".git" / "hooks" / "post-checkout"
    trap.parent.mkdir(exist_ok=True)
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    git.ask("config", "core.fsmonitor", f"touch {tmp_path}/sprung")
    (tmp_path / "a.md").write_text("x")
    git.ask("add", "a.md")
    git.ask("-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x")
    git.ask("checkout", "-q", "-b", "other")
    assert not (tmp_path / "sprung").exists()


def test_other_protocols_are_not_spoken(git: Git) -> None:
    for url in ("ext::sh -c touch% sprung", "git://127.0.0.1:1/x", "http://127.0.0.1:1/x", "/somewhere"):
        answer = git.run("ls-remote", url, timeout=5)
        assert not answer.ok
        assert "not allowed" in answer.err


def test_a_process_that_hangs_is_ended_with_its_children(git: Git, tmp_path: Path) -> None:
    began = time.monotonic()
    answer = git.run("-c", f"alias.hang=!sleep 60 & echo $! > {tmp_path}/pid; wait", "hang", timeout=0.5)
    assert (answer.code, answer.reason) == (None, "no answer in time")
    assert time.monotonic() - began < 20
    child = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 20
    while Path(f"/proc/{child}/cmdline").exists() and time.monotonic() < end:
        if not Path(f"/proc/{child}/cmdline").read_bytes():
            break  # ended, and not yet collected by init
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{child}").exists()


def test_a_failed_question_is_one_redacted_line(git: Git) -> None:
    with pytest.raises(GitFailed) as caught:
        git.ask("fetch", "https://me:hunter2secret@127.0.0.1:1/x.git")
    assert "hunter2secret" not in caught.value.message
    assert "\n" not in caught.value.message


def test_redaction_takes_credentials_and_control_characters() -> None:
    text = redact("at https://me:pw@h/x and ssh://git@h/y \x1b[31mred\x07")
    assert text == "at https://…@h/x and ssh://…@h/y red"


@pytest.mark.parametrize("password", ["pw-7291", "p@w-7291", "p/w-7291", "p:w@7291/x"])
def test_no_part_of_a_password_is_left(password: str) -> None:
    assert redact(f"fatal: 'https://me:{password}@h/x' no") == "fatal: 'https://…@h/x' no"


def test_a_credential_without_an_address_is_told_by_its_shape() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    assert token not in redact(f"remote: denied for {token}\nAuthorization: Bearer {token}")


def test_addresses_without_a_password_stay_whole() -> None:
    for url in ("https://h:8443/x@y", "git@h:x.git", "https://h/x"):
        assert redact(f"at {url} it is") == f"at {url} it is"


def test_progress_is_told_in_whole_lines(git: Git) -> None:
    heard: list[str] = []
    script = "!printf 'at https://me:p' >&2; sleep 0.3; printf 'w@h/\\rnext\\n' >&2"
    git.run("-c", f"alias.talk={script}", "talk", timeout=10, watch=Watch(progress=heard.append))
    assert "".join(heard) == "at https://…@h/\nnext\n"


def test_without_git_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="git could not be started"):
        Git(tmp_path, {"PATH": ""}).ask("version")
