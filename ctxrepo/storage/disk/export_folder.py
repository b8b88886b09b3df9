"""A plain folder outside the clone, filled with copies of files; nothing in it is ever replaced."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ctxrepo.errors import UsageError
from ctxrepo.storage.disk.folders import Folders, opened


def require_empty(folder: Path) -> None:
    """UsageError unless `folder` is missing or empty; what it is a link to doesn't count."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link", "Name the folder itself.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} isn't a folder", "Name one that is empty or not there yet.")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty", "Name one that is empty or not there yet.")


def fill(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write (path, bytes) below `folder`, which is made when missing; returns how many there were.

    Nothing is written through a link, or over a file that somebody put there meanwhile.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with opened(folder) as folders:
        for path, data in files:
            _write(folders, path, data)
            count += 1
    return count


def _write(folders: Folders, path: str, data: bytes) -> None:
    place, name = folders.of(path, create=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o644, dir_fd=place), "wb") as file:
        file.write(data)
