"""Files of the user's configuration that hold for the clone's place alone (`includeIf "gitdir:…"`).

git goes by the place of its git directory, and ours is elsewhere. So it is asked once as if it stood in the
clone, of which it reads nothing but whether HEAD is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.hooks.files.small_files import bytes_of
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.clone.reffiles import RefFiles

if TYPE_CHECKING:
    from ctxrepo.storage.git.git import Git

_SYSTEM = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
_INCLUDES = lazy_pattern(rb"\[\s*include", re.IGNORECASE)
_MOST = 1024 * 1024
_TIMEOUT = 10.0


def may_have_conditions(env: Mapping[str, str]) -> bool:
    """Whether a configuration of the user's or of the system includes anything: most don't."""
    return any(_INCLUDES.search(bytes_of(str(file), _MOST, follow=True) or b"") for file in _files(env))


def conditional_files(git: Git, git_dir: Path) -> tuple[str, ...]:
    """Configuration files that git reads in `git_dir` only; `git` runs in our own directory."""
    if not RefFiles(git_dir).head():
        return ()
    everywhere = set(_origins(git))
    there = replace(git, git_dir=git_dir, common_dir=git.folder)
    return tuple(dict.fromkeys(file for file in _origins(there) if file not in everywhere))


def _origins(git: Git) -> Iterator[str]:
    answer = git.run("config", "--null", "--show-origin", "--includes", "--list", timeout=_TIMEOUT)
    for origin in answer.out.split("\0")[::2]:
        if origin.startswith("file:/"):
            yield origin.removeprefix("file:")


def _files(env: Mapping[str, str]) -> Iterator[Path | str]:
    yield from _SYSTEM
    if home := env.get("HOME"):
        yield Path(home) / ".gitconfig"
        yield Path(env.get("XDG_CONFIG_HOME") or f"{home}/.config") / "git" / "config"
