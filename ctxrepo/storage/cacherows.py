"""Notes and entries as rows of the cache, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxrepo.domain.entry import Entry
from ctxrepo.domain.evidence import Marks
from ctxrepo.domain.note import Note
from ctxrepo.hot.cache import BETWEEN_TITLES, scope_token

_ASIDE = frozenset({"archive", "conflicts", "inbox"})
"""Folders, of the repository or of a scope, whose notes are neither listed nor recalled."""


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
    """An entry with its marks; `hash` is of its text."""

    entry: Entry
    is_pinned: bool
    is_struck: bool
    hash: str


def note_row(
    note: Note, path: str, entries: list[CachedEntry], generation: int, digest: str
) -> tuple[object, ...]:
    head = note.head
    is_memory = path.count("/") == 1 and path.endswith("/MEMORY.md")
    body = _lines(note.body) if is_memory else ""
    first = head.lines + 1 + len(body) - len(body.lstrip("\n"))
    return (
        path,
        _scope(path),
        storable(head.description),
        storable(", ".join(head.tags)),
        head.updated or head.created,
        any(e.is_pinned and not e.is_struck for e in entries),
        path.split("/")[1:2] == ["core"],
        not is_aside(path),
        generation,
        body.strip("\n"),
        first,
        storable(head.problem),
        digest,
    )


def entry_row(rowid: int, note_id: int | None, cached: CachedEntry) -> tuple[object, ...]:
    entry = cached.entry
    place = (entry.first_line, entry.last_line)
    marks = (cached.is_pinned, cached.is_struck, cached.hash)
    return (rowid, note_id, entry.id, _heading(entry), entry.text, *place, *marks)


def words_row(rowid: int, entry: Entry, description: str, tags: str) -> tuple[object, ...]:
    """What the entry is found by: its own words, its headings, and what its note is about."""
    name = entry.path.partition("/")[2].removesuffix("MEMORY.md").removesuffix(".md")
    context = storable(f"{description}\n{tags}\n{name}")
    return (rowid, entry.text, _heading(entry), context, scope_token(_scope(entry.path)))


def cached(entry: Entry, marks: Marks) -> CachedEntry:
    """The entry as the cache holds it, with what the marks say about it."""
    path, text = storable(entry.path), _lines(entry.text)
    if (path, text) != (entry.path, entry.text):
        entry = replace(entry, path=path, text=text)
    # Ten thousand notes are looked at in one go: the cheap question first.
    is_pinned = entry.id in marks.pinned or ("(" in text and entry.is_pinned)
    return CachedEntry(entry, is_pinned, entry.id in marks.struck, digest_of(entry.text))


def read_entry(row: Sequence[Any]) -> CachedEntry:
    entry_id, path, heading, text, first, last, pinned, struck, digest = row
    titles = tuple(heading.split(BETWEEN_TITLES)) if heading else ()
    return CachedEntry(Entry(entry_id, path, text, titles, first, last), bool(pinned), bool(struck), digest)


def read_note(row: Sequence[Any]) -> CachedNote:
    return CachedNote(*row[:5], *map(bool, row[5:8]), *row[8:])


def is_aside(path: str) -> bool:
    """Whether the note is kept, but neither listed nor recalled."""
    folders = path.split("/")[:-1]
    is_hidden = any(folder.startswith(".") for folder in folders) or folders[:1] == ["TAPE"]
    return not folders or is_hidden or not _ASIDE.isdisjoint(folders[:2])


def _heading(entry: Entry) -> str:
    return BETWEEN_TITLES.join(storable(title) for title in entry.heading)


def _scope(path: str) -> str:
    return path.split("/", 1)[0]


def _lines(text: str) -> str:
    return storable(text.replace("\r\n", "\n"))


def storable(text: str) -> str:
    """SQLite keeps no half surrogates: they become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def digest_of(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
