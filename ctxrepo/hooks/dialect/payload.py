"""What an agent wrote to a hook's standard input; SQLite reads the JSON, as importing a parser costs more."""

import _sqlite3
import os

MAX_BYTES = 8 * 1024 * 1024

# Each mention of :json costs a copy of it, so there is one, and SQLite extracts all fields as one list.
_TEXTS = "select case type when 'text' then value end from json_each(json_extract(:json, PATHS))"


def read_stdin() -> bytes:
    """Standard input up to 8 MiB; empty when there is more, or when it is a terminal."""
    if os.isatty(0):
        return b""
    parts = []
    left = MAX_BYTES + 1
    while left and (part := os.read(0, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts) if left else b""


def object_text(raw: bytes) -> str:
    """`raw` as text when it may be one JSON object, else ''."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    return text if text.startswith("{") and "\0" not in text else ""


def extract_fields(
    db: _sqlite3.Connection, json_text: str, fields: dict[str, tuple[str, ...]]
) -> dict[str, str]:
    """For every field the first text found at its paths, '' when there is none; {} when `json_text` isn't
    JSON.

    There must be two paths at least: for one alone SQLite returns the value, for more a list.
    """
    pairs = [(name, path) for name, paths in fields.items() for path in paths]
    picks = ", ".join([f"'{path}'" for _, path in pairs])
    # Bytes, because JSON can spell half a surrogate pair, which isn't text.
    db.text_factory = bytes
    try:
        values = db.execute(_TEXTS.replace("PATHS", picks), {"json": json_text}).fetchall()
    except _sqlite3.OperationalError:  # SQLite's way of saying that it is malformed
        return {}
    finally:
        db.text_factory = str
    found = dict.fromkeys(fields, "")
    for (name, _), (value,) in zip(pairs, values, strict=True):
        if value and not found[name]:
            found[name] = value.decode("utf-8", "replace")
    return found
