"""Lists the files of the clone with their stamps, without opening one."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from ctxrepo.domain.guard.bounds import FILE_BYTES
from ctxrepo.domain.project.layout import is_ignored, is_ignored_folder, is_plain, unsafe
from ctxrepo.lazy import dataclass

MAX_BYTES = FILE_BYTES.most
"""Larger files stay where they are and are never read into the memory."""

_REPOSITORY = "is a git repository of its own"

A_FILE = "is a file in place of a folder"
A_FOLDER = "is a folder in place of a file"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Stamp(NamedTuple):
    """If this is the same, the file is unchanged and need not be read."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    mode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Stamp":
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode)


@dataclass(frozen=True)
class Scan:
    """The files that may be part of the memory; path -> why of others, or of an unknown folder."""

    files: Mapping[str, Stamp]
    skipped: Mapping[str, str]


@dataclass(frozen=True)
class Listing:
    """A folder on disk ('' is the top): name -> stamp of what is in it (`there`), the `folders` in it, or
    as `trouble` why it can't be listed."""

    path: str
    there: Mapping[str, Stamp]
    folders: tuple[str, ...] = ()
    trouble: str = ""

    def at(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name

    def sifted(self) -> Scan:
        """Which of its files may be part of the memory."""
        if self.trouble:
            return Scan({}, {self.path: self.trouble})
        files: dict[str, Stamp] = {}
        skipped: dict[str, str] = {}
        for name, stamp in self.there.items():
            path = self.at(name)
            has_plain_name = is_plain(path)
            if not has_plain_name and is_ignored(path):
                continue
            if reason := _odd(stamp) if has_plain_name else unsafe(path) or _odd(stamp):
                skipped[path] = reason
            else:
                files[path] = stamp
        return Scan(files, skipped)


def scan(root: Path, below: str = "") -> Scan:
    """List every file, or those below the folder `below`."""
    listings = [listing.sifted() for listing in walk(root, below)]
    return Scan(
        {path: stamp for each in listings for path, stamp in each.files.items()},
        {path: reason for each in listings for path, reason in each.skipped.items()},
    )


def walk(root: Path, below: str = "") -> Iterator[Listing]:
    """Every folder that can be part of the memory; the folders in it come before it. No link is followed."""
    yield from _walk(below, root / below, None)


def scan_some(root: Path, paths: Iterable[str]) -> Scan:
    """The same for these paths only; what stands in the way of one is reported as `scan` reports it."""
    files: dict[str, Stamp] = {}
    skipped: dict[str, str] = {}
    for path in paths:
        if is_ignored(path):
            continue
        try:
            place, reason = _first_obstacle(root, path)
            stamp = Stamp.of((root / path).lstat())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            skipped[path] = f"can't be read: {error.strerror}"
            continue
        if reason := reason or unsafe(path) or _odd(stamp):
            skipped[place] = reason
        elif not stat.S_ISDIR(stamp.mode):
            files[path] = stamp
    return Scan(files, skipped)


def in_the_way(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """path -> why, of what stands in the place of one of these files or of a folder on its path; a file
    that is just missing is not reported."""
    obstacles: dict[str, str] = {}
    folders: dict[str, str | None] = {}
    for path in paths:
        for folder in accumulate(path.split("/")[:-1], "{}/{}".format):
            if folder not in folders:
                folders[folder] = _in_place_of(root / folder, is_folder=True)
            if reason := folders[folder]:
                obstacles[folder] = reason
                break
        else:
            if reason := _in_place_of(root / path, is_folder=False):
                obstacles[path] = reason
    return obstacles


def changed_at(place: Path) -> float:
    """When the file at `place` was changed last or, where none is, the folder that it was in."""
    while not os.path.lexists(place):
        place = place.parent
    return place.lstat().st_ctime


def _in_place_of(place: Path, *, is_folder: bool) -> str | None:
    """Why what is at `place` is no folder of the memory, or no file; None for one, and for nothing at all."""
    try:
        stamp = Stamp.of(place.lstat())
        if not stat.S_ISDIR(stamp.mode):
            return _odd(stamp) or (A_FILE if is_folder else None)
        if not is_folder:
            return A_FOLDER
        return _REPOSITORY if (place / ".git").exists() else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return f"can't be read: {error.strerror}"


def _first_obstacle(root: Path, path: str) -> tuple[str, str]:
    """The first folder on the way to `path` that we don't enter, and why; else `path` itself and ''."""
    for folder in accumulate(path.split("/")[:-1], "{}/{}".format):
        stamp = Stamp.of((root / folder).lstat())
        is_folder = stat.S_ISDIR(stamp.mode)
        if reason := _REPOSITORY if is_folder and (root / folder / ".git").exists() else _odd(stamp):
            return folder, reason
    return path, ""


def _odd(stamp: Stamp) -> str:
    """Why something with a good name is no part of the memory; '' for a folder or a readable file."""
    if stat.S_ISLNK(stamp.mode):
        return "is a symbolic link"
    if stat.S_ISDIR(stamp.mode):
        return ""
    if not stat.S_ISREG(stamp.mode):
        return "is not a regular file"
    return f"is larger than {MAX_BYTES // 2**20} MiB" if stamp.size > MAX_BYTES else ""


def _walk(path: str, name: str | Path, above: int | None) -> Iterator[Listing]:
    """Lists the folder `path` and all below; `name` is its path from the open folder `above`."""
    if path and (reason := unsafe(path)):
        yield Listing(path, {}, trouble=reason)
        return
    try:
        handle = os.open(name, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        return
    except OSError as error:
        yield _unreadable(path, error)
        return
    try:
        listing = _list(path, handle)
        for folder in listing.folders:
            yield from _walk(listing.at(folder), folder, handle)
        yield listing
    finally:
        os.close(handle)


def _list(path: str, handle: int) -> Listing:
    stamps: dict[str, Stamp] = {}
    folders: list[str] = []
    try:
        with os.scandir(handle) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    continue
                try:
                    stamps[entry.name] = Stamp.of(entry.stat(follow_symlinks=False))
                except FileNotFoundError:  # gone while we looked
                    continue
    except OSError as error:
        return _unreadable(path, error)
    if path and (".git" in folders or ".git" in stamps):
        return Listing(path, {}, trouble=_REPOSITORY)
    listing = Listing(path, stamps)
    likely = (f for f in folders if f != ".git" and not is_ignored_folder(listing.at(f)))
    return replace(listing, folders=tuple(likely))


def _unreadable(path: str, error: OSError) -> Listing:
    """A listing that says so: if the folder were left out, everything in it would read as deleted."""
    return Listing(path, {}, trouble=f"can't be read: {error.strerror}")
