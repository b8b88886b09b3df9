"""Questions that a person asks of the cache: which entries and notes hold these words."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ctxrepo.storage.cacherows import CachedEntry, CachedNote, read_entry, read_note, storable

_BY_WORDS = """
    select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash,
        n.tags, {own}
    from entry e join note n on n.id = e.note
    where {every} and ({own}) > 0 and e.found
    order by {own} desc, length(e.text), n.path, e.first_line
"""
_OWN = "(e.rowid in (select rowid from words where words match ?{}))"
_OF_NOTE = "(n.id in (select rowid from words where words match ?{}))"
# A word at least must be the entry's own: what its note is about is found as the note.
_BY_LETTERS = """
    select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, n.tags, 0.0
    from entry e join note n on n.id = e.note
    where not exists (
        select 1 from json_each(?1) word where instr(lower(
            e.text || ' ' || e.heading || ' ' || n.description || ' ' || n.tags || ' ' || n.path
        ), lower(word.value)) = 0
    ) and exists (
        select 1 from json_each(?1) word where instr(lower(e.text || ' ' || e.heading), lower(word.value)) > 0
    )
    order by n.path, e.first_line
"""
_ALL = "select rowid, text, heading from entry"
_THESE = """
    select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, n.tags, 0.0
    from json_each(?) one join entry e on e.rowid = one.value join note n on n.id = e.note
    order by n.path, e.first_line
"""
_NOTES = """
    select path, scope, description, tags, updated, pinned, core, listed, generation, problem
    from note n where not exists (
        select 1 from json_each(?1) word
        where instr(lower(n.description || ' ' || n.tags || ' ' || n.path), lower(word.value)) = 0
    ) order by path
"""


Found = tuple[CachedEntry, str, float]
"""(entry, tags of its note joined by ', ', score: higher is better, 0 where nothing tells)"""


def by_words(db: sqlite3.Connection, words: Sequence[str]) -> Iterator[Found]:
    """Entries that are delivered and hold all words, in any of their forms, best first.

    A phrase is more than its words, and left to `by_letters`.
    """
    if not words or not all(map(str.isalnum, words)):
        return iter(())
    places = range(1, len(words) + 1)
    own = " + ".join(_OWN.format(place) for place in places)
    every = " and ".join(f"({_OWN.format(place)} or {_OF_NOTE.format(place)})" for place in places)
    query = _BY_WORDS.format(own=own, every=every)
    return map(_found, db.execute(query, [f'"{storable(word)}"' for word in words]))


def by_letters(db: sqlite3.Connection, words: Sequence[str]) -> Iterator[Found]:
    """Entries, the archived and superseded too, that hold all words letter by letter."""
    return map(_found, db.execute(_BY_LETTERS, (_list(words),)))


def by_text(db: sqlite3.Connection, holds: Callable[[str], bool]) -> Iterator[Found]:
    """Entries, the archived and superseded too, whose text or headings hold what is looked for."""
    rows = [rowid for rowid, *texts in db.execute(_ALL) if any(map(holds, filter(None, texts)))]
    return map(_found, db.execute(_THESE, (json.dumps(rows),)))


def notes(db: sqlite3.Connection, words: Sequence[str]) -> Iterator[CachedNote]:
    """Notes whose path, description or tags hold all words; all without words."""
    return map(read_note, db.execute(_NOTES, (_list(words),)))


def _found(row: Sequence[Any]) -> Found:
    return read_entry(row[:9]), row[9], row[10]


def _list(words: Sequence[str]) -> str:
    return json.dumps([storable(word) for word in words])
