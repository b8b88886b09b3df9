"""Looking at the files of the clone without opening one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.domain.paths import is_ignored, is_ignored_folder, unsafe

MAX_BYTES = 2 * 1024 * 1024
"""Larger files stay where they are and are never read into the memory."""


@dataclass(frozen=True)
class Stamp:
    """What tells without reading that a file is as it was."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@dataclass(frozen=True)
class Scan:
    """What is in the folder: files that may be part of the memory, and path -> why of those that may not.

    A path in `skipped` may be a folder: then nothing is known about what is below it.
    """

    files: Mapping[str, Stamp]
    skipped: Mapping[str, str]


def scan(root: Path) -> Scan:
    """Look at every file, without opening one."""
    files: dict[str, Stamp] = {}
    skipped: dict[str, str] = {}
    for path, item in _walk("", root, skipped):
        try:
            status = item.stat(follow_symlinks=False)
        except FileNotFoundError:  # gone while we looked
            continue
        if reason := unsafe(path) or _odd(status):
            skipped[path] = reason
        else:
            files[path] = Stamp.of(status)
    return Scan(files, skipped)


def _odd(status: os.stat_result) -> str:
    """Why a file with a good name is no part of the memory, or ''."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    return f"is larger than {MAX_BYTES // 2**20} MiB" if status.st_size > MAX_BYTES else ""


def _walk(prefix: str, folder: Path, skipped: dict[str, str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        found = sorted(os.scandir(folder), key=lambda e: e.name)
    except FileNotFoundError:
        return
    except OSError as error:
        # Told, because without it everything in the folder would read as deleted.
        skipped[prefix.rstrip("/")] = f"can't be read: {error.strerror}"
        return
    for item in found:
        path = prefix + item.name
        if item.name == ".git":
            continue
        if not item.is_dir(follow_symlinks=False):
            if not is_ignored(path):
                yield path, item
        elif not is_ignored_folder(path):
            if (folder / item.name / ".git").exists():
                skipped[path] = "is a git repository of its own"
            else:
                yield from _walk(path + "/", folder / item.name, skipped)
