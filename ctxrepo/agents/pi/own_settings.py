"""What pi's own settings, those for all projects, say of memory in pi's sessions, under `pi-memory-md`."""

import _sqlite3
import os

from ctxrepo.hooks.files.small_files import bytes_of
from ctxrepo.hooks.known.pi_switch import settings_ask_for_silence

MAX_BYTES = 1024 * 1024

_MESSAGE = "message-append"
"""The value of `delivery` that stands for a message; any other one stands for the system prompt."""

_DELIVERY = """
    select coalesce(json_extract(:json, '$."pi-memory-md".delivery'),
                    json_extract(:json, '$."pi-memory-md".injection'))
    where json_valid(:json)"""


def settings_file() -> str:
    """Where pi keeps them: in PI_CODING_AGENT_DIR, else in ~/.pi/agent; '' without a home."""
    home, named = os.environ.get("HOME", ""), os.environ.get("PI_CODING_AGENT_DIR", "")
    if named == "~" or named.startswith("~/"):
        named = f"{home}{named[1:]}" if home else ""
    folder = named or (f"{home}/.pi/agent" if home else "")
    return f"{folder}/settings.json" if folder.startswith("/") else ""


def own_settings(db: _sqlite3.Connection) -> tuple[str, str]:
    """(why pi's sessions are given nothing, or ''; the mode of delivery in place of config.toml's, or ''). A
    file that is missing or can't be read says nothing."""
    file = settings_file()
    data = bytes_of(file, MAX_BYTES, follow=True) if file else None
    text = (data or b"").decode("utf-8", "replace")
    if not text or "\0" in text:
        return "", ""
    if settings_ask_for_silence(db, text.encode("utf-8")):
        return f"{file} says that pi-memory-md isn't enabled", ""
    try:
        row = db.execute(_DELIVERY, {"json": text}).fetchone()
    except _sqlite3.Error:
        return "", ""
    delivery = row[0] if row and isinstance(row[0], str) else ""
    return "", "system" if delivery not in ("", _MESSAGE) else ""
