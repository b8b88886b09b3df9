"""Which project and scopes a session belongs to. Looked up in hooks.db; git isn't asked."""

import _sqlite3
import os

from ctxrepo.hooks.known.world import Repo, World, checkout_of, checkout_with_config, claim_of, stamp_of
from ctxrepo.hooks.own_files import bytes_of


class Scope:
    """Whom notes are for: every session, or those in one project. It is a folder of a memory repository."""

    def __init__(self, repo: Repo, folder: str) -> None:
        self.repo = repo
        self.folder = folder
        """Its name; the cache of its repository knows the scope by it."""


class Place:
    """Where in memory a session is: in which project, and in which scopes."""

    def __init__(self, project: str, scopes: list[Scope], folder: str, is_known: bool = True) -> None:
        self.project = project
        """The id of its project, or ''."""
        self.scopes = scopes
        """Whose notes a session here is given: the global one, and the project's if it is another."""
        self.folder = folder
        """The folder of the project's scope, or ''; it may be the global one."""
        self.is_known = is_known
        """Whether project and folder are known yet."""


class SessionFolder:
    """The folder that a session works in, with its links resolved, and the checkout around it."""

    def __init__(self, cwd: str) -> None:
        self.project_name = os.environ.get("CTXREPO_PROJECT", "").strip()
        """The project that the user names for it; '' where the checkout decides."""
        self.path = os.path.realpath(cwd or os.getcwd())
        self.top = top_of(self.path)
        """The top of the checkout; '' outside any."""


OFFER = "Nothing is written about "
"""How a claim begins that offers to link the checkout's project to another."""

FORMER = "This checkout was "
"""How what a session is told begins where its checkout had the notes of another project before."""

BY_NAME = "="
"""Stands before CTXREPO_PROJECT's text, in place of a checkout's path, in the row of that project."""

_LINK_BYTES = 4096


def folders_of(scopes: list[Scope]) -> list[str]:
    """The folders of these scopes, for the cache of the repository that they all are in."""
    return [scope.folder for scope in scopes]


def place_in(world: World, project: str = "", folder: str = "", is_known: bool = True) -> Place:
    """The place of a session in this project, whose folder in the memory repository is `folder`."""
    scopes = [Scope(world.repo, world.global_folder)]
    if folder not in ("", world.global_folder):
        scopes.append(Scope(world.repo, folder))
    return Place(project, scopes, folder, is_known)


def place_of(db: _sqlite3.Connection, world: World, folder: SessionFolder) -> Place:
    """Where in memory a session in this folder is.

    CTXREPO_PROJECT decides before anything else. There is no project outside git, in the memory clone, and in
    a repository whose top is the user's home folder.
    The project of a checkout is unknown until the worker has recorded it, and again once its git config
    changes. Where worktrees share a project, a new worktree has the project of the others."""
    if folder.project_name:
        row = checkout_of(db, BY_NAME + folder.project_name)
        return place_in(world, row.project, row.folder) if row else place_in(world, is_known=False)
    if inside(folder.path, world.repo.home) is not None:
        return place_in(world)
    top = folder.top
    if not top or top == os.path.realpath(os.environ.get("HOME") or "/"):
        return place_in(world)
    row = checkout_of(db, top)
    if row is None or row.stamp != stamp_of(row.config):
        config = _config_of(top)
        row = checkout_with_config(db, config, stamp_of(config)) if config else None
    return place_in(world, row.project, row.folder) if row else place_in(world, is_known=False)


def claim_at(db: _sqlite3.Connection, folder: SessionFolder) -> tuple[str, bool, bool]:
    """`claim_of` the checkout around this folder. Nothing is said against a project that CTXREPO_PROJECT
    names: that is the user's word."""
    return ("", False, False) if folder.project_name else claim_of(db, folder.top)


def stamps_of(db: _sqlite3.Connection, folder: SessionFolder) -> str:
    """The stamps of the git files that decide which project this folder is, on one line, or the value of
    CTXREPO_PROJECT. While this stays the same, asking the worker again is pointless."""
    if folder.project_name:
        return " ".join(folder.project_name.split())
    row = checkout_of(db, folder.top)
    files = (f"{folder.top}/.git", f"{folder.top}/.git/config", row.config if row else "")
    return " ".join([stamp_of(file) or "-" for file in files])


def inside(path: str, folder: str) -> str | None:
    """`path` relative to `folder`, links resolved; '' for the folder itself, None outside."""
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    if path == folder:
        return ""
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) else None


def _config_of(top: str) -> str:
    """The git config that the worktree at `top` shares with its repository; '' where `top` is no worktree.

    The file `.git` names the worktree's git folder, and `commondir` in there the repository's. Anybody can
    write a file `.git`, so `gitdir` in the git folder must name this worktree."""
    link = _text_of(f"{top}/.git")
    if not link.startswith("gitdir: "):
        return ""
    git = os.path.join(top, link[8:])
    common, tree = _text_of(f"{git}/commondir"), _text_of(f"{git}/gitdir")
    if not common or not tree or os.path.realpath(os.path.join(git, tree)) != os.path.realpath(f"{top}/.git"):
        return ""
    return os.path.realpath(f"{git}/{common}") + "/config"


def _text_of(file: str) -> str:
    """The text of a small file of git's; '' when it can't be read."""
    text = (bytes_of(file, _LINK_BYTES) or b"").decode("utf-8", "replace").strip()
    return "" if "\0" in text else text


def top_of(folder: str) -> str:
    """The nearest folder upwards that holds `.git`, whatever that is; '' for none."""
    while not os.path.lexists(f"{folder}/.git"):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder
