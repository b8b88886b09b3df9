"""Whether a code folder asks to be given no memory: by a switch in a file that an agent reads in it."""

import _sqlite3

from ctxrepo.hooks.own_files import bytes_of

MAX_BYTES = 64 * 1024
"""A larger file is somebody else's, and a hook has no time for it."""

_IS_OFF = """
    select json_type(:json, :path) is not null and coalesce(json_extract(:json, :path) in (0, ''), true)"""
"""Whatever JavaScript takes for false, where it is set at all."""


def why_silent(db: _sqlite3.Connection, switches: list[tuple[str, str]]) -> str:
    """Why nothing is given where these switches are (World.switches_in); '' where none asks for silence. A
    file that can't be read asks for nothing."""
    for file, path in switches:
        if is_switched_off(db, bytes_of(file, MAX_BYTES, follow=True) or b"", path):
            return f"{file} asks for silence"
    return ""


def is_switched_off(db: _sqlite3.Connection, data: bytes, path: str) -> bool:
    """Whether these settings, as JSON, have something false at this `path`."""
    text = data.decode("utf-8", "replace")
    if not text or "\0" in text:
        return False
    try:
        if not db.execute("select json_valid(?)", (text,)).fetchone()[0]:
            return False
        return bool(db.execute(_IS_OFF, {"json": text, "path": path}).fetchone()[0])
    except _sqlite3.Error:
        return False
