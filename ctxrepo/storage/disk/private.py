"""The user's own places, as commands and the worker open them: put right, or refused in a sentence."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, cast

from ctxrepo.errors import CtxrepoError, OtherOwner
from ctxrepo.hooks.own_files import OTHERS, is_own_file, make_place_private, make_private, open_own

MANY = 32
"""From so many files on, one sync of everything is cheaper than one fsync a file."""


def sync_folder(folder: Path) -> None:
    """A file that was made or renamed is only safe from a power cut once its folder is on disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def random_name(size: int = 8) -> str:
    """`size` random bytes, in hexadecimal."""
    return os.urandom(size).hex()


_ASIDE = ".aside"


def require_private(folder: Path, *, is_chosen: bool = False) -> None:
    """Make a folder the user's alone: with those above it where it is missing, closed where it is open;
    CtxrepoError where that can't be. If it `is_chosen`, the user chose its place, also by a link."""
    make_folder(folder)
    fault = (make_place_private if is_chosen else make_private)(str(folder))
    if fault and not _is_read_only(folder):
        kind = OtherOwner if fault == OTHERS else CtxrepoError
        raise kind(
            f"{folder} {fault}, and what ctxrepo keeps there is for you alone",
            "Move it away, or name another place with CTXREPO_STATE, CTXREPO_CONFIG or CTXREPO_HOME.",
        )


def move_foreign_aside(folder: Path) -> None:
    """What lies in a folder of ours and leads elsewhere, or is another user's, goes aside for `doctor` to
    tell: ctxrepo makes no links there. Files that others may open are closed to them."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in [entry for entry in entries if not entry.name.endswith(_ASIDE)]:
            with suppress(OSError):  # gone meanwhile, or a disk that takes no change
                status = entry.stat(follow_symlinks=False)
                if entry.is_symlink() or status.st_uid not in (os.geteuid(), 0):
                    os.rename(entry.path, _free(Path(entry.path)))
                elif stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
                    os.chmod(entry.path, 0o600)


def set_aside(folder: Path) -> Iterator[Path]:
    """What was moved aside there and nobody has looked at yet."""
    with suppress(OSError), os.scandir(folder) as entries:
        yield from sorted(Path(entry.path) for entry in entries if entry.name.endswith(_ASIDE))


def aside_of(path: Path) -> Path:
    """Where something goes that was found in the place of a file of ours."""
    return path.with_name(f"{path.name}{_ASIDE}")


def opened(path: Path, mode: str) -> BinaryIO:
    """Open a file of ours as `open` does: through no link, and for the user alone where it is made."""
    return cast(BinaryIO, open(path, mode, opener=open_own))


def ready(path: Path) -> None:
    """Create a file of ours unless it is there, for a library that opens it by name and follows links."""
    if not os.path.lexists(path):
        opened(path, "ab").close()
    elif not is_own_file(str(path)):
        raise PermissionError(
            errno.EPERM, "it isn't a file of your own, and ctxrepo keeps one there", str(path)
        )


def put(path: Path, text: str) -> None:
    """Replace the text of a file of ours."""
    with opened(path, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def put_whole(path: Path, text: str) -> None:
    """The same in one step: whoever reads the file meanwhile sees the old text or the new one."""
    temporary = path.with_name(f".{path.name}-{random_name(4)}")
    try:
        put(temporary, text)
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)


def touch(path: Path) -> None:
    """Set the mtime of a file of ours to now; it is created if it is missing."""
    with opened(path, "ab") as file:
        os.utime(file.fileno())


def require_own_file(file: Path) -> None:
    """Close a file that says what ctxrepo does to others, if it is there. It may be a link, but CtxrepoError
    if the link or the file belongs to another user."""
    for place in (file, Path(os.path.realpath(file))):
        with suppress(FileNotFoundError):
            status = place.lstat()
            if status.st_uid not in (os.geteuid(), 0):
                raise OtherOwner(
                    f"{place} belongs to another user, so ctxrepo doesn't follow it",
                    "Move it away, or make it your own.",
                )
            if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077 and status.st_uid == os.geteuid():
                with suppress(OSError):  # a disk that takes no change
                    os.close(open_own(str(place), os.O_RDONLY))


def require_own_folder(folder: Path) -> None:
    """The same for the config folder. A folder called `ctxrepo` is also closed to others; any other name may
    hold other things of the user's, so it is a CtxrepoError that others can write to it."""
    if not os.path.lexists(folder):
        return
    require_own_file(folder)
    real = Path(os.path.realpath(folder))
    if not real.is_dir() or (status := real.stat()).st_uid != os.geteuid():
        return
    if folder.name == "ctxrepo":
        require_private(real)
    elif status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        raise CtxrepoError(
            f"other users can write to {real}, where ctxrepo's configuration is",
            f"`chmod o-w {real}` closes it.",
        )


def open_above(path: Path) -> Iterator[tuple[Path, str]]:
    """The folders above `path` in which another user could put something else in its place, and why."""
    for folder in path.parents:
        with suppress(OSError):
            status = folder.stat()
            if status.st_uid not in (os.geteuid(), 0):
                yield folder, "belongs to another user"
            elif status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
                yield folder, "can be written to by every user"


_ROOM = 64 * 1024
"""With fewer bytes left on a disk, what is written there may be torn."""

_WITHOUT_TMPFILE = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL)
"""What file systems say that know no file without a name."""


def why_unwritable(folder: Path) -> str:
    """Why this process can't write in a folder, as the end of a sentence; '' if it can, or none is there.
    Only trying tells, as a sandbox may show everything: by a file without a name, of which nothing stays."""
    try:
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < _ROOM:
            return "is on a disk that is full"
        os.close(os.open(folder, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o600))
    except FileNotFoundError:
        return ""
    except OSError as error:
        if error.errno == errno.EROFS:
            return "is on a disk that is read-only, or that an agent's sandbox makes so"
        if error.errno not in _WITHOUT_TMPFILE or not os.access(folder, os.W_OK):
            return f"can't be written to, as in an agent's sandbox: {error.strerror}"
    return ""


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the user alone."""
    missing = list(takewhile(lambda place: not os.path.lexists(place), (folder, *folder.parents)))
    for place in reversed(missing):
        with suppress(FileExistsError):
            place.mkdir(0o700)


def _free(path: Path) -> Path:
    """A name for it aside that nothing has."""
    there, number = aside_of(path), 1
    while os.path.lexists(there):
        number += 1
        there = path.with_name(f"{path.name}.{number}{_ASIDE}")
    return there


def _is_read_only(folder: Path) -> bool:
    """Whether nobody can change anything there, so that there is nothing to put right either."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY) and folder.stat().st_uid == os.geteuid()
    except OSError as error:
        return error.errno == errno.EROFS
