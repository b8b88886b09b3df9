"""The newest files of a folder that others write to, and as much of each as is worth reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ctxrepo.storage.disk.outside import open_regular

MAX_BYTES = 16 * 1024 * 1024
HEAD_BYTES = 2 * 1024 * 1024
"""How much of the beginning of a file over MAX_BYTES is read; its end is read too: what is new stands
there."""


def newest(folder: Path, pattern: str, count: int) -> list[Path]:
    """The `count` regular files that were written last, the last one first; [] when there is no folder."""
    found = sorted(_files(folder, pattern), reverse=True)
    return [path for _, path in found[:count]]


def lines_of(path: Path) -> tuple[list[str], bool]:
    """Whole lines of a file, and whether these are all. What can't be read is as empty."""
    try:
        with open(open_regular(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= MAX_BYTES:
                return _lines(file.read(MAX_BYTES)), True
            head = file.read(HEAD_BYTES).rpartition(b"\n")[0]
            file.seek(size - (MAX_BYTES - HEAD_BYTES))
            tail = file.read(MAX_BYTES - HEAD_BYTES).partition(b"\n")[2]
            return _lines(head) + _lines(tail), False
    except (OSError, ValueError):
        return [], True


def ends_of(path: Path, most: int) -> tuple[list[str], list[str]]:
    """The whole lines among the first and among the last `most` bytes of a regular file; of a smaller one
    both times all. What is something else, or can't be read, is as empty."""
    try:
        handle = open_regular(path)
    except (OSError, ValueError):
        return [], []
    try:
        status = os.fstat(handle)
        head = os.pread(handle, most, 0)
        if status.st_size <= most:
            return _lines(head), _lines(head)
        tail = os.pread(handle, most, status.st_size - most)
    except OSError:
        return [], []
    finally:
        os.close(handle)
    return _lines(head.rpartition(b"\n")[0]), _lines(tail.partition(b"\n")[2])


def end_of(path: Path, most: int) -> tuple[list[str], bool]:
    """The whole lines among the last `most` bytes of a regular file, and whether these are all. What is
    something else, or can't be read, is as empty."""
    try:
        with open(open_regular(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - most))
            data = file.read(most)
    except (OSError, ValueError):
        return [], True
    return (_lines(data), True) if size <= most else (_lines(data.partition(b"\n")[2]), False)


def written(path: Path) -> float:
    """When the file was last written, in unix seconds; 0 when there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _files(folder: Path, pattern: str) -> Iterator[tuple[float, Path]]:
    for path in folder.glob(pattern):
        try:
            there = path.stat()
        except OSError:
            continue
        if stat.S_ISREG(there.st_mode):
            yield there.st_mtime, path


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").split("\n")
