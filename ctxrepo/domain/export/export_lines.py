"""An export as lines of JSON: how each is written, and how a whole export is read
(docs/reference/export-format.md).

The records of files have every byte, and an import goes by these alone. The records of entries are for other
programs."""

import base64
import binascii
import io
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ctxrepo.domain.formats.jsonl import document, render, text_of, texts_in
from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.note.note import decode, encode
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass

FORMAT = "ctxrepo-export"
VERSION = 1

MAX_BYTES = 512 * 1024 * 1024
"""A larger export isn't read: 10,000 notes take about a tenth of this."""

BEGINNING = f'{{"format": "{FORMAT}"'.encode()
"""How the first line begins, by which an export is told from other JSON lines."""

_ENTRY = b'{"type": "entry"'

_FACTS = (
    "stated", "agent", "session", "host", "source", "reinforced", "last", "verified", "contradicted", "code",
    "cites", "holds", "rule", "derived", "pinned_at",
)  # fmt: skip
"""What of an entry's evidence other programs are told, where there is any."""


@dataclass(frozen=True)
class ExportHeader:
    """The first line: the folders of the scopes, which of them has the global notes, and which project each
    other one is, by its id."""

    scopes: tuple[str, ...]
    global_folder: str
    projects: Mapping[str, str] = field(default_factory=dict)

    def line(self) -> str:
        fields = {"scopes": self.scopes, "global": self.global_folder, "projects": self.projects}
        return render({"format": FORMAT, "version": VERSION, **fields})


@dataclass(frozen=True)
class MemoryExport:
    """An export that was read: its files by path. `unread` counts lines that are no record, and `is_whole`
    says whether its last line is there."""

    header: ExportHeader
    files: Mapping[str, bytes]
    unread: int = 0
    is_whole: bool = True


def file_line(path: str, data: bytes) -> str:
    """The record of a file, as text where it is UTF-8."""
    try:
        return render({"type": "file", "path": path, "text": data.decode()})
    except UnicodeDecodeError:
        return render({"type": "file", "path": path, "base64": base64.b64encode(data).decode()})


def entry_line(entry: Entry, evidence: EntryEvidence | None, created: str) -> str:
    """The record of an entry; `created` is the day since which it says what it says, or ''."""
    fields: dict[str, Any] = {"type": "entry", "id": f"^{entry.id}", "at": entry.at, "text": entry.text}
    optional = {"category": entry.category, "key": entry.key, "tags": entry.tags, "created": created}
    fields |= {name: value for name, value in optional.items() if value}
    known = {name: getattr(evidence, name) for name in _FACTS} if evidence else {}
    known["pinned"] = entry.is_pinned or bool(evidence and evidence.is_pinned)
    known["superseded"] = bool(evidence and evidence.is_struck)
    line = render({**fields, "evidence": {name: value for name, value in known.items() if value}})
    return decode(encode(line))  # bytes that no text can have are shown as such


def end_line(files: int, entries: int) -> str:
    """The last line, without which an export was cut."""
    return render({"type": "end", "files": files, "entries": entries})


def read_export(data: bytes) -> MemoryExport:
    """The files of an export. Unreadable for what is none, and for one of a later version. Of two records of
    one file the first holds."""
    lines = iter(io.BytesIO(data))
    header = _header(next(lines, b""))
    files: dict[str, bytes] = {}
    unread, is_whole = 0, False
    for line in lines:
        if line.startswith(_ENTRY) or not line.strip():
            continue
        fields = _record(line)
        kind = text_of(fields, "type")
        is_whole = kind == "end"
        contents = _contents(fields) if kind == "file" else None
        if contents is not None:
            files.setdefault(text_of(fields, "path"), contents)
        elif kind in ("", "file"):  # another kind is for other programs, or for a reader to come
            unread += 1
    return MemoryExport(header, files, unread, is_whole)


def _header(line: bytes) -> ExportHeader:
    fields = _record(line)
    version = fields.get("version")
    if text_of(fields, "format") != FORMAT or not isinstance(version, int):
        raise Unreadable("it is no export of ctxrepo")
    if version > VERSION:
        raise Unreadable(f"it is an export of version {version}, and this ctxrepo reads {VERSION}: update it")
    projects = fields.get("projects")
    pairs = projects.items() if isinstance(projects, dict) else ()
    folders = {name: folder for name, folder in pairs if isinstance(folder, str) and name.isprintable()}
    return ExportHeader(tuple(texts_in(fields.get("scopes"))), text_of(fields, "global"), folders)


def _record(line: bytes) -> Mapping[str, Any]:
    try:
        value, _ = document(line.decode())
    except UnicodeDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _contents(fields: Mapping[str, Any]) -> bytes | None:
    """The bytes of a file; None where its record doesn't tell them."""
    try:
        if isinstance(text := fields.get("text"), str):
            return text.encode()
        return base64.b64decode(text_of(fields, "base64"), validate=True) if "base64" in fields else None
    except (UnicodeEncodeError, binascii.Error):
        return None
