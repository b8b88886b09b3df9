"""Files of other programs: read whole, replaced in one step; their links, modes and owners stay.

Nothing is known here about what they say.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import outside
from ctxrepo.storage.disk.durable import sync_folder
from ctxrepo.storage.disk.private import make_folder
from ctxrepo.storage.disk.random_names import random_name


@dataclass(frozen=True)
class Change:
    """One file from `before` to `after` (None: not there); a `private` one is for its owner only."""

    path: Path
    before: bytes | None
    after: bytes | None
    private: bool = False


def read(path: Path) -> bytes | None:
    """The bytes of the file at `path`, links followed; None when there is none."""
    return outside.read(path)


def check_writable(path: Path) -> None:
    """Raise when `apply` would fail at `path`: so that this is known before anything is shown or asked."""
    with _told(path, "read"):
        target = _target(path)
        if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
            raise CtxrepoError(f"{path} is read-only", "Make it writable, or change it where it is made.")
        there = target.parent
        while not there.exists():
            there = there.parent
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            raise CtxrepoError(f"{path} can't be written: {there} isn't a folder one may write to")


def apply(changes: Sequence[Change]) -> None:
    """Make the changes, in order; Busy, with nothing written, when a file isn't as `before` any more.

    A file that changes meanwhile is left as it is then, which is Busy too: what came before it is done.
    A link is written through. A new file has the usual mode, and none for others when it is `private`.
    """
    for change in changes:
        check_writable(change.path)
        _require(change)
    for change in changes:
        with _told(change.path, "written"):
            _make(change)


def missing_folders(path: Path) -> list[Path]:
    """The folders that have to be made before there can be a file at `path`, outermost first."""
    with _told(path, "read"):
        return [p for p in reversed(_target(path).parents) if not p.exists()]


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of these folders that are empty, innermost first."""
    for folder in sorted(set(folders), key=lambda p: len(p.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def exists(path: Path) -> bool:
    with suppress(OSError):
        return path.exists()
    return False


def _target(path: Path) -> Path:
    """What a link points at, else `path` itself."""
    target = Path(os.path.realpath(path))
    if path.is_symlink() and not target.parent.is_dir():
        raise CtxrepoError(f"{path} is a link to {target}, whose folder isn't there")
    return target


def _require(change: Change) -> None:
    if read(change.path) != change.before:
        raise Busy(f"{change.path} was changed by another program", "It was left as it is; try again.")


def _make(change: Change) -> None:
    target = _target(change.path)
    if change.after is None:
        _require(change)
        target.unlink(missing_ok=True)
        return
    if change.private:
        make_folder(target.parent)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{random_name(4)}")
    try:
        _put(temporary, change.after, 0o600 if change.private else 0o666, target)
        # An agent that runs may write its settings too; behind this there is no more to wait for.
        _require(change)
        _replace(target, temporary, change.after)
        sync_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _put(temporary: Path, data: bytes, mode: int, target: Path) -> None:
    """Write beside the target, so that whoever reads meanwhile sees the old file or the new one."""
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with open(handle, "wb") as file:
        file.write(data)
        _keep_access(target, handle)
        file.flush()
        os.fsync(handle)


def _replace(target: Path, temporary: Path, data: bytes) -> None:
    """Give the file its new bytes: by name, unless that would part it from a second name or a mount."""
    if not (target.exists() and target.stat().st_nlink > 1):
        try:
            temporary.rename(target)
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
    _write_in_place(target, data)


def _write_in_place(target: Path, data: bytes) -> None:
    handle = os.open(target, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(handle, "wb") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(handle)


def _keep_access(target: Path, handle: int) -> None:
    with suppress(FileNotFoundError):
        status = target.stat()
        with suppress(PermissionError):
            os.fchown(handle, status.st_uid, status.st_gid)
        os.fchmod(handle, stat.S_IMODE(status.st_mode))


@contextmanager
def _told(path: Path, done: str) -> Iterator[None]:
    """Turn what the system says into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise CtxrepoError(f"{path} can't be {done}: {error.strerror or error}") from error
