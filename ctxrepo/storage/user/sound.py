"""Folders of other people's: whether git may be started there, and facts that are told without asking git."""

import os
import stat
from pathlib import Path

from ctxrepo.errors import Unreadable
from ctxrepo.hooks.known.locate import top_of
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read

LONGEST = 4096
"""Bytes of a path; the system takes none that is longer."""

_LINK_BYTES = 64 * 1024
_BOUNDS = {"HEAD": _LINK_BYTES, "commondir": _LINK_BYTES, "config": 16 << 20, "config.worktree": 16 << 20}
"""What git reads whole before it can tell what a folder is, and how long that may be."""

_READ = (
    *_BOUNDS,
    "packed-refs",
    "shallow",
    "index",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
)


def is_path(folder: Path | str) -> bool:
    """Whether the system would take it for a path: an agent can name anything as the folder it is in."""
    try:
        return 0 < len(os.fsencode(folder)) < LONGEST and "\0" not in str(folder)
    except UnicodeEncodeError:
        return False


def is_sound(folder: Path) -> bool:
    """Whether git can look for a checkout from `folder` upwards: what it would open on its way is made of
    regular files. A pipe would let it wait for ever, and a device would never end."""
    for place in (folder, *folder.parents):
        here = place / ".git"
        mode = _mode(here)
        if mode and stat.S_ISREG(mode):
            return _is_sound_link(place, here)
        if mode and not stat.S_ISDIR(mode):
            return False
        is_bare = bool(_mode(place / "HEAD"))  # it may be: git looks for one in each folder
        if not _is_sound(here) or (is_bare and not _is_sound(place)):
            return False
        if mode and _mode(here / "HEAD") and _mode(here / "objects"):
            return True
    return True


def _is_sound_link(place: Path, link: Path) -> bool:
    """The same for a worktree: a file `.git` names its git folder, and that may name another one."""
    try:
        target = os.fsdecode(read(link, _LINK_BYTES) or b"")
        own = place / target.removeprefix("gitdir:").strip()
        if not is_path(own) or not _is_sound(own):
            return False
        common = os.fsdecode(read(own / "commondir", _LINK_BYTES) or b"").rstrip("\n")
    except Unreadable:
        return False
    return not common or (is_path(own / common) and _is_sound(own / common))


def _is_sound(git_dir: Path) -> bool:
    return all(_is_harmless(git_dir / name, _BOUNDS.get(name)) for name in _READ)


def _is_harmless(file: Path, most: int | None) -> bool:
    try:
        status = file.stat()
    except (OSError, ValueError):  # it isn't there, or git may not look at it either
        return True
    return stat.S_ISREG(status.st_mode) and (most is None or status.st_size <= most)


def _mode(path: Path) -> int:
    """0 where nothing is, or nothing that one may look at."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


@dataclass(frozen=True)
class FolderFacts:
    """`top` is the top of the checkout around the folder, links resolved, '' for none; `config` is the git
    config there, '' in a linked worktree, and `stamp` that file's."""

    top: str
    config: str
    stamp: str


def folder_facts(folder: Path) -> FolderFacts:
    """Look around a folder; it may hang, so callers that must not hang ask through `outside`."""
    top = top_of(os.path.realpath(folder)) if is_path(folder) else ""
    git = f"{top}/.git"
    if not top or os.path.islink(git) or not os.path.isdir(git):
        return FolderFacts(top, "", "")
    return FolderFacts(top, f"{git}/config", stamp_of(f"{git}/config"))
