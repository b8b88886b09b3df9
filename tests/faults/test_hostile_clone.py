"""Hooks and configuration that somebody put into the clone or the home: nothing of it ever runs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from catalogue import arrived, heal, output_of, quiet_hooks, remember, sync
from machines import Machine

HOOKS = ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "pre-push", "post-checkout",
         "post-merge", "post-index-change", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman")  # fmt: skip

KEYS = {
    "core.fsmonitor": "{trap}",
    "core.pager": "{trap}",
    "core.editor": "{trap}",
    "core.askPass": "{trap}",
    "core.sshCommand": "{trap}",
    "core.gitProxy": "{trap}",
    "core.hooksPath": "{folder}",
    "core.alternateRefsCommand": "{trap}",
    "credential.helper": "!{trap}",
    "gpg.program": "{trap}",
    "filter.x.clean": "{trap}",
    "filter.x.smudge": "{trap}",
    "filter.x.process": "{trap}",
    "diff.external": "{trap}",
    "merge.x.driver": "{trap}",
    "alias.fetch": "!{trap}",
    "remote.origin.uploadpack": "{trap}",
    "remote.origin.receivepack": "{trap}",
    "include.path": "{folder}/more",
    "url.ext::{trap} .insteadOf": "{remote}",
}


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark when it is run."""
    folder = tmp_path / "trap"
    folder.mkdir()
    program = folder / "spring"
    program.write_text(f"#!/bin/sh\ntouch {folder}/sprung\n")
    program.chmod(0o755)
    (folder / "more").write_text(f"[core]\n\tsshCommand = {program}\n")
    return program


def is_sprung(trap: Path) -> bool:
    return (trap.parent / "sprung").exists()


def set_keys(file: Path, trap: Path, remote: Path) -> None:
    fill = {"trap": trap, "folder": trap.parent, "remote": remote}
    with file.open("a") as config:
        for name, value in KEYS.items():
            section, _, key = name.format(**fill).rpartition(".")
            section, dot, sub = section.partition(".")
            config.write(f"[{section}{f' {chr(34)}{sub}{chr(34)}' if dot else ''}]\n")
            config.write(f'\t{key} = "{value.format(**fill)}"\n')


def test_hooks_in_the_clone(mine: Machine, ben: Machine, remote: Path, git_dir: Path, trap: Path) -> None:
    (git_dir / "hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(trap, git_dir / "hooks" / name)
    remember(mine, "past the hooks")
    sync(mine)
    quiet_hooks(mine)
    output_of(mine.ctxrepo("doctor", "--fix"))
    assert not is_sprung(trap)
    shutil.rmtree(git_dir / "hooks")
    arrived(mine, ben, remote, "past the hooks", "committed here")


def test_configuration_of_the_clone(
    mine: Machine, ben: Machine, remote: Path, git_dir: Path, trap: Path
) -> None:
    before = (git_dir / "config").read_bytes()
    set_keys(git_dir / "config", trap, remote)
    (mine.clone / ".git/info").mkdir(exist_ok=True)
    (mine.clone / ".git/info/attributes").write_text("* filter=x merge=x diff=x\n")
    spoiled = (git_dir / "config").read_bytes()
    remember(mine, "past the keys")
    assert "held back: git stores it in another form (filter=x)" in sync(mine, 6)
    quiet_hooks(mine)
    assert "config sets core.sshcommand" in output_of(mine.ctxrepo("doctor"))
    words = output_of(mine.ctxrepo("doctor", "--fix"))
    assert f"took core.sshcommand out of {git_dir / 'config'}" in words
    (kept,) = git_dir.glob("ctxrepo/broken/*/config")
    assert kept.read_bytes() == spoiled
    assert set(before.split()) <= set((git_dir / "config").read_bytes().split())
    findings = mine.json("doctor")["data"]["findings"]
    assert not [f for f in findings if " sets " in f["problem"]]
    (mine.clone / ".git/info/attributes").unlink()
    sync(mine)
    assert not is_sprung(trap)
    arrived(mine, ben, remote, "past the keys", "committed here")


def test_configuration_of_the_home(mine: Machine, ben: Machine, remote: Path, trap: Path) -> None:
    """What a person set for all their repositories stays theirs; nothing that could run is run."""
    for words in (
        ("core.hooksPath", str(trap.parent)),
        ("core.autocrlf", "true"),
        ("core.excludesFile", str(trap)),
        ("core.fsmonitor", str(trap)),
        (f"url.ext::{trap} .insteadOf", str(remote)),
    ):
        mine.git("config", "--global", *words)
    remember(mine, "past the home")
    code = mine.ctxrepo("sync")
    assert code.returncode in (0, 5), output_of(code)
    quiet_hooks(mine)
    assert not is_sprung(trap)
    (mine.home / ".gitconfig").write_text("[user]\n\tname = ada\n\temail = ada@example.org\n")
    heal(mine)
    arrived(mine, ben, remote, "past the home", "committed here")


def test_git_variables_that_leaked_into_the_environment(
    mine: Machine, ben: Machine, remote: Path, tmp_path: Path, trap: Path
) -> None:
    leaked = {
        "GIT_DIR": str(tmp_path / "elsewhere"),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_SSH_COMMAND": str(trap),
        "GIT_EXTERNAL_DIFF": str(trap),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.sshCommand",
        "GIT_CONFIG_VALUE_0": str(trap),
    }
    there = Machine(mine.home, leaked)
    remember(there, "past the variables")
    sync(there)
    quiet_hooks(there)
    assert not is_sprung(trap)
    assert not (tmp_path / "elsewhere").exists()
    arrived(mine, ben, remote, "past the variables", "committed here")


def test_no_git_at_all(mine: Machine, ben: Machine, remote: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    there = Machine(mine.home, {"PATH": str(tmp_path / "bin")})
    remember(there, "without git")
    run = there.ctxrepo("sync")
    assert run.returncode in (0, 1, 5)
    assert "git could not be started" in output_of(run)
    quiet_hooks(there)
    assert "git could not be started" in output_of(there.ctxrepo("doctor"))
    output_of(there.ctxrepo("doctor", "--fix"))
    sync(mine)
    arrived(mine, ben, remote, "without git", "committed here")
    assert os.listdir(tmp_path / "bin") == []
