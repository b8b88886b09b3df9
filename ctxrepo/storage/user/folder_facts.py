"""Facts about the current folder, told without asking git."""

from __future__ import annotations

import os
from pathlib import Path

from ctxrepo.hooks.known.locate import top_of
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.user.sound import is_path


@dataclass(frozen=True)
class FolderFacts:
    """`top` is the top of the checkout around the folder, links resolved, '' for none.

    `config` is the git config there, '' in a linked worktree, and `stamp` that file's.
    """

    top: str
    config: str
    stamp: str


def folder_facts(folder: Path) -> FolderFacts:
    """Look around a folder. It may be other people's and hang: callers that must not hang ask through
    `outside`."""
    top = top_of(os.path.realpath(folder)) if is_path(folder) else ""
    git = f"{top}/.git"
    if not top or os.path.islink(git) or not os.path.isdir(git):
        return FolderFacts(top, "", "")
    return FolderFacts(top, f"{git}/config", stamp_of(f"{git}/config"))
