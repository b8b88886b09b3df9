"""The git directory of ours: what git reads in it is ours and the user's, what it writes is in the clone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from owned import own_of

from ctxrepo.storage.isolated.owngit import OwnGit

URL = "https://git.example.org/me/memory.git"


def git(root: Path, *words: str, data: str = "") -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True, input=data)
    return done.stdout.strip()


@pytest.fixture
def own(tmp_path: Path) -> OwnGit:
    root = tmp_path / "clone"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    return own_of(root, URL)


def test_what_it_reads_is_ours_and_the_users(own: OwnGit, home: Path) -> None:
    git(own.clone.root, "config", "core.editor", "theirs")
    git(own.clone.root, "config", "--global", "core.pager", "mine")
    output = own.git(dict(os.environ)).ask("config", "--list", "--show-origin")
    assert "theirs" not in output
    assert "core.pager=mine" in output
    assert f"remote.origin.url={URL}" in output
    assert f"file:{home}/.gitconfig" in output


def test_what_it_stores_is_in_the_clone_though_its_folders_were_gone(own: OwnGit) -> None:
    env = dict(os.environ)
    own.git(env)
    for folder in (own.clone.git_dir / "objects").glob("??"):
        if not any(folder.iterdir()):
            folder.rmdir()  # as `git gc` does
    oids = [
        own.git(env).run("hash-object", "-w", "--stdin", timeout=10, stdin=b"%d" % n).out.strip()
        for n in range(9)
    ]
    for n, oid in enumerate(oids):
        assert git(own.clone.root, "cat-file", "blob", oid) == str(n)


def test_what_somebody_wrote_into_it_is_put_right(own: OwnGit) -> None:
    env = dict(os.environ)
    own.git(env)
    before = (own.folder / "config").read_bytes()
    (own.folder / "config").write_text("[core]\n\tsshCommand = touch sprung\n")
    (own.folder / "objects/pack").unlink()
    (own.folder / "objects/pack").symlink_to("/nowhere")
    own.git(env)
    assert (own.folder / "config").read_bytes() == before
    assert (own.folder / "objects/pack").resolve() == own.clone.git_dir / "objects/pack"


def test_conditions_go_by_the_clones_place_and_nothing_of_it_is_read(own: OwnGit, home: Path) -> None:
    (home / "work").write_text("[user]\n\temail = ada@work.example\n")
    (home / "always").write_text("[core]\n\teditor = mine\n")
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[includeIf "gitdir:{own.clone.root}/"]\n\tpath = {home}/work\n')
        config.write(f'[includeIf "gitdir:/elsewhere/"]\n\tpath = {home}/always\n')
    for name in ("commondir", "config.worktree", "packed-refs"):
        os.mkfifo(own.clone.git_dir / name)
    (own.clone.git_dir / "config").unlink()
    os.mkfifo(own.clone.git_dir / "config")
    asked = own.git(dict(os.environ))
    assert asked.run("config", "user.email", timeout=5).out.strip() == "ada@work.example"
    assert asked.run("config", "core.editor", timeout=5).out == ""
