"""JSON files of other programs: a file that can't be read is told, and is as empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.outside import read, shown

MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class JsonFile:
    """The object in a JSON file, None where there is no file; `trouble` says why it can't be read, or ''."""

    fields: dict[str, Any] | None = None
    trouble: str = ""


def read_object(file: Path, *, follow: bool = True) -> JsonFile:
    """The JSON object in a file."""
    try:
        data = read(file, MAX_BYTES, follow=follow)
    except Unreadable as error:
        return JsonFile({}, f"{error.message}; it counts as empty")
    if data is None:
        return JsonFile()
    try:
        found = record(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return JsonFile({}, f"{shown(file)} can't be read and counts as empty: {error}")
    if found is None:
        return JsonFile({}, f"{shown(file)} isn't a JSON object and counts as empty")
    return JsonFile(found)
