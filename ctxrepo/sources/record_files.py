"""Files of JSON that programs keep or export: their records, and what a record with usual fields says."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import document, record, text_of
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import visible
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.sources.facts import SourceFact, day_of
from ctxrepo.sources.source import NotTaken, SourceSearch

MAX_RECORDS_BYTES = 64 * 1024 * 1024
MAX_TEXT_BYTES = 4 * 1024 * 1024

Record = Mapping[str, Any]

_TEXTS = ("text", "content", "memory", "fact", "value", "body")
_TAGS = ("tags", "categories", "labels", "keywords")
_CATEGORIES = ("category", "type", "kind")
_PROJECTS = ("project", "git_remote", "repository", "cwd", "directory")
_MOMENTS = ("updated_at", "created_at", "updated", "created", "timestamp", "when", "date")
"""What programs call the fields of a record, the likeliest first."""


@dataclass(frozen=True)
class RecordFile:
    """The records of a file; `torn` counts lines and items that are none."""

    records: Sequence[Record]
    torn: int = 0

    @property
    def not_taken(self) -> list[NotTaken]:
        """What is said of those that are none."""
        return [NotTaken(counted(self.torn, "line"), "no JSON object that can be read")] if self.torn else []


def read_text_file(search: SourceSearch, file: Path, most: int = MAX_TEXT_BYTES) -> str | None:
    """The text of a file, None where there is none; Unreadable for a link, what is no file of text, and a
    large one. Bytes that are no UTF-8 become U+FFFD."""
    data = search.files.read_file(file, most)
    text = None if data is None else decode(data).removeprefix("\ufeff")
    if text and "\0" in text:
        raise Unreadable(f"{visible(str(file))} is no text")
    return text


def read_records(search: SourceSearch, file: Path, *lists: str) -> RecordFile | None:
    """The records of a file of JSON lines, or of one JSON text that is a list or has one under any of the
    names in `lists`. None where there is no file; Unreadable where it is neither."""
    text = read_text_file(search, file, MAX_RECORDS_BYTES)
    if text is None:
        return None
    lines = [line for line in text.split("\n") if line.strip()]
    first = record(lines[0]) if lines else {}
    if first is not None and not any(name in first for name in lists):
        parsed = [*map(record, lines)]
        return RecordFile([fields for fields in parsed if fields is not None], parsed.count(None))
    whole, why = document(text)
    if isinstance(whole, dict):
        named = next((name for name in lists if isinstance(whole.get(name), list)), "")
        whole, why = whole.get(named, whole), why or "isn't a list of records"
    if not isinstance(whole, list):
        raise Unreadable(f"{visible(str(file))} {why.replace('a JSON object', 'JSON') or 'holds no records'}")
    records = [item for item in whole if isinstance(item, dict)]
    return RecordFile(records, len(whole) - len(records))


def fact_of(fields: Record) -> SourceFact:
    """What a record says whose fields have usual names; its text is '' where none of them is one."""
    when = next((fields[name] for name in _MOMENTS if fields.get(name)), "")
    kind = _text(fields, _CATEGORIES)
    return SourceFact(
        _text(fields, _TEXTS),
        category=kind or "fact",
        tags=words_of(next((fields[name] for name in _TAGS if fields.get(name)), ())),
        key=text_of(fields, "key"),
        project=_text(fields, _PROJECTS),
        kind=kind,
        when=day_of(when),
    )


def words_of(value: object) -> list[str]:
    """The tags that a list or a text with commas names."""
    words = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return ["-".join(word.split()) for word in words if isinstance(word, str)]


def _text(fields: Record, names: Sequence[str]) -> str:
    return next((text for name in names if (text := text_of(fields, name).strip())), "")
