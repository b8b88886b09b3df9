"""Folders of the clone, opened step by step and never through a symbolic link."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path

from ctxrepo.domain.project.layout import unsafe
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass

_OPEN = 64
"""Descriptors that are held at a time."""


@dataclass
class Folders:
    """Descriptors of folders below `root`, each opened once as long as this lives."""

    root: Path
    opened: dict[str, int] = field(default_factory=dict)

    def of(self, path: str, *, create: bool = False) -> tuple[int, str]:
        """The open folder that `path` is in, and the file's own name.

        Refused for a path that may not be, and for one whose folder can't be made.
        """
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
            self._make_room(folder)
            self.opened[folder] = handle
        return self.opened[folder]

    def _make_room(self, folder: str) -> None:
        """Close what has been open for longest, but for what leads to `folder`."""
        if len(self.opened) >= _OPEN:
            for known in [k for k in self.opened if not f"{folder}/".startswith(f"{k}/" if k else "")]:
                os.close(self.opened.pop(known))


@contextmanager
def opened(root: Path) -> Iterator[Folders]:
    folders = Folders(root)
    try:
        yield folders
    finally:
        folders.close()


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
