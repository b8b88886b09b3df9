"""Which project a folder is in, from a table: no git is asked."""

import _sqlite3
import os

from ctxrepo.hooks.files.small import bytes_of
from ctxrepo.hooks.known.compiled import checkout_of, claim_of, stamp_of, tree_beside


class Place:
    """Where in the memory a session is."""

    __slots__ = ("folder", "is_known", "project")

    def __init__(self, project: str = "", folder: str = "", is_known: bool = True) -> None:
        self.project = project
        """The id of its project, or ''."""
        self.folder = folder
        """The project's folder in the memory repository, or ''."""
        self.is_known = is_known
        """Whether that is known."""

    def scopes(self, general: str = "global") -> list[str]:
        """The folders of the memory repository that a session here is given, the global one first."""
        return [general, self.folder] if self.folder not in ("", general) else [general]


NAMED = "="
"""Before a project's id: the row of a project that the environment names, wherever one is."""

_LINK_BYTES = 4096


def place_of(db: _sqlite3.Connection, cwd: str, home: str) -> Place:
    """The project of `cwd`; `home` is the memory clone.

    CTXREPO_PROJECT names it before anything else. Outside git, in a repository whose top is the user's
    home folder and in the memory clone there is none.
    Unknown is a checkout nobody has looked at yet, or whose git config changed since. Where a repository's
    worktrees share a project, a new one is where the others are.
    """
    explicit = os.environ.get("CTXREPO_PROJECT", "").strip()
    if explicit:
        named = checkout_of(db, NAMED + explicit)
        return Place(explicit, named.folder) if named else Place(is_known=False)
    here = os.path.realpath(cwd or os.getcwd())
    if inside(here, home) is not None:
        return Place()
    top = _top_of(here)
    if not top or top == os.path.realpath(os.environ.get("HOME") or "/"):
        return Place()
    row = checkout_of(db, top)
    if row is None or row.stamp != stamp_of(row.config):
        config = _config_of(top)
        row = tree_beside(db, config, stamp_of(config)) if config else None
    return Place(row.project, row.folder) if row else Place(is_known=False)


def claim_at(db: _sqlite3.Connection, cwd: str) -> tuple[str, bool]:
    """(why the checkout that `cwd` is in may not be what it says it is, or ''; whether it is given nothing).

    What the environment names is the user's word.
    """
    if os.environ.get("CTXREPO_PROJECT", "").strip():
        return "", False
    return claim_of(db, _top_of(os.path.realpath(cwd or os.getcwd())))


def looks_of(db: _sqlite3.Connection, cwd: str) -> str:
    """What is seen of a folder whose project is unknown: another line where there is reason to ask anew."""
    if explicit := " ".join(os.environ.get("CTXREPO_PROJECT", "").split()):
        return explicit
    top = _top_of(os.path.realpath(cwd or os.getcwd()))
    known = checkout_of(db, top)
    files = (f"{top}/.git", f"{top}/.git/config", known.config if known else "")
    return " ".join([stamp_of(file) or "-" for file in files])


def inside(path: str, folder: str) -> str | None:
    """`path` relative to `folder`, links resolved; '' for the folder itself, None outside."""
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    if path == folder:
        return ""
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) else None


def _config_of(top: str) -> str:
    """The git config that a worktree at `top` has in common with all those of its repository; '' for none.

    Two small files say where it is, and a third one, in the repository, that this is a worktree of it: a file
    `.git` can be anybody's.
    """
    own = _said_in(f"{top}/.git")
    if not own.startswith("gitdir: "):
        return ""
    own = os.path.join(top, own[8:])
    common, tree = _said_in(f"{own}/commondir"), _said_in(f"{own}/gitdir")
    if not common or not tree or os.path.realpath(os.path.join(own, tree)) != os.path.realpath(f"{top}/.git"):
        return ""
    return os.path.realpath(f"{own}/{common}") + "/config"


def _said_in(file: str) -> str:
    """What a small file of git's says; '' when it can't be read."""
    text = (bytes_of(file, _LINK_BYTES) or b"").decode("utf-8", "replace").strip()
    return "" if "\0" in text else text


def _top_of(folder: str) -> str:
    """The nearest folder upwards that holds `.git`, be it a directory or a worktree's file; else ''."""
    while not os.path.exists(f"{folder}/.git"):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder
