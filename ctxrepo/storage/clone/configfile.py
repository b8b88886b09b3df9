"""One file of a git configuration, read and changed by itself: nothing that it includes or names is read."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.errors import GitFailed
from ctxrepo.hooks.files.small_files import bytes_of
from ctxrepo.storage.disk.kinds import kind_of

if TYPE_CHECKING:
    from ctxrepo.storage.git.git import Git

_MOST = 1024 * 1024
"""Bytes of a configuration; those of people have some hundreds."""

_TIMEOUT = 10.0


def entries(file: Path, env: Mapping[str, str]) -> list[tuple[str, str]]:
    """(key, value) in order, keys in lower case but for their middle part; none where there is no such file.

    GitFailed when it isn't a file, or git can't read it.
    """
    data = bytes_of(str(file), _MOST)
    if data is None:
        if file.is_symlink() or file.exists():
            raise GitFailed(
                f"{file} is {kind_of(file)} that can't be read",
                f"`mv {shlex.quote(str(file))} {shlex.quote(f'{file}.aside')}` moves it out of the way.",
            )
        return []
    words = ("config", "--file", "-", "--no-includes", "--null", "--list")
    answer = _git(env).run(*words, timeout=_TIMEOUT, stdin=data)
    if not answer.ok:
        raise GitFailed(f"{file} can't be read: {answer.reason}", f"Look at {file}.")
    pairs = (item.partition("\n") for item in answer.out.split("\0")[:-1])
    return [(key, value) for key, _, value in pairs]


def values(file: Path, key: str, env: Mapping[str, str]) -> list[str]:
    """All values of a key, in order."""
    return [value for name, value in entries(file, env) if name == key]


def change(file: Path, env: Mapping[str, str], *words: str) -> bool:
    """Let `git config` do something to the file; whether it did."""
    if file.is_symlink() or (file.exists() and not file.is_file()):
        return False
    return _git(env).run("config", "--file", str(file), *words, timeout=_TIMEOUT).ok


def configure(file: Path, env: Mapping[str, str], pairs: Sequence[tuple[str, str]]) -> None:
    """Give keys one value each; GitFailed when that can't be written."""
    for key, value in pairs:
        if not change(file, env, "--replace-all", key, value):
            raise GitFailed(f"{key} can't be written to {file}", f"Look at {file}.")


def _git(env: Mapping[str, str]) -> Git:
    from ctxrepo.storage.git.git import nowhere  # only needed if somebody's setting is odd

    return nowhere(env)
