"""Files of other programs: regular ones are read up to a size, and replaced in one step."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.errors import Busy, CtxrepoError, Unreadable, next_step
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import make_folder, random_name, sync_folder

MAX_BYTES = 16 * 1024 * 1024
"""A larger file is nothing that we would read whole."""


def read(path: Path | str, most: int = MAX_BYTES, *, follow: bool = True) -> bytes | None:
    """The bytes of the regular file at `path`; None where nothing is there. Unreadable, saying why, for
    what isn't a file, has more than `most` bytes, is a link unless `follow`, or may not be read."""
    try:
        handle = open_regular(path, follow=follow)
        try:
            return _whole(handle, path, most)
        finally:
            os.close(handle)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        is_link = not follow and isinstance(error, OSError) and error.errno == errno.ELOOP
        words = "it is a link" if is_link else getattr(error, "strerror", "") or str(error)
        raise Unreadable(f"{shown(path)} can't be read: {words}") from error


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
    limit = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
    raise Unreadable(f"{shown(path)} is larger than {limit}, and is not read")


@dataclass(frozen=True)
class Change:
    """One file from `before` to `after` (None: not there); a `private` one is for its owner only, and so is a
    new one that `is_secret`: another program keeps secrets in it."""

    path: Path
    before: bytes | None
    after: bytes | None
    private: bool = False
    is_secret: bool = False


def check_writable(path: Path) -> None:
    """Raise when `apply` would fail at `path`: so that this is known before anything is shown or asked."""
    with _file_errors(path, "read"):
        target = _target(path)
        if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
            raise CtxrepoError(f"{path} is read-only", "Make it writable, or change it where it is made.")
        there = target.parent
        while not there.exists():
            there = there.parent
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            raise CtxrepoError(f"{path} can't be written: {there} isn't a folder one may write to")


def apply(changes: Sequence[Change]) -> None:
    """Make the changes, in order; Busy when a file isn't as `before`: nothing, or what came before it, is
    done then. A link is written through; a `private` new file is for its owner only."""
    for change in changes:
        check_writable(change.path)
        _require(change)
    for change in changes:
        with _file_errors(change.path, "written"):
            _make(change)


def missing_folders(path: Path) -> list[Path]:
    """The folders that have to be made before there can be a file at `path`, outermost first."""
    with _file_errors(path, "read"):
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
        _put(temporary, change.after, 0o600 if change.private or change.is_secret else 0o666, target)
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
        with suppress(FileNotFoundError):
            status = target.stat()
            with suppress(PermissionError):
                os.fchown(handle, status.st_uid, status.st_gid)
            os.fchmod(handle, stat.S_IMODE(status.st_mode))
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
    handle = os.open(target, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(handle, "wb") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(handle)


@contextmanager
def _file_errors(path: Path, action: str) -> Iterator[None]:
    """Turn what the system says into one line that names the file."""
    try:
        yield
    except OSError as error:
        words = f"{path} can't be {action}: {error.strerror or error}"
        raise CtxrepoError(words, next_step(error)) from error


MAX_JSON_BYTES = 1024 * 1024


@dataclass(frozen=True)
class JsonFile:
    """The object in a JSON file, None where there is no file; `trouble` says why it can't be read, or ''."""

    fields: dict[str, Any] | None = None
    trouble: str = ""


def read_object(file: Path, *, follow: bool = True) -> JsonFile:
    """The JSON object in a file."""
    try:
        data = read(file, MAX_JSON_BYTES, follow=follow)
    except Unreadable as error:
        return JsonFile({}, f"{error.message}; it counts as empty")
    if data is None:
        return JsonFile()
    try:
        fields = record(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return JsonFile({}, f"{shown(file)} can't be read and counts as empty: {error}")
    if fields is None:
        return JsonFile({}, f"{shown(file)} isn't a JSON object and counts as empty")
    return JsonFile(fields)
