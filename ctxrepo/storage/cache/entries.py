"""Questions about notes and entries: of scopes, by id, by their words, and by number."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, NamedTuple

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.words.prompt_terms import fold, is_of_word
from ctxrepo.hooks.known.cached import LAST, NOTE_SPAN
from ctxrepo.hooks.recall.prompt_query import score_by_words
from ctxrepo.storage.cache.layout import (
    ITEM_WORDS,
    CachedEntry,
    CachedNote,
    read_entry,
    read_note,
    spelled_out,
)
from ctxrepo.storage.processes.database import storable

_SQL = texts_beside(__spec__, "entries.sql")
_OWN = "(e.rowid in (select rowid from words where words match ?{}))"
_OF_NOTE = "(n.id in (select rowid from words where words match ?{}))"
_ALL = "select rowid, text, heading from entry"
_HOLDERS = "select rowid from words where words match ?"
_LISTED = "select path from note where path = ? and listed = 1 and working = 0"
_FLAWED = "select path, problem from note where problem != '' order by path"
_UNCHANGED = "select hash from note where path = ? and generation <= coalesce(?, generation)"
_FACTS = "n.scope = ? and n.working = 0 and not n.is_log and e.found order by n.path, e.first_line"
_BEGINNING = "e.id >= ? and e.id < ? order by e.id, n.path limit ?"
_ALIKE = 40
"""Entries that are told as like a text."""

EntryMatch = tuple[CachedEntry, str, float]
"""(entry, tags of its note joined by ', ', score: higher is better, 0 where nothing tells)"""


class ChecklistHit(NamedTuple):
    """An item of a checklist, when its note was updated, and those of some words that it holds."""

    entry: CachedEntry
    tags: str
    updated: str
    words: frozenset[str]


def _match(row: Sequence[Any]) -> EntryMatch:
    return read_entry(row[:10]), row[10], row[11]


def _list(words: Iterable[str]) -> str:
    return json.dumps([storable(word) for word in words])


def _entries(db: sqlite3.Connection, condition: str, *values: object) -> list[CachedEntry]:
    return [read_entry(row) for row in db.execute(_SQL["entries"] + condition, values)]


def all_scopes(db: sqlite3.Connection) -> list[str]:
    """The folders of all scopes, sorted."""
    return [row[0] for row in db.execute("select name from scope order by name")]


def listed_notes(db: sqlite3.Connection, paths: Iterable[str]) -> set[str]:
    """Those of these notes that the index of a packet lists."""
    return {path for path in paths if db.execute(_LISTED, (storable(path),)).fetchone()}


def flawed_notes(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """(path, what is wrong with it) of each note with something wrong, sorted."""
    return db.execute(_FLAWED).fetchall()


def notes_of_scopes(db: sqlite3.Connection, scopes: Iterable[str]) -> list[CachedNote]:
    """Every note of `scopes`, those that are not listed too, scope by scope and by path."""
    rows = (db.execute(_SQL["notes"], (storable(scope),)) for scope in scopes)
    return [read_note(row) for of_scope in rows for row in of_scope]


def counted_notes(db: sqlite3.Connection, scopes: Iterable[str]) -> list[tuple[CachedNote, int]]:
    """The notes of `scopes`, each with how many entries it has."""
    counts = dict(db.execute("select note, count(*) from entry group by note").fetchall())
    rows = [row for scope in scopes for row in db.execute(_SQL["counted"], (storable(scope),))]
    return [(read_note(row[1:]), counts.get(row[0], 0)) for row in rows]


def notes_with(db: sqlite3.Connection, words: Sequence[str]) -> list[CachedNote]:
    """Notes of every scope whose path, description, tags or other names hold all words; all without."""
    return list(map(read_note, db.execute(_SQL["notes_with_words"], (_list(map(fold, words)),))))


def hash_since(db: sqlite3.Connection, path: str, generation: int | None = None) -> str:
    """The hash of a note that hasn't changed after `generation` (None: the cache's); '' for others and for
    none."""
    row = db.execute(_UNCHANGED, (storable(path), generation)).fetchone()
    return str(row[0]) if row else ""


def note_digests(db: sqlite3.Connection) -> dict[str, str]:
    """path -> digest of its text, for every note."""
    return dict(db.execute("select path, hash from note"))


def entry_count(db: sqlite3.Connection) -> int:
    """How many entries are in the cache by now."""
    return int(db.execute("select count(*) from entry").fetchone()[0])


def facts_of(db: sqlite3.Connection, scope: str) -> list[CachedEntry]:
    """The entries of a scope that prompts may bring, by path and line, without those of logs."""
    return _entries(db, _FACTS, storable(scope))


def entries_of_scopes(db: sqlite3.Connection, scopes: Iterable[str]) -> list[CachedEntry]:
    """Every entry of `scopes`, the struck and the archived too, by path and line."""
    order = "n.scope = ? order by n.path, e.first_line"
    return [entry for scope in scopes for entry in _entries(db, order, storable(scope))]


def entries_of_note(db: sqlite3.Connection, path: str) -> list[CachedEntry]:
    """Every entry of a note, by line."""
    return _entries(db, "n.path = ? order by e.first_line", storable(path))


def entry_by_id(db: sqlite3.Connection, entry_id: str) -> CachedEntry | None:
    """The entry with this id, the first by path where a person gave one id twice."""
    return next(
        iter(_entries(db, "e.id = ? order by n.path, e.first_line limit 1", storable(entry_id))), None
    )


def entries_beginning(db: sqlite3.Connection, start: str, most: int) -> list[CachedEntry]:
    """At most `most` entries whose id begins with `start`, by id and path."""
    return _entries(db, _BEGINNING, storable(start), storable(start) + LAST, most)


def entries_numbered(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, EntryMatch]:
    """The entries of these numbers, by them."""
    return {number: _match(row) for number, *row in db.execute(_SQL["numbered"], (json.dumps(numbers),))}


def entries_by_words(db: sqlite3.Connection, words: Sequence[str], most: int) -> list[EntryMatch]:
    """At most `most` live entries with all words in any form, best first; then items of checklists. A
    phrase is more than its words, and left to `entries_by_letters`."""
    words = list(map(fold, words))
    if not words or not all(map(is_of_word, "".join(words))):
        return []
    places = range(1, len(words) + 1)
    own = " + ".join(_OWN.format(place) for place in places)
    every = " and ".join(f"({_OWN.format(place)} or {_OF_NOTE.format(place)})" for place in places)
    query = _SQL["by_words"].format(own=own, every=every)
    matches = list(islice(map(_match, db.execute(query, [f'"{storable(word)}"' for word in words])), most))
    if len(matches) < most:
        hits = (item for item in checklist_items(db, all_scopes(db), words) if item.words.issuperset(words))
        matches += [(item.entry, item.tags, float(len(words))) for item in hits]
    return matches[:most]


def entries_alike(db: sqlite3.Connection, text: str, scope: str) -> list[CachedEntry]:
    """The entries of a scope that share most of the rare words of a text, the likeliest first."""
    scores, _ = score_by_words(db, text, [], [storable(scope)])
    best = sorted(scores, key=lambda number: (-scores[number], number))[:_ALIKE]
    matches = entries_numbered(db, best)
    return [matches[number][0] for number in best]


def checklist_items(
    db: sqlite3.Connection, scopes: Sequence[str], words: Sequence[str]
) -> list[ChecklistHit]:
    """The items of the scopes' checklists that hold any of the words, in any of its forms. Prompts don't
    ask for them, so their index is made on the spot; a checklist is short."""
    rows = db.execute(_SQL["items"], (_list(scopes), NOTE_SPAN - 1)).fetchall()
    if not rows:
        return []
    with closing(sqlite3.connect(":memory:")) as own:
        own.execute(ITEM_WORDS)
        item_texts = [f"{row[2]} {row[3]}" for row in rows]
        texts = ((number, f"{text} {spelled_out(text)}") for number, text in enumerate(item_texts))
        own.executemany("insert into words(rowid, text) values (?, ?)", texts)
        holders = {
            word: {row[0] for row in own.execute(_HOLDERS, (f'"{storable(word)}"',))} for word in words
        }
    term_sets = (frozenset(w for w in words if number in holders[w]) for number in range(len(rows)))
    pairs = zip(rows, term_sets, strict=True)
    return [ChecklistHit(read_entry(row[:10]), row[10], row[11], terms) for row, terms in pairs if terms]


def entries_by_letters(
    db: sqlite3.Connection, words: Sequence[str], most: int | None = None
) -> list[EntryMatch]:
    """At most `most` entries, the archived and superseded too, that hold all words letter by letter."""
    return list(islice(map(_match, db.execute(_SQL["by_letters"], (_list(map(fold, words)),))), most))


def entries_by_text(
    db: sqlite3.Connection, holds: Callable[[str], bool], most: int | None = None
) -> list[EntryMatch]:
    """At most `most` entries, the archived and superseded too, whose text or headings `holds` accepts."""
    rows = [rowid for rowid, *texts in db.execute(_ALL) if any(map(holds, filter(None, texts)))]
    return list(islice(map(_match, db.execute(_SQL["these"], (json.dumps(rows),))), most))
