"""Files that hooks append to: whole lines, under a lock, bounded."""

import _sqlite3
import fcntl
import os
import time

from ctxrepo.hooks.files.private import open_own

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
    others may put a new file in its place, and nobody would read a line in the old one.
    """
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
