"""Looking at the files of the clone without opening one."""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from ctxrepo.domain.paths import is_ignored, is_ignored_folder, unsafe

MAX_BYTES = 2 * 1024 * 1024
"""Larger files stay where they are and are never read into the memory."""

_REPOSITORY = "is a git repository of its own"


class Stamp(NamedTuple):
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


def scan(root: Path, below: str = "", known: Container[str] = ()) -> Scan:
    """Look at every file (of one folder, with `below`).

    The names of `known` paths have passed before, and are not looked at again.
    """
    files: dict[str, Stamp] = {}
    skipped: dict[str, str] = {}
    for path, item in _walk(f"{below}/" if below else "", root / below, skipped, known):
        try:
            status = item.stat(follow_symlinks=False)
        except FileNotFoundError:  # gone while we looked
            continue
        if reason := (path not in known and unsafe(path)) or _odd(status):
            skipped[path] = reason
        else:
            files[path] = Stamp.of(status)
    return Scan(files, skipped)


def scan_some(root: Path, paths: Iterable[str]) -> Scan:
    """Look at these files only; what stands in the way of one is told as a look at everything tells it."""
    files: dict[str, Stamp] = {}
    skipped: dict[str, str] = {}
    for path in paths:
        if is_ignored(path):
            continue
        try:
            place, reason = _in_the_way(root, path)
            status = (root / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            skipped[path] = f"can't be read: {error.strerror}"
            continue
        if reason := reason or unsafe(path) or _odd(status):
            skipped[place] = reason
        elif not stat.S_ISDIR(status.st_mode):
            files[path] = Stamp.of(status)
    return Scan(files, skipped)


def _in_the_way(root: Path, path: str) -> tuple[str, str]:
    """The folder on the way to `path` that is none to look into, and why; else `path` itself, and ''."""
    for folder in accumulate(path.split("/")[:-1], "{}/{}".format):
        status = (root / folder).lstat()
        is_folder = stat.S_ISDIR(status.st_mode)
        if reason := _REPOSITORY if is_folder and (root / folder / ".git").exists() else _odd(status):
            return folder, reason
    return path, ""


def _odd(status: os.stat_result) -> str:
    """Why a file or folder with a good name is no part of the memory, or ''."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if stat.S_ISDIR(status.st_mode):
        return ""
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    return f"is larger than {MAX_BYTES // 2**20} MiB" if status.st_size > MAX_BYTES else ""


def _walk(
    prefix: str, folder: Path, skipped: dict[str, str], known: Container[str]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
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
            if path in known or not is_ignored(path):
                yield path, item
        elif not is_ignored_folder(path):
            if (folder / item.name / ".git").exists():
                skipped[path] = _REPOSITORY
            else:
                yield from _walk(path + "/", folder / item.name, skipped, known)
