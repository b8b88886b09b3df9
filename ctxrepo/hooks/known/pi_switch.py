"""Whether a code folder asks to be given no memory: in its pi settings `pi-memory-md.enabled` is
false, or something that stands for it."""

import _sqlite3

from ctxrepo.hooks.own_files import bytes_of

MAX_BYTES = 64 * 1024
"""A larger file is somebody else's, and a hook has no time for it."""

_ENABLED = """'$."pi-memory-md".enabled'"""

_IS_DISABLED = f"""
    select json_type(:json, {_ENABLED}) is not null
    and coalesce(json_extract(:json, {_ENABLED}) in (0, ''), true)"""
"""Whatever JavaScript takes for false, where it is set at all."""


def project_file(folder: str) -> str:
    """Where pi keeps the settings of the project in `folder`, which is not searched upwards."""
    return f"{folder}/.pi/settings.json"


def why_silent(db: _sqlite3.Connection, folder: str) -> str:
    """Why nothing is given in `folder`; '' where it doesn't ask for silence."""
    return f"{project_file(folder)} asks for silence" if asks_for_silence(db, folder) else ""


def asks_for_silence(db: _sqlite3.Connection, folder: str) -> bool:
    """Whether `folder` asks for silence; a file that can't be read asks for nothing."""
    return settings_ask_for_silence(db, bytes_of(project_file(folder), MAX_BYTES, follow=True) or b"")


def settings_ask_for_silence(db: _sqlite3.Connection, data: bytes) -> bool:
    """Whether these settings, a project's or a user's, ask for silence."""
    text = data.decode("utf-8", "replace")
    if not text or "\0" in text:
        return False
    try:
        if not db.execute("select json_valid(?)", (text,)).fetchone()[0]:
            return False
        return bool(db.execute(_IS_DISABLED, {"json": text}).fetchone()[0])
    except _sqlite3.Error:
        return False
