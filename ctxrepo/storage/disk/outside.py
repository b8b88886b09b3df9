"""Reads files that are not ours: regular ones, up to a size.

Whoever made them may have put a pipe, a device or a file without end where a file belongs. A folder that may
hang is asked in another process (storage/processes/outside.py).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ctxrepo.errors import Unreadable

MAX_BYTES = 16 * 1024 * 1024
"""A larger file is nothing that we would read whole."""


def read(path: Path | str, most: int = MAX_BYTES, *, follow: bool = True) -> bytes | None:
    """The bytes of the regular file at `path`; None where nothing is there.

    Unreadable, saying why, for anything else: what isn't a file, has more than `most` bytes, is a link where
    `follow` is false, or may not be read.
    """
    try:
        handle = open_regular(path, follow=follow)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Unreadable(f"{shown(path)} can't be read: {_words(error)}") from error
    try:
        return _whole(handle, path, most)
    except OSError as error:
        raise Unreadable(f"{shown(path)} can't be read: {_words(error)}") from error
    finally:
        os.close(handle)


def text(path: Path | str, most: int = MAX_BYTES) -> str:
    """The text of a file; '' where `read` has nothing to give, for whatever reason."""
    try:
        return (read(path, most) or b"").decode("utf-8", "surrogateescape")
    except Unreadable:
        return ""


def open_regular(path: Path | str, *, follow: bool = True) -> int:
    """A handle to read a regular file by. OSError for anything else; nobody is waited for: a pipe would let
    us wait for whoever writes to it."""
    links = 0 if follow else os.O_NOFOLLOW
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | links)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{shown(path)} is not a file")
    return handle


def shown(path: Path | str) -> str:
    """The path as a line can show it, whatever bytes are in its name."""
    whole = "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(path))
    return whole if len(whole) <= 300 else f"{whole[:150]}…{whole[-150:]}"


def _whole(handle: int, path: Path | str, most: int) -> bytes:
    data = bytearray()
    if os.fstat(handle).st_size <= most:
        while len(data) <= most and (chunk := os.read(handle, min(1 << 20, most + 1 - len(data)))):
            data += chunk
        if len(data) <= most:
            return bytes(data)
    raise Unreadable(f"{shown(path)} is larger than {_size(most)}, and is not read")


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"


def _words(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
