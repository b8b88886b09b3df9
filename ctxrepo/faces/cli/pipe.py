"""Standard output whose reader may have gone meanwhile: what was done is done all the same."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` costs as much as Python's start, and Tab runs at every key
if TYPE_CHECKING:
    from typing import TextIO


def verbatim(data: bytes) -> None:
    """Write bytes as they are."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        forsake(sys.stdout)


def finish() -> None:
    """Bring everything out before Python does, who would complain of a reader that has gone."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        forsake(sys.stdout)


def forsake(stream: TextIO) -> None:
    """Write to nobody from here on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
