"""Folders opened step by step, never through a symbolic link; and files that a person asked for."""

import errno
import os
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import field
from pathlib import Path

from ctxrepo.domain.project.layout import unsafe
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import random_name

_OPEN = 64
"""Descriptors that are held at a time."""


@dataclass
class Folders:
    """Descriptors of folders below `root`, each opened once as long as this lives. To be closed."""

    root: Path
    opened: dict[str, int] = field(default_factory=dict)

    def of(self, path: str, *, create: bool = False) -> tuple[int, str]:
        """The open folder that `path` is in, and the file's own name. Refused for a path that may not be,
        and for one whose folder can't be made."""
        if reason := unsafe(path):
            raise Refused(f"{path!r} {reason}", "Choose a path inside the memory repository.")
        folder, _, name = path.rpartition("/")
        return self._at(folder, path, create), name

    def sync(self, path: str) -> None:
        """Bring the names in the folder that `path` is in to the disk."""
        os.fsync(self._at(path.rpartition("/")[0], path, create=False))

    def close(self) -> None:
        for handle in self.opened.values():
            os.close(handle)
        self.opened.clear()

    def _at(self, folder: str, path: str, create: bool) -> int:
        if folder not in self.opened:
            if not folder:
                handle = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            else:
                above, _, name = folder.rpartition("/")
                handle = _step(self._at(above, path, create), name, path, create)
            if len(self.opened) >= _OPEN:  # close all but what leads to this one
                for other in [k for k in self.opened if not f"{folder}/".startswith(f"{k}/" if k else "")]:
                    os.close(self.opened.pop(other))
            self.opened[folder] = handle
        return self.opened[folder]


def _step(handle: int, name: str, path: str, create: bool) -> int:
    """Open the folder `name` below `handle`, making it if asked; never through a link."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=handle)
    except FileNotFoundError:
        if not create:
            raise
    except OSError as error:
        if create and error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise Refused(f"{name} in {path} is not a folder", "A link or a file is in the way.") from error
        raise
    with suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=handle)
        os.fsync(handle)
    return os.open(name, flags, dir_fd=handle)


def require_empty(folder: Path) -> None:
    """UsageError unless `folder` is missing or empty; what it is a link to doesn't count."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link", "Name the folder itself.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} isn't a folder", "Name one that is empty or not there yet.")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty", "Name one that is empty or not there yet.")


def fill(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write (path, bytes) below `folder`, which is made for its owner alone when missing; returns how many
    there were. Nothing is written through a link, or over a file that somebody put there meanwhile."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
    count = 0
    with closing(Folders(folder)) as folders:
        for path, data in files:
            place, name = folders.of(path, create=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(name, flags, 0o644, dir_fd=place), "wb") as file:
                file.write(data)
            count += 1
    return count


def require_place(file: Path) -> None:
    """UsageError if no file can be written there, before the work is done whose result it is for."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder", "Name a file.")
    if not file.parent.is_dir():
        raise UsageError(f"there is no folder {file.parent}", "Make it, or name another place.")


def write_whole(file: Path, data: bytes) -> None:
    """Put `data` into the file in one step; what is not a regular file, as /dev/stdout, is written to."""
    write_parts(file, [data])


def write_parts(file: Path, parts: Iterable[bytes], mode: int = 0o666) -> None:
    """The same for data that come in parts: the file has its old bytes until it has all of them. A new file
    has this `mode`, as far as the umask grants it."""
    if file.exists() and not file.is_file():
        with file.open("wb") as opened:
            opened.writelines(parts)
        return
    target = Path(os.path.realpath(file))
    fresh = target.with_name(f".{target.name[:200]}.{random_name(4)}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(fresh, flags, mode), "wb") as opened:
            opened.writelines(parts)
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
        fresh.replace(target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
