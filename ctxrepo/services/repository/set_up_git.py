"""What git and programs that run it find in the clone: our merge driver, and where a push goes."""

import shlex
from collections.abc import Mapping
from contextlib import suppress

from ctxrepo.errors import CtxrepoError, GitFailed
from ctxrepo.storage.clone.clone import foreign_format
from ctxrepo.storage.clone.configfile import configure, remove_key, values
from ctxrepo.storage.disk.foreign import Change, apply, read
from ctxrepo.storage.isolated.dangers import ATTRIBUTES, MERGE_NAME, PUSH, is_parking, merge_driver, parking
from ctxrepo.storage.memory import Memory

_KEY = "merge.ctxrepo.driver"
_WHY = "# ctxrepo merges these entry by entry, in whatever program runs git here."


def set_up_git(memory: Memory, interpreter: str) -> bool:
    """Write our merge driver, run by `interpreter`, to the clone's git configuration and attributes, and
    where `git push` goes during a review. What can't be written is left for the next time: nobody asked for
    this. Whether our driver is named."""
    if foreign_format(memory.clone.git_dir):
        return False
    _name_attributes(memory)
    _park_pushes(memory)
    return _name_driver(memory, interpreter)


def _name_driver(memory: Memory, interpreter: str) -> bool:
    """Name our merge driver in place of none, or of another interpreter's. Any other value is somebody's;
    `doctor` tells."""
    driver = merge_driver(interpreter)
    if memory.clone.seems_to_set("driver", driver):
        return True
    drivers = _values(memory, _KEY)
    if drivers == [driver]:
        return True
    if drivers is None or not interpreter or not all(map(_is_ours, drivers)):
        return False
    return _configure(memory, {"merge.ctxrepo.name": MERGE_NAME, _KEY: driver})


def _name_attributes(memory: Memory) -> None:
    """Say in the clone's own attributes which files our driver merges: another program's repository has no
    `.gitattributes` of ours. No link is followed: it may lead to any file."""
    file = memory.clone.git_dir / "info" / "attributes"
    if file.parent.is_symlink() or file.is_symlink():
        return
    with suppress(CtxrepoError):
        before = read(file)
        present = {line.strip() for line in (before or b"").decode("utf-8", "replace").splitlines()}
        if missing := [line for line in ATTRIBUTES if line not in present]:
            gap = b"\n" if before and not before.endswith(b"\n") else b""
            ours = "".join(f"{line}\n" for line in [_WHY, *missing])
            apply([Change(file, before, (before or b"") + gap + ours.encode())])


def _park_pushes(memory: Memory) -> None:
    """During a review, keep a plain `git push` of other programs from the branch that all machines share. A
    refspec that somebody else wrote stays, and `doctor` tells of it."""
    is_reviewed = memory.has_remote and memory.repository.review == "branch"
    refspec = parking(memory.clone.branch, memory.host) if is_reviewed else ""
    if memory.clone.seems_to_set("push", refspec):
        return
    refspecs = _values(memory, PUSH)
    if refspecs is None or not all(map(is_parking, refspecs)):
        return
    if refspec:
        _configure(memory, {PUSH: refspec})
    elif refspecs:
        remove_key(memory.clone.git_dir / "config", memory.env, PUSH)


def _values(memory: Memory, key: str) -> list[str] | None:
    """None when the clone's configuration can't be read."""
    with suppress(CtxrepoError):
        return values(memory.clone.git_dir / "config", key, memory.env)
    return None


def _configure(memory: Memory, settings: Mapping[str, str]) -> bool:
    """Give keys of the clone's configuration these values; whether that could be written."""
    with suppress(GitFailed):
        configure(memory.clone.git_dir / "config", memory.env, settings)
        return True
    return False


def _is_ours(value: str) -> bool:
    """Whether another installation of ctxrepo could have written this value."""
    try:
        interpreter = shlex.split(value)[0].replace("%%", "%")
    except (ValueError, IndexError):
        return False
    return interpreter.startswith("/") and value == merge_driver(interpreter)
