"""Whether a checkout may not be the project that it says it is: what speaks against it, and for it."""

import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ctxrepo.domain.project.registry import Registry
from ctxrepo.errors import GitFailed, NoAnswer
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import CompiledCheckout, TrustedCheckouts, read_checkouts
from ctxrepo.storage.user.code import CodeCheckout, first_commit, is_genuine_worktree

_PASSING = ("downloads", "download", "tmp", "temp", ".cache", ".trash", ".local/share/trash")
"""Folders below the home folder for what comes from elsewhere or doesn't stay, in lower case."""

_DOWNLOADS = lazy_pattern(r'^XDG_DOWNLOAD_DIR="\$HOME/([^"/]+)/?"', re.MULTILINE)
_FILE_BYTES = 64 * 1024
_COMPARED = 2
"""Other checkouts of a project whose history is looked at."""

_HISTORY_WAIT = 15.0
"""Seconds: git itself is given up earlier, so that a long history isn't taken for a folder that hangs."""


def find_claim(memory: Memory, code: CodeCheckout, project: str, own: str, registry: Registry) -> str:
    """One sentence on why this checkout, with the id `own`, may not be the project `project`, which has
    memory here; '' if it was known here before, is a worktree of a known one, was moved, or a person trusts
    it. All that stands in a checkout can be made up, its address first; but not where the user put it, whose
    it is, and a history that isn't known to everybody."""
    rows = [row for row in read_checkouts(memory.places.state) if row.project]
    ours = [row for row in rows if registry.canonical(row.project) == project and not row.claim]
    if any(row.top == str(code.top) and row.own == own for row in ours):
        return ""
    if TrustedCheckouts(memory.state.trusted).has(code.top, own):
        return ""
    if any(_is_beside(memory, code, row) or _was_moved(memory, code, row) for row in ours):
        return ""
    if memory.settings.project.trust == "ask":
        why = "it is new on this machine"
    else:
        why = _odd_place(memory, code.top) or _other_history(memory, code, ours)
    return (
        f"The checkout {code.top} says that it is {project}, which has memory here; but {why}" if why else ""
    )


def _is_beside(memory: Memory, code: CodeCheckout, row: CompiledCheckout) -> bool:
    is_one = row.config == str(code.config) and row.top != str(code.top)
    return is_one and memory.outside.ask(code.top, partial(is_genuine_worktree, code))


def _was_moved(memory: Memory, code: CodeCheckout, row: CompiledCheckout) -> bool:
    """Only the same file has the same mtime to the nanosecond."""
    is_one = bool(code.stamp) and row.stamp == code.stamp and row.top != str(code.top)
    return is_one and not _is_there(memory, row.top)


def _odd_place(memory: Memory, top: Path) -> str:
    home = Path(os.path.realpath(memory.places.user_home))
    owner, real = memory.outside.ask(top, partial(_owner_and_place, top))
    if owner != os.geteuid():
        return "it belongs to another user"
    if not real.is_relative_to(home):
        return f"it lies outside of {home}"
    below = real.relative_to(home).as_posix().casefold() + "/"
    if any(below.startswith(f"{folder.casefold()}/") for folder in (*_PASSING, *_downloads(home))):
        return "it lies in a folder for what was downloaded or doesn't stay"
    return ""


def _owner_and_place(top: Path) -> tuple[int, Path]:
    return os.lstat(top).st_uid, Path(os.path.realpath(top))


def _downloads(home: Path) -> list[str]:
    """What the desktop calls the folder for downloads, in the user's language."""
    return _DOWNLOADS.findall(text(home / ".config" / "user-dirs.dirs", _FILE_BYTES))


def _other_history(memory: Memory, code: CodeCheckout, ours: Sequence[CompiledCheckout]) -> str:
    others = [row.top for row in reversed(ours) if row.config != str(code.config)]
    for top in [top for top in others if _is_there(memory, top)][:_COMPARED]:
        begun = _first_commit(memory, Path(top))
        if begun and _first_commit(memory, code.top) not in (begun, None):
            return f"its first commit is another one than that of {top}"
    return ""


def _first_commit(memory: Memory, top: Path) -> str | None:
    """'' for a checkout without one, None where it doesn't tell in time."""
    try:
        return memory.outside.ask(top, partial(first_commit, top, memory.env), _HISTORY_WAIT)
    except (GitFailed, NoAnswer):
        return None


def _is_there(memory: Memory, top: str) -> bool:
    """Also of what hangs: it may come back."""
    try:
        return memory.outside.ask(Path(top), partial(os.path.isdir, top))
    except NoAnswer:
        return True
