"""The files that a hook touches: private, small, appended to within bounds, and how old they are."""

import _sqlite3
import fcntl
import os
import time

_KIND, _FOLDER, _REGULAR, _LINK = 0o170000, 0o040000, 0o100000, 0o120000

_OPEN_TO_OTHERS = 0o077
_WORLD_WRITABLE, _STICKY = 0o002, 0o1000
"""The sticky bit, as on /tmp, keeps users from replacing files that aren't theirs."""

_MOST_LINKS = 8

OPENING = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Flags with which `open` follows no link at the end of a path, and never waits for the writer of a pipe."""

OTHERS = "belongs to another user"
"""What is wrong with a place of ours that is neither the user's nor root's, as the end of a sentence."""


def make_private(path: str) -> str:
    """Close the folder at `path` to other users if it isn't. Returns why it is not the user's alone even so,
    as the end of a sentence, or ''. Nearly always it is closed already, and one `lstat` shows that."""
    try:
        status = os.lstat(path)
    except OSError as error:
        return f"can't be looked at: {error.strerror}"
    if status.st_mode & _KIND != _FOLDER:
        return "is a link" if status.st_mode & _KIND == _LINK else "isn't a folder"
    if status.st_uid != os.geteuid():
        return OTHERS
    return _fault_after_closing(path) if status.st_mode & _OPEN_TO_OTHERS else ""


def make_place_private(path: str) -> str:
    """As `make_private`, for a place that the user chose, which may be a link to another disk. Only the user
    or root may own the link and what it leads to, and nobody else may be able to replace them."""
    fault = make_private(path)
    if fault != "is a link":
        return fault
    target = path
    for _ in range(_MOST_LINKS):
        try:
            status = os.lstat(target)
            if _lets_others_replace(os.path.dirname(target)) or status.st_uid not in (os.geteuid(), 0):
                return f"leads to {target}, which another user may have put there"
            if status.st_mode & _KIND != _LINK:
                fault = make_private(target)
                return f"leads to {target}, which {fault}" if fault else ""
            target = os.path.join(os.path.dirname(target), os.readlink(target))
        except OSError as error:
            return f"leads to {target}, which can't be looked at: {error.strerror}"
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
    """The handle of a file of ours, closed to others; OSError where something else is at `path`. O_TRUNC
    empties a file only after its owner is known."""
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
    """Close the folder to others; what kept it from being closed, as the end of a sentence, or ''. It is
    closed through a handle, so that nobody can put another folder in its place meanwhile."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | OPENING)
    except OSError as error:
        return f"can't be opened: {error.strerror}"
    try:
        if os.fstat(handle).st_uid != os.geteuid():
            return OTHERS
        os.fchmod(handle, 0o700)
        is_closed = not os.fstat(handle).st_mode & _OPEN_TO_OTHERS
        return "" if is_closed else "is on a disk that leaves it open to other users"
    except OSError as error:
        return f"can't be closed to other users: {error.strerror}"
    finally:
        os.close(handle)


def bytes_of(path: str, most: int, follow: bool = False) -> bytes | None:
    """The bytes of the file at `path`; None when it can't be read, has more than `most`, or is no regular
    file. A link is none either, unless `follow` is set."""
    data = _read(path, most + 1, follow)
    return data if data is not None and len(data) <= most else None


def start_of(path: str, count: int, follow: bool = False) -> bytes:
    """The first `count` bytes of the file at `path`; empty when it can't be read, or is no regular file."""
    return _read(path, count, follow) or b""


def end_of(path: str, count: int) -> bytes:
    """The last `count` bytes of the file at `path`; empty when it can't be read, or is no regular file."""
    return _read(path, count, follow=False, at_end=True) or b""


def _read(path: str, count: int, follow: bool, at_end: bool = False) -> bytes | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW))
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(file)
        if status.st_mode & _KIND != _REGULAR:
            return None
        return os.pread(file, count, max(0, status.st_size - count) if at_end else 0)
    except OSError:
        return None
    finally:
        os.close(file)


FILE_LOCK_SECONDS = 0.7
"""Seconds that a hook waits for a lock. Others hold one while they write, and rarely during an fsync, which
may be slow. A hook may wait for two locks, while a person waits for the hook."""

LOG_BYTES = 128 * 1024
"""Bytes at which a log is renamed to `….1`; the two files take twice that at most."""

BRIEFLY = 0.1
"""Seconds that a hook waits with a line that only counts something: losing one does no harm."""


def line_json(db: _sqlite3.Connection, fields: dict[str, object]) -> str:
    """A JSON line of `fields` without the empty ones; a field whose name ends in `:json` is JSON already."""
    pairs: list[object] = []
    marks = []
    for name, value in fields.items():
        if value not in ("", None):
            marks.append("?, json(?)" if name.endswith(":json") else "?, ?")
            pairs += [name.removesuffix(":json"), value]
    return str(db.execute(f"select json_object({', '.join(marks)})", pairs).fetchone()[0]) + "\n"


def append(
    path: str,
    line: str,
    most: int,
    durable: bool = False,
    may_be_replaced: bool = False,
    patience: float = 0.0,
) -> bool:
    """Append `line` under the file's lock, so that a reader that takes the lock sees whole lines.

    False, and nothing written, when the file would grow beyond `most` bytes or can't be written, or others
    hold its lock for longer than `patience` (FILE_LOCK_SECONDS where none is given). `may_be_replaced`:
    others may put a new file in its place, and nobody would read a line in the old one."""
    data = line.encode("utf-8", "replace")
    try:
        file = open_own(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    except OSError:
        return False
    try:
        if not _lock(file, patience or FILE_LOCK_SECONDS):
            return False
        while may_be_replaced and os.fstat(file).st_ino != os.stat(path).st_ino:
            os.close(file)
            file = open_own(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            if not _lock(file, patience or FILE_LOCK_SECONDS):
                return False
        length = os.fstat(file).st_size
        if length + len(data) + 1 > most:
            return False
        if length and os.pread(file, 1, length - 1) != b"\n":
            data = b"\n" + data  # a line that a crash cut short spoils itself only
        if os.write(file, data) < len(data):  # the disk is full
            os.ftruncate(file, length)
            return False
        if durable:
            fcntl.flock(file, fcntl.LOCK_UN)  # others needn't wait for the disk
            os.fsync(file)
        return True
    except OSError:
        return False
    finally:
        os.close(file)


def _lock(file: int, patience: float) -> bool:
    """Take the lock within `patience` seconds; False where others hold it for longer."""
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > end:
                return False
        time.sleep(0.005)


def append_rolling(path: str, line: str, most: int, patience: float = 0.0) -> None:
    """Append to a log that nobody empties: a full log is renamed to `path.1`, over the previous one."""
    if append(path, line, most, patience=patience):
        return
    try:
        size = os.stat(path).st_size
        if size + len(line) < most or len(line) > most:
            return  # the log isn't full: the disk is, or it can't be written
        os.replace(path, path + ".1")
    except OSError:
        return
    append(path, line, most, patience=patience)


def log_line(path: str, what: str) -> None:
    """Append one line with the time to a log that `doctor` reads."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    append_rolling(path, f"{stamp} {' '.join(what.split())}"[:500] + "\n", LOG_BYTES)


def lines_of(path: str, most: int) -> list[str]:
    """The lines in the last `most` bytes of a file; the first of them may have lost its beginning."""
    try:
        file = open_own(path, os.O_RDONLY)
    except (OSError, ValueError):
        return []
    try:
        start = max(0, os.fstat(file).st_size - most)
        return os.pread(file, most, start).decode("utf-8", "replace").split("\n")
    except OSError:
        return []
    finally:
        os.close(file)


_SKEW = 60
"""Seconds by which another machine's disk may be ahead of our clock."""


def age_of(path: str) -> float:
    """Seconds since the file was last written; infinity where it is missing or its stamp is in the future."""
    try:
        return age(os.stat(path).st_mtime)
    except OSError:
        return float("inf")


def age(moment: float) -> float:
    """Seconds since `moment`; infinity where it is in the future."""
    passed = time.time() - moment
    return max(passed, 0.0) if passed >= -_SKEW else float("inf")


def today() -> int:
    """Today in the user's time zone, in days since 1970. A note's `updated` is a UTC date, a day off at most,
    which doesn't matter for ages in months."""
    now = time.time()
    return int((now + time.localtime(now).tm_gmtoff) // 86400)
