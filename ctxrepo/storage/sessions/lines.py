"""Files that agents append lines to, read piece by piece from where one left off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ctxrepo.domain.formats.jsonl import MAX_LINE, record
from ctxrepo.domain.text import blake2b
from ctxrepo.storage.disk.foreign import open_regular

PIECE = 4 * 1024 * 1024
"""Bytes that are read at a time."""

_USUAL_LINE = 32 * 1024
"""Bytes in which the first line mostly ends."""

_BEFORE = 256
"""Bytes before an offset by which it is told whether a file is still the one that was read."""


class FilePiece(NamedTuple):
    """Whole lines of a file, and the offset at which each begins. A line that is longer than any record may
    be is '' here. What comes next begins at `end`, within a line where that has no end in this piece.
    `is_last`: there is no more for now, but for a line that somebody is still writing."""

    lines: list[str]
    starts: list[int]
    end: int
    is_midline: bool
    is_last: bool


@contextmanager
def opened_file(path: str | Path) -> Iterator[int]:
    """A handle of a regular file of others; OSError for anything else."""
    handle = open_regular(path)
    try:
        yield handle
    finally:
        os.close(handle)


def read_piece(handle: int, start: int, is_midline: bool, most: int = PIECE) -> FilePiece:
    """The lines within `most` bytes from the offset `start`."""
    data = os.pread(handle, most, start)
    is_last = len(data) < most
    begin = 0
    if is_midline:
        begin = data.find(b"\n") + 1
        if not begin:
            return FilePiece([], [], start + len(data), True, is_last)
    end = data.rfind(b"\n") + 1
    if not end and not is_last:
        return FilePiece([], [], start + len(data), True, False)
    if is_last and end < len(data) and _is_whole(data[max(end, begin) :]):
        end = len(data)
    lines, starts = [], []
    at = start + begin
    for line in data[begin:end].split(b"\n"):
        lines.append(line.decode("utf-8", "replace") if len(line) <= MAX_LINE else "")
        starts.append(at)
        at += len(line) + 1
    return FilePiece(lines, starts, start + max(end, begin), False, is_last)


def first_line(handle: int) -> str:
    """The first line of a file; '' where it is longer than any record."""
    for most in (_USUAL_LINE, MAX_LINE + 1):
        line, newline, _ = os.pread(handle, most, 0).partition(b"\n")
        if newline:
            return line.decode("utf-8", "replace")
    return ""


def digest_before(handle: int, offset: int) -> bytes:
    """What tells whether a file still is, up to this offset, what it was: a digest of its first bytes and of
    the last ones before the offset."""
    first = os.pread(handle, min(_BEFORE, offset), 0)
    last = os.pread(handle, min(_BEFORE, offset), max(0, offset - _BEFORE))
    return blake2b(first + b"\0" + last, digest_size=8).digest()


def _is_whole(rest: bytes) -> bool:
    """Whether a last line without its end is a whole record all the same."""
    return rest.rstrip().endswith(b"}") and record(rest.decode("utf-8", "replace")) is not None
