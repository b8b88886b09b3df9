"""What nobody expected: noted where it can be attached to a report."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress

import ctxrepo


def logged() -> str:
    """Put the traceback of what is being handled into errors.log; returns the sentence that says where."""
    with suppress(Exception):
        from ctxrepo.hot.logs import LOG_BYTES, append_rolling
        from ctxrepo.storage.places import Places
        from ctxrepo.storage.private import require_private

        file = Places.of(os.environ).state / "errors.log"
        require_private(file.parent)
        said = f"ctxrepo {ctxrepo.__version__}, Python {sys.version}\n{traceback.format_exc()}\n"
        append_rolling(str(file), said, LOG_BYTES)
        return f"The details are in {file}; please report them."
    return "Please report what you did."


def read_only_state() -> str:
    """The state folder where its disk is read-only: SQLite only says that it can't open a file."""
    with suppress(Exception):
        from ctxrepo.storage.places import Places

        state = Places.of(os.environ).state
        return str(state) if os.statvfs(state).f_flag & os.ST_RDONLY else ""
    return ""
