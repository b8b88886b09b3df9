"""What is the user's alone: folders that nobody else may enter, and files that no one else has put there.

One rule for every place of ours. A folder is a real one, the user's own, and closed to others, which it is
made where it isn't; a file in it is opened through no link, and is a regular one of the user's own.
"""

import os

_KIND, _FOLDER, _REGULAR, _LINK = 0o170000, 0o040000, 0o100000, 0o120000

_OPEN_TO_OTHERS = 0o077
_EVERYBODY_WRITES, _OWN_NAMES_ONLY = 0o002, 0o1000
"""The second, as on /tmp, keeps others from putting something in the place of what is not theirs."""

_MOST_LINKS = 8

OPENING = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""With these flags an opening is never led elsewhere, and never waits for who writes into a pipe."""


def fault_of(path: str) -> str:
    """What keeps the folder at `path` from being the user's alone, as the end of a sentence; '' for nothing.

    One that is open to others is closed: as nearly always it isn't, this costs one look.
    """
    try:
        status = os.lstat(path)
    except OSError as error:
        return f"can't be looked at: {error.strerror}"
    if status.st_mode & _KIND != _FOLDER:
        return "is a link" if status.st_mode & _KIND == _LINK else "is no folder"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return _closed(path) if status.st_mode & _OPEN_TO_OTHERS else ""


def fault_of_place(path: str) -> str:
    """The same of a place that the user chose, which may be a link of theirs to another disk: one that nobody
    but they and root can have put there, or could put another in the place of."""
    fault = fault_of(path)
    if fault != "is a link":
        return fault
    there = path
    for _ in range(_MOST_LINKS):
        try:
            status = os.lstat(there)
            if _is_open(os.path.dirname(there)) or status.st_uid not in (os.geteuid(), 0):
                return f"leads to {there}, which another user may have put there"
            if status.st_mode & _KIND != _LINK:
                fault = fault_of(there)
                return f"leads to {there}, which {fault}" if fault else ""
            there = os.path.join(os.path.dirname(there), os.readlink(there))
        except OSError as error:
            return f"leads to {there}, which can't be looked at: {error.strerror}"
    return "is a link that leads to no folder"


def make(path: str) -> bool:
    """Whether the folder at `path` is the user's alone; a missing one is made, in a folder that is there."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return not fault_of(path)
    except OSError:
        return False
    return True


def open_own(path: str, flags: int) -> int:
    """A handle to a file of ours, which is made for the user alone; OSError where something else is there.

    Nothing is emptied before it is known whose it is, and one that others may open is closed to them.
    """
    handle = os.open(path, flags & ~os.O_TRUNC | OPENING, 0o600)
    try:
        status = os.fstat(handle)
        if not is_own(status):
            raise PermissionError(1, "It is no file of your own, and ctxrepo keeps one there", path)
        if status.st_mode & _OPEN_TO_OTHERS and status.st_uid == os.geteuid():
            os.fchmod(handle, 0o600)
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
    except OSError:
        os.close(handle)
        raise
    return handle


def is_own(status: os.stat_result) -> bool:
    """Whether this is a regular file of the user's own. What belongs to root is as good: root can do all."""
    return status.st_mode & _KIND == _REGULAR and status.st_uid in (os.geteuid(), 0)


def is_own_file(path: str) -> bool:
    """The same of a file by its name, for libraries that would follow a link."""
    try:
        return is_own(os.lstat(path))
    except OSError:
        return False


def _is_open(folder: str) -> bool:
    """Whether another user could put something in the place of what is in this folder."""
    status = os.stat(folder or "/")
    mode = status.st_mode & (_EVERYBODY_WRITES | _OWN_NAMES_ONLY)
    return mode == _EVERYBODY_WRITES or status.st_uid not in (os.geteuid(), 0)


def _closed(path: str) -> str:
    """Close a folder by a handle, so that nobody can put another one in its place meanwhile."""
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
