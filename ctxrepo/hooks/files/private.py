"""Folders that only the user may enter, and files that nobody but the user can have put there.

One rule holds for every place of ours. A folder is no link, the user owns it, and if it is open to others it
is closed to them. A file is a regular file that the user owns, and is never opened through a link.
"""

import os

_KIND, _FOLDER, _REGULAR, _LINK = 0o170000, 0o040000, 0o100000, 0o120000

_OPEN_TO_OTHERS = 0o077
_WORLD_WRITABLE, _STICKY = 0o002, 0o1000
"""The sticky bit, as on /tmp, keeps users from replacing files that aren't theirs."""

_MOST_LINKS = 8

OPENING = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Flags with which `open` follows no link at the end of a path, and never waits for the writer of a pipe."""


def make_private(path: str) -> str:
    """Close the folder at `path` to other users if it isn't. Returns why it is not the user's alone even so,
    as the end of a sentence, or ''.

    Nearly always it is closed already, and one `lstat` shows that.
    """
    try:
        status = os.lstat(path)
    except OSError as error:
        return f"can't be looked at: {error.strerror}"
    if status.st_mode & _KIND != _FOLDER:
        return "is a link" if status.st_mode & _KIND == _LINK else "isn't a folder"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return _fault_after_closing(path) if status.st_mode & _OPEN_TO_OTHERS else ""


def make_place_private(path: str) -> str:
    """As `make_private`, for a place that the user chose, which may be a link to another disk. Only the user
    or root may own the link and what it leads to, and nobody else may be able to replace them."""
    fault = make_private(path)
    if fault != "is a link":
        return fault
    there = path
    for _ in range(_MOST_LINKS):
        try:
            status = os.lstat(there)
            if _lets_others_replace(os.path.dirname(there)) or status.st_uid not in (os.geteuid(), 0):
                return f"leads to {there}, which another user may have put there"
            if status.st_mode & _KIND != _LINK:
                fault = make_private(there)
                return f"leads to {there}, which {fault}" if fault else ""
            there = os.path.join(os.path.dirname(there), os.readlink(there))
        except OSError as error:
            return f"leads to {there}, which can't be looked at: {error.strerror}"
    return "is a link that leads to no folder"


def ensure_private_folder(path: str) -> bool:
    """Make the folder at `path` if it is missing, not its parents; returns whether it is the user's alone."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return make_private(path) == ""
    except OSError:
        return False
    return True


def open_own(path: str, flags: int) -> int:
    """Open a file of ours and return its handle; OSError where something else is at `path`.

    A new file is for the user alone, and one that others may open is closed to them. O_TRUNC empties a file
    only after its owner is known.
    """
    handle = os.open(path, flags & ~os.O_TRUNC | OPENING, 0o600)
    try:
        status = os.fstat(handle)
        if not is_own(status):
            raise PermissionError(1, "It isn't a file of your own, and ctxrepo keeps one there", path)
        if status.st_mode & _OPEN_TO_OTHERS and status.st_uid == os.geteuid():
            os.fchmod(handle, 0o600)
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
    except OSError:
        os.close(handle)
        raise
    return handle


def is_own(status: os.stat_result) -> bool:
    """Whether this is a regular file of the user's, or of root's: root can do everything anyway."""
    return status.st_mode & _KIND == _REGULAR and status.st_uid in (os.geteuid(), 0)


def is_own_file(path: str) -> bool:
    """The same for a path, for libraries that would follow a link."""
    try:
        return is_own(os.lstat(path))
    except OSError:
        return False


def _lets_others_replace(folder: str) -> bool:
    """Whether another user could replace what is in this folder."""
    status = os.stat(folder or "/")
    mode = status.st_mode & (_WORLD_WRITABLE | _STICKY)
    return mode == _WORLD_WRITABLE or status.st_uid not in (os.geteuid(), 0)


def _fault_after_closing(path: str) -> str:
    """Close the folder to others; what kept it from being closed, as the end of a sentence, or ''.

    It is closed through a handle, so that nobody can put another folder in its place meanwhile.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | OPENING)
    except OSError as error:
        return f"can't be opened: {error.strerror}"
    try:
        if os.fstat(handle).st_uid != os.geteuid():
            return "belongs to another user"
        os.fchmod(handle, 0o700)
        is_closed = not os.fstat(handle).st_mode & _OPEN_TO_OTHERS
        return "" if is_closed else "is on a disk that leaves it open to other users"
    except OSError as error:
        return f"can't be closed to other users: {error.strerror}"
    finally:
        os.close(handle)
