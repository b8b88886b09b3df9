"""Facts about the code checkout that a session runs in, asked of git; nothing is ever written there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.storage.git import Git

_TIMEOUT = 5.0


@dataclass(frozen=True)
class CodeCheckout:
    """A working tree of the user's.

    `config` is the git config file that decides its identity, `stamp` that file's `mtime_ns:size`.
    `name` is the folder name of the main worktree; `worktree` the name of a linked one that is to be a
    project of its own, else ''.
    """

    top: Path
    config: Path
    stamp: str
    explicit: str
    remotes: Mapping[str, str]
    root_commit: str
    name: str
    worktree: str


def look_at(folder: Path, env: Mapping[str, str], worktrees: str) -> CodeCheckout | None:
    """The checkout `folder` is in; None outside git, in a bare repository or where git refuses to look.

    `worktrees` is the policy: with `share` a linked worktree is the project of its main one.
    """
    git = Git(folder, env, is_offline=True)
    if not folder.is_dir():
        return None
    answer = git.run("rev-parse", "--show-toplevel", "--git-common-dir", timeout=_TIMEOUT)
    lines = answer.out.splitlines()
    if not answer.ok or len(lines) != 2:
        return None
    top, common = Path(lines[0]), (folder / lines[1]).resolve()  # git 2.30 can't be asked for an absolute one
    # A configuration can say that its working tree is elsewhere; nobody speaks for a folder but its own.
    if not folder.resolve().is_relative_to(top.resolve()) or not (top / ".git").exists():
        return None
    config = common / "config"
    remotes = _pairs(git, r"^remote\..*\.url$")
    explicit = _pairs(git, r"^ctxrepo\.project$").get("ctxrepo.project", "")
    is_linked = common != top / ".git" and common.name == ".git"
    return CodeCheckout(
        top=top,
        config=config,
        stamp=stamp_of(config),
        explicit=explicit,
        remotes={key.removeprefix("remote.").removesuffix(".url"): url for key, url in remotes.items()},
        root_commit="" if explicit or remotes else _root_commit(git),
        name=common.parent.name if is_linked else top.name,
        worktree=top.name if is_linked and worktrees == "isolate" else "",
    )


def stamp_of(config: Path) -> str:
    """What tells whether a git config file is as it was."""
    try:
        status = config.stat()
    except OSError:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}"


def _pairs(git: Git, pattern: str) -> dict[str, str]:
    out = git.run("config", "--local", "--null", "--get-regexp", pattern, timeout=_TIMEOUT).out
    pairs = (item.partition("\n") for item in out.split("\0") if item)
    return {key: value for key, _, value in pairs}


def _root_commit(git: Git) -> str:
    """The first commit; of several the lowest, so that every clone agrees."""
    out = git.run("rev-list", "--max-parents=0", "HEAD", timeout=_TIMEOUT).out
    return min(out.split(), default="")
