"""What an agent wrote to a hook's standard input; SQLite reads the JSON, as importing a parser costs more."""

import _sqlite3
import os

MAX_BYTES = 8 * 1024 * 1024


def read_stdin() -> bytes:
    """Standard input up to 8 MiB; empty when there is more, or when a person sits at it."""
    if os.isatty(0):
        return b""
    parts = []
    left = MAX_BYTES + 1
    while left and (part := os.read(0, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts) if left else b""


def as_json(raw: bytes) -> str:
    """`raw` as text when it may be one JSON object, else ''."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    return text if text.startswith("{") and "\0" not in text else ""


def texts(db: _sqlite3.Connection, json: str, fields: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """For every field the first text found at its paths, '' when there is none; {} when `json` is none."""
    at = [(name, path) for name, paths in fields.items() for path in paths]
    picks = ", ".join(
        [f"case json_type(:json, '{p}') when 'text' then json_extract(:json, '{p}') end" for _, p in at]
    )
    # Bytes, because JSON can spell half a surrogate pair, which is no text.
    db.text_factory = bytes
    try:
        values = db.execute(f"select {picks}", {"json": json}).fetchone()
    except _sqlite3.OperationalError:  # SQLite's way of saying that it is malformed
        return {}
    finally:
        db.text_factory = str
    found = dict.fromkeys(fields, "")
    for (name, _), value in zip(at, values, strict=True):
        if value and not found[name]:
            found[name] = value.decode("utf-8", "replace")
    return found
