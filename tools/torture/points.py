"""Points inside a commit or a command: there it is killed, or another actor acts while it stands still.

A kill is a real one: the work is done in a forked child, which ends at the point without any clean-up.
"""

from __future__ import annotations

import errno
import json
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from ctxrepo.hooks import saves
from ctxrepo.storage.objects.reading import Refs
from ctxrepo.storage.state import journal as journals
from ctxrepo.storage.state.committed_records import DoneLog
from ctxrepo.storage.state.journal import Journal
from ctxrepo.storage.worktree.checkout import Checkout
from ctxrepo.storage.worktree.worktree import ReplacedFiles, Worktree

KILLED = 9

_PLACES: dict[str, tuple[type, str]] = {
    "intend": (Journal, "intend"),
    "move_ref": (Refs, "move_ref"),
    "checkout": (Checkout, "check_out"),
    "set_ref": (Refs, "set_ref"),
    "keep": (ReplacedFiles, "keep"),
    "put": (Worktree, "_put"),
    "remove": (Worktree, "remove"),
    "done_log": (DoneLog, "add"),
    "take_out": (Journal, "take_out"),
    "forget": (ReplacedFiles, "forget"),
    "add": (Journal, "add"),
}

IN_A_COMMIT = (
    *(f"{when} {place}" for place in _PLACES for when in ("before", "after")),
    "after put 2",
    "after put 3",
    "after set_ref 2",
)
"""`before` or `after` a call, which is the first one unless a number says otherwise."""

IN_A_COMMAND = ("after put", "before add", "after add")


class Unexpected(Exception):
    """Something went wrong that nobody should ever see."""


@contextmanager
def stopped_at(point: str, act: Callable[[], None]) -> Iterator[None]:
    """`act` is called once, when the work inside comes to the point."""
    when, place, *number = point.split()
    owner, name = _PLACES[place]
    original = getattr(owner, name)
    left = int(number[0]) if number else 1

    def call(*given: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0 and when == "before":
            act()
        result = original(*given, **named)
        if left == 0 and when == "after":
            act()
        return result

    with mock.patch.object(owner, name, call):
        yield


def in_a_child(point: str, work: Callable[[], list[str]], file: Path) -> list[str] | None:
    """Do the work in a child that is killed at the point; what the work returns, None after a kill."""
    pid = os.fork()
    if pid:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code not in (0, KILLED):
            raise Unexpected(file.read_text())
        return None if code else json.loads(file.read_text())
    code = 1
    try:
        with stopped_at(point, partial(os._exit, KILLED)):
            file.write_text(json.dumps(work()))
        code = 0
    except BaseException:
        file.write_text(traceback.format_exc())
    finally:
        os._exit(code)


@contextmanager
def full_disk() -> Iterator[None]:
    """Meanwhile nothing can be added to the journal."""

    def add(folder: str, data: bytes, most: int = 0) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with ExitStack() as stack:
        for module in (saves, journals):
            stack.enter_context(mock.patch.object(module, "add", add))
        yield
