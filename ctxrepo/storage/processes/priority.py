"""Leaves the processor to everybody else, for work that nobody waits for."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LOWEST = 19


def give_precedence() -> None:
    """From now on this process runs when no other one wants to.

    Linux may share the processor between sessions of processes first. Then `nice`, which changes a priority
    within a session, says nothing to the processes of another one, and the session has one of its own.
    """
    os.nice(_LOWEST)
    with suppress(OSError):  # no Linux, or one that doesn't
        Path("/proc/self/autogroup").write_text(f"{_LOWEST}\n")
