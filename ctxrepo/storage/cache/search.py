"""Questions that a person asks of the cache: which entries and notes hold these words."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from ctxrepo.hooks.known.cached import NOTE_SPAN
from ctxrepo.storage.cache.rows import CachedEntry, CachedNote, read_entry, read_note, spelled_out, storable
from ctxrepo.storage.cache.schema import TOKENIZER

_BY_WORDS = """
    select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash,
        n.tags, {own}
    from entry e join note n on n.id = e.note
    where {every} and ({own}) > 0 and e.found
    order by {own} desc, length(e.text), n.path, e.first_line
"""
_OWN = "(e.rowid in (select rowid from words where words match ?{}))"
_OF_NOTE = "(n.id in (select rowid from words where words match ?{}))"
# At least one word must be in the entry itself (`and exists`): else only its note matches, which `notes`
# finds.
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
_NUMBERED = """
    select e.rowid, e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash,
        n.tags, 0.0
    from json_each(?) one join entry e on e.rowid = one.value join note n on n.id = e.note
"""
_ITEMS = """
    select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash,
        n.tags, n.updated
    from note n join entry e on e.rowid between n.id and n.id + ?2
    where n.path in (select value || '/SCRATCHPAD.md' from json_each(?1))
    and n.listed and not e.struck and not e.found order by n.path, e.first_line
"""
_ITEM_WORDS = f"create virtual table words using fts5(text, content = '', tokenize = \"{TOKENIZER}\")"
_HOLDERS = "select rowid from words where words match ?"
_SCOPES = "select name from scope"
_NOTES = """
    select path, scope, description, tags, updated, pinned, core, listed, generation, problem
    from note n where not exists (
        select 1 from json_each(?1) word
        where instr(lower(n.description || ' ' || n.tags || ' ' || n.path), lower(word.value)) = 0
    ) order by path
"""


Found = tuple[CachedEntry, str, float]
"""(entry, tags of its note joined by ', ', score: higher is better, 0 where nothing tells)"""


class ChecklistHit(NamedTuple):
    """An item of a checklist, when its note was updated, and those of some words that it holds."""

    entry: CachedEntry
    tags: str
    updated: str
    words: frozenset[str]


def by_words(db: sqlite3.Connection, words: Sequence[str]) -> Iterator[Found]:
    """Entries that are delivered and hold all words, in any of their forms, best first; then such items.

    A phrase is more than its words, and left to `by_letters`.
    """
    if not words or not all(map(str.isalnum, words)):
        return
    places = range(1, len(words) + 1)
    own = " + ".join(_OWN.format(place) for place in places)
    every = " and ".join(f"({_OWN.format(place)} or {_OF_NOTE.format(place)})" for place in places)
    query = _BY_WORDS.format(own=own, every=every)
    yield from map(_found, db.execute(query, [f'"{storable(word)}"' for word in words]))
    for item in items(db, [row[0] for row in db.execute(_SCOPES)], words):
        if item.words.issuperset(words):
            yield item.entry, item.tags, float(len(words))


def items(db: sqlite3.Connection, scopes: Sequence[str], words: Sequence[str]) -> Iterator[ChecklistHit]:
    """The items of the scopes' checklists that hold any of the words, in any of its forms.

    They are not in the index that prompts ask, so theirs is made on the spot; a checklist is short.
    """
    rows = db.execute(_ITEMS, (_list(scopes), NOTE_SPAN - 1)).fetchall()
    if not rows:
        return
    with closing(sqlite3.connect(":memory:")) as own:
        own.execute(_ITEM_WORDS)
        said = [f"{row[2]} {row[3]}" for row in rows]
        texts = ((number, f"{text} {spelled_out(text)}") for number, text in enumerate(said))
        own.executemany("insert into words(rowid, text) values (?, ?)", texts)
        holders = {
            word: {row[0] for row in own.execute(_HOLDERS, (f'"{storable(word)}"',))} for word in words
        }
    for number, row in enumerate(rows):
        if held := frozenset(word for word in words if number in holders[word]):
            yield ChecklistHit(read_entry(row[:9]), row[9], row[10], held)


def by_letters(db: sqlite3.Connection, words: Sequence[str]) -> Iterator[Found]:
    """Entries, the archived and superseded too, that hold all words letter by letter."""
    return map(_found, db.execute(_BY_LETTERS, (_list(words),)))


def by_text(db: sqlite3.Connection, holds: Callable[[str], bool]) -> Iterator[Found]:
    """Entries, the archived and superseded too, whose text or headings hold what is looked for."""
    rows = [rowid for rowid, *texts in db.execute(_ALL) if any(map(holds, filter(None, texts)))]
    return map(_found, db.execute(_THESE, (json.dumps(rows),)))


def by_numbers(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Found]:
    """The entries of these numbers."""
    rows = db.execute(_NUMBERED, (json.dumps(numbers),))
    return {number: _found(row) for number, *row in rows}


def notes(db: sqlite3.Connection, words: Sequence[str]) -> Iterator[CachedNote]:
    """Notes whose path, description or tags hold all words; all without words."""
    return map(read_note, db.execute(_NOTES, (_list(words),)))


def _found(row: Sequence[Any]) -> Found:
    return read_entry(row[:9]), row[9], row[10]


def _list(words: Sequence[str]) -> str:
    return json.dumps([storable(word) for word in words])
