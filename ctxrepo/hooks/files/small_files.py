"""Reads small regular files, or an end of one: a pipe may never end, and a large file isn't one that we look
for."""

import os

_KIND, _REGULAR = 0o170000, 0o100000


def bytes_of(path: str, most: int, follow: bool = False) -> bytes | None:
    """The bytes of the file at `path`; None when it can't be read, has more than `most`, or is no
    regular file. A link is none either, unless `follow` is set.
    """
    data = _read(path, most + 1, follow)
    return data if data is not None and len(data) <= most else None


def start_of(path: str, count: int) -> bytes:
    """The first `count` bytes of the file at `path`; empty when it can't be read, or is no regular file."""
    return _read(path, count, follow=False) or b""


def end_of(path: str, count: int) -> bytes:
    """The last `count` bytes of the file at `path`; empty when it can't be read, or is no regular file."""
    return _read(path, count, follow=False, at_end=True) or b""


def _read(path: str, count: int, follow: bool, at_end: bool = False) -> bytes | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW))
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(file)
        if status.st_mode & _KIND != _REGULAR:
            return None
        return os.pread(file, count, max(0, status.st_size - count) if at_end else 0)
    except OSError:
        return None
    finally:
        os.close(file)
