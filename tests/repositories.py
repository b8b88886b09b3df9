"""Builders: repositories for projects and remotes, made by pytest-git once per test process.

Each test gets a copy: that takes a millisecond, and no process.
"""

from __future__ import annotations

import atexit
import os
import shutil
from functools import cache
from pathlib import Path

import pytest
from pytest_git import GitRepo

BRANCH = "main"
_GIT_ENVIRONMENT = {"HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DEFAULT_HASH": "sha1"}
"""With these, neither the machine's settings nor a later git's defaults change a template."""


def make_checkout(folder: Path, origin: str = "") -> Path:
    """Make `folder` an empty repository on the branch `main`, with `origin` as its remote if there is one."""
    shutil.copytree(_template(origin).workspace / ".git", folder / ".git")
    return folder


def make_bare(folder: Path) -> Path:
    """Make `folder` an empty bare repository on the branch `main`, as a server has it."""
    shutil.copytree(_template("").workspace / "bare.git", folder)
    return folder


def is_plain(bare: Path) -> bool:
    """Whether a folder is a bare repository as `make_bare` configures it, without hooks."""
    config, made = bare / "config", _template("").workspace / "bare.git" / "config"
    is_configured = config.is_file() and config.read_bytes() == made.read_bytes()
    return is_configured and not any((bare / "hooks").iterdir())


@cache
def _template(origin: str) -> GitRepo:
    """A workspace that is an empty repository and holds a bare one in its folder `bare.git`."""
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            environment.delenv(name)
        for name, value in _GIT_ENVIRONMENT.items():
            environment.setenv(name, value)
        template = GitRepo()
        bare = template.api.init(template.workspace / "bare.git", bare=True)
        if origin:
            template.api.create_remote("origin", origin)
    for repository in (template.api, bare):
        Path(repository.git_dir, "HEAD").write_text(f"ref: refs/heads/{BRANCH}\n")
        for example in Path(repository.git_dir, "hooks").iterdir():
            example.unlink()  # which would be copied for each test
    template.workspace.chmod(0o755)  # some tests run as a user who is not root
    atexit.register(template.teardown)
    return template
