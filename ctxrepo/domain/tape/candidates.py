"""Which notes and files may come first: what is listed, what is memory, and what nobody wants to see."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from ctxrepo.lazy import dataclass

_FOLDERS = frozenset(
    (
        *(".cache", ".git", ".hg", ".idea", ".next", ".nuxt", ".pnpm-store", ".svn", ".turbo", ".venv"),
        *(".vscode", ".yarn", "__pycache__", "build", "coverage", "dist", "node_modules", "out", "target"),
        *("temp", "tmp", "venv"),
    )
)
_FILES = frozenset(
    (*(".DS_Store", "bun.lockb", "composer.lock", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"),)
)


@dataclass(frozen=True)
class SelectionRules:
    """What decides whether a file may come first; all paths are absolute and without links.

    `memory` are the folders of the notes in view, `tops` those of the project's checkouts.
    """

    memory: tuple[str, ...]
    tops: tuple[str, ...]
    white: tuple[str, ...] = ()
    black: tuple[str, ...] = ()

    def is_listed_out(self, path: str) -> bool:
        return is_below_one(path, self.black)

    def is_always_in(self, path: str) -> bool:
        """Whether this file is on the white list or memory, and not on the black list."""
        return not self.is_listed_out(path) and is_below_one(path, (*self.white, *self.memory))

    def must_be_asked(self, path: str) -> bool:
        """Whether git has the last word on this file: one of the project that no rule of ours decides on."""
        is_open = not self.is_listed_out(path) and not self.is_always_in(path)
        return is_open and bool(top := self.top_of(path)) and not is_ignored(path, top)

    def lets_in(self, path: str, git_ignores: bool = False) -> bool:
        """Whether this file may come first; `git_ignores` is git's word on a file that `must_be_asked`.

        The order of the rules: what is on the black list is out, what is on the white list in, memory in;
        what is ignored everywhere out; a file outside the project in; one inside unless git ignores it.
        """
        if self.is_listed_out(path):
            return False
        if self.is_always_in(path):
            return True
        top = self.top_of(path)
        return not is_ignored(path, top) and not (top and git_ignores)

    def top_of(self, path: str) -> str:
        """The checkout of the project that this file is in, the nearest of several; '' for none."""
        return max((top for top in self.tops if is_below_one(path, (top,))), key=len, default="")


def is_ignored(path: str, top: str = "") -> bool:
    """Whether a file is one that nobody works on: hidden, made by tools, or in a folder of such.

    What is above `top`, a folder that the file is in, doesn't count.
    """
    relative = path[len(top.rstrip("/")) :] if top else path
    *folders, name = relative.strip("/").split("/")
    if name in _FILES or name.startswith("."):
        return True
    return any(part in _FOLDERS or part.startswith(".") for part in (*folders, name))


def listed(entries: Iterable[str], bases: Iterable[str]) -> tuple[str, ...]:
    """The absolute paths that entries of a list may stand for: each is absolute, or below one of `bases`."""
    roots = [*bases]
    found = (posixpath.normpath(posixpath.join(base, entry)) for entry in entries for base in roots)
    return tuple(dict.fromkeys(found))


def is_below_one(path: str, places: Iterable[str]) -> bool:
    """Whether `path` is one of these files, or in one of these folders."""
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)
