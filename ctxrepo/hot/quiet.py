"""A folder of code can ask that no memory is delivered there: `enabled` is false in its pi settings."""

import _sqlite3
import os

MAX_BYTES = 64 * 1024
"""A larger file is somebody else's, and a hook has no time for it."""

_KIND, _REGULAR = 0o170000, 0o100000
_ENABLED = """select json_type(:json, '$."pi-memory-md".enabled') in ('false', 'null')"""


def project_file(folder: str) -> str:
    """Where pi keeps the settings of the project in `folder`, which is not searched upwards."""
    return f"{folder}/.pi/settings.json"


def is_quiet(db: _sqlite3.Connection, folder: str) -> bool:
    """Whether `folder` asks for silence; a file that can't be read asks for nothing."""
    try:
        text = _text(project_file(folder))
        if not text or "\0" in text or not db.execute("select json_valid(?)", (text,)).fetchone()[0]:
            return False
        return bool(db.execute(_ENABLED, {"json": text}).fetchone()[0])
    except (OSError, _sqlite3.Error):
        return False


def _text(path: str) -> str:
    """The text of a small regular file, '' for anything else: a pipe would never end."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        status = os.fstat(handle)
        if status.st_mode & _KIND != _REGULAR or status.st_size > MAX_BYTES:
            return ""
        return os.read(handle, MAX_BYTES).decode("utf-8", "replace")
    finally:
        os.close(handle)
