"""Standard output whose reader may have gone, or whose disk is full: what was done is done all the same."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` costs as much as Python's start, and Tab runs at every key
if TYPE_CHECKING:
    from typing import TextIO

_unwritable: list[OSError] = []
"""Why standard output can't be written, if it can't and somebody should know."""


def open_closed() -> None:
    """Open standard streams that were closed before the start, to nowhere: the next file that is opened would
    get their number, and be written to by whoever means the stream."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
            os.set_inheritable(nowhere, True)
            setattr(sys, name, os.fdopen(nowhere, "w" if number else "r", encoding="utf-8"))


def verbatim(data: bytes) -> None:
    """Write bytes as they are."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        silence_stream(sys.stdout, error)


def finish(code: int) -> int:
    """Flush before Python does at exit: it would complain that the reader has gone.

    Returns the exit code: `code`, or 1 where a command that went well couldn't say so, which is told."""
    try:
        sys.stdout.flush()
    except OSError as error:
        silence_stream(sys.stdout, error)
    if not _unwritable:
        return code
    try:
        print(
            f"ctxrepo: standard output can't be written: {_unwritable[0].strerror}",
            file=sys.stderr,
            flush=True,
        )
    except OSError as error:
        silence_stream(sys.stderr, error)
    return code or 1


def silence_stream(stream: TextIO, why: OSError) -> None:
    """Send further output to /dev/null. A reader that closed its end is no error."""
    if stream is sys.stdout and not isinstance(why, BrokenPipeError):
        _unwritable.append(why)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
