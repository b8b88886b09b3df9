"""Notes and entries as rows of the cache, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ctxrepo.domain.note.entry import Entry, explicit_id
from ctxrepo.domain.note.links import mentions_of
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import CHECKLIST, MEMORY, is_aside
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.text import blake2b
from ctxrepo.domain.words.prompt_terms import runs, spelled
from ctxrepo.hooks.known.cached import BETWEEN_TITLES, DAILY, SCRATCHPAD, box_of
from ctxrepo.lazy import dataclass, lazy_pattern

_HUMP = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|[^\x00-\u10ff]")
"""What a run that is spelled out has in it: camelCase, and scripts that are written without spaces."""

_DAILY = lazy_pattern(r"daily/\d{4}-\d{2}-\d{2}\.md")

_DAY = lazy_pattern(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


@dataclass(frozen=True)
class CachedNote:
    """A note's line of the index; `updated` is YYYY-MM-DD or '', `tags` are joined by ', '."""

    path: str
    scope: str
    description: str
    tags: str
    updated: str
    is_pinned: bool
    is_core: bool
    is_listed: bool
    generation: int
    problem: str


@dataclass(frozen=True)
class CachedEntry:
    """An entry with its marks; `hash` changes when its text does."""

    entry: Entry
    is_pinned: bool
    is_struck: bool
    hash: str


class NewestHandoff(NamedTuple):
    """The handoff that sessions in a scope begin with; `ts` begins with its day, an empty `text` is none."""

    scope: str
    name: str = ""
    ts: str = ""
    text: str = ""


_ROWID, _TEXT, _PINNED, _STRUCK = 0, 4, 7, 8
"""Where a row of the table `entry` has these columns."""


class Rows(NamedTuple):
    """A note as rows: its own, those of its entries, and (name, entry) for each file that they name."""

    id: int
    note: tuple[object, ...]
    entries: list[tuple[Any, ...]]
    mentions: list[tuple[str, int]]


def rows_of(note: Note, note_id: int, marks: Marks, generation: int) -> Rows:
    """The rows of a note, whose entries have the numbers that follow its own."""
    is_listed, working = not is_aside(note.path), _working(note.path.partition("/")[2])
    numbered = enumerate(note.entries, note_id + 1)
    entries = [_entry_row(rowid, note_id, entry, marks, is_listed, working) for rowid, entry in numbered]
    has_pinned = any(row[_PINNED] and not row[_STRUCK] for row in entries)
    recalled = [row for row in entries if is_recalled(row[_TEXT], is_listed, working)]
    mentions = [(name, row[_ROWID]) for row in recalled for name in mentions_of(row[_TEXT])]
    return Rows(note_id, _note_row(note, note_id, has_pinned, generation), entries, mentions)


def _note_row(note: Note, note_id: int, is_pinned: bool, generation: int) -> tuple[object, ...]:
    head, path = note.head, storable(note.path)
    scope, _, rest = path.partition("/")
    body, first = _memory_body(note) if rest == MEMORY else ("", 0)
    description, tags = storable(head.description), storable(", ".join(head.tags))
    name = rest.removesuffix(MEMORY).removesuffix(".md")
    dated = _DAY.search(path.rpartition("/")[2])
    context = f"{description}\n{tags}\n{name}"
    return (
        note_id,
        path,
        scope,
        description,
        tags,
        head.updated or head.created,
        is_pinned,
        rest.startswith("core/"),
        not is_aside(path),
        generation,
        body,
        first,
        storable(head.problem),
        digest_of(storable(note.text)),
        f"{context}\n{spelled_out(context)}",
        dated[0] if dated else head.updated or head.created,
        dated is not None,
        len(note.entries),
        _working(rest),
    )


def _working(rest: str) -> int:
    """Whether a note, by its path in the scope, is the checklist or a log of the day."""
    if rest == CHECKLIST:
        return SCRATCHPAD
    return DAILY if rest.startswith("daily/") and _DAILY.fullmatch(rest) else 0


def _memory_body(note: Note) -> tuple[str, int]:
    """The body of a scope's MEMORY.md without blank lines around it, and the line it begins on."""
    body = _lines(note.body)
    return body.strip("\n"), note.head.lines + 1 + len(body) - len(body.lstrip("\n"))


def _entry_row(
    rowid: int, note_id: int, entry: Entry, marks: Marks, is_listed: bool, working: int
) -> tuple[Any, ...]:
    text = _lines(entry.text)
    heading = BETWEEN_TITLES.join(map(storable, entry.heading))
    place = (entry.first_line, entry.last_line)
    is_struck = entry.id in marks.struck
    is_found = is_recalled(text, is_listed, working) and not is_struck
    shown = (is_pinned(entry, marks), is_struck, hash_of(entry), is_found)
    # Ten thousand notes are looked at in one go, and most entries have no bracket at all.
    found_by = (spelled_out(f"{heading} {text}"), entry.category if "[" in text else "")
    return (rowid, note_id, entry.id, heading, text, *place, *shown, *found_by)


def is_recalled(text: str, is_listed: bool, working: int) -> bool:
    """Whether prompts and edits may bring an entry with this text as long as nothing strikes it."""
    return is_listed and not (working == SCRATCHPAD and box_of(text))


def spelled_out(text: str) -> str:
    """The words that the index would not see in a text, ' ' between them; '' for most texts."""
    if not _HUMP.search(text):
        return ""
    return " ".join([word for run in runs(text) for word in spelled(run)])


def is_pinned(entry: Entry, marks: Marks) -> bool:
    """Whether a mark or its author's words pin the entry."""
    # Ten thousand notes are looked at in one go: the cheap question first.
    return entry.id in marks.pinned or ("(" in entry.text and entry.is_pinned)


def read_entry(row: Sequence[Any]) -> CachedEntry:
    entry_id, path, heading, text, first, last, pinned, struck, digest = row
    titles = tuple(heading.split(BETWEEN_TITLES)) if heading else ()
    return CachedEntry(Entry(entry_id, path, text, titles, first, last), bool(pinned), bool(struck), digest)


def read_note(row: Sequence[Any]) -> CachedNote:
    return CachedNote(*row[:5], *map(bool, row[5:8]), *row[8:])


def _lines(text: str) -> str:
    return storable(text.replace("\r\n", "\n") if "\r" in text else text)


def storable(text: str) -> str:
    """SQLite keeps no half surrogates: they become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def hash_of(entry: Entry) -> str:
    """A hash that changes with the entry's text. A derived id does so already; an id that a person gave
    doesn't, so then the text is hashed."""
    text = _lines(entry.text)
    return digest_of(text) if explicit_id(text) else entry.id


def digest_of(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
