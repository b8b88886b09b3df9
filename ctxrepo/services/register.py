"""register: git is told how this clone merges notes, in the clone's own configuration."""

from __future__ import annotations

import shlex

from ctxrepo.storage.clone import MERGE_NAME, merge_driver
from ctxrepo.storage.memory import Memory

_KEY = "merge.ctxrepo.driver"


def register(memory: Memory, interpreter: str) -> bool:
    """Name our merge driver, run by `interpreter`, where none is named or that of another interpreter.

    Any other value stays: it is somebody's, and the clone's configuration is refused for it. Returns whether
    ours is there now.
    """
    git, wanted = memory.git, merge_driver(interpreter)
    if memory.clone.seems_to_have(wanted):
        return True
    there = git.run("config", "--local", "--null", "--get-all", _KEY, timeout=10).out.split("\0")[:-1]
    if there == [wanted]:
        return True
    if not interpreter or not all(map(_is_ours, there)):
        return False
    pairs = ("merge.ctxrepo.name", MERGE_NAME), (_KEY, wanted)
    # Nobody asked for this: a lock on the file is told by whoever has to write to it.
    return all(git.run("config", "--local", "--replace-all", *pair, timeout=10).ok for pair in pairs)


def _is_ours(value: str) -> bool:
    """Whether the value is what an installation of ctxrepo elsewhere would have written."""
    try:
        interpreter = shlex.split(value)[0].replace("%%", "%")
    except (ValueError, IndexError):
        return False
    return interpreter.startswith("/") and value == merge_driver(interpreter)
