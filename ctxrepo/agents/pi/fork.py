"""Which session a session of pi was forked from: the first line of its transcript names that one's file."""

import _sqlite3
import os

_HEAD_BYTES = 64 * 1024

_PARENT = "select json_extract(:head, '$.parentSession') where json_valid(:head)"


def origin(transcript: str) -> str:
    """The id of the session from which the one with this `transcript` was made; '' where there is none."""
    head = _first_line(transcript)
    if not head or "\0" in head:
        return ""
    db = _sqlite3.connect(":memory:")
    try:
        row = db.execute(_PARENT, {"head": head}).fetchone()
        return session_of(row[0]) if row and isinstance(row[0], str) else ""
    except _sqlite3.Error:
        return ""
    finally:
        db.close()


def session_of(file: str) -> str:
    """The id of the session in this file, which is called `<time>_<id>.jsonl`."""
    name = file.replace("\\", "/").rpartition("/")[2]
    return name.partition("_")[2].removesuffix(".jsonl")


def _first_line(path: str) -> str:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError):
        return ""
    try:
        return os.read(file, _HEAD_BYTES).partition(b"\n")[0].decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(file)
