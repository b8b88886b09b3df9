"""Opens cache.db, reads it and searches it; one that can't be read or has another layout is built anew."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, Self, TypeVar

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.words.prompt_terms import fold, is_of_word
from ctxrepo.hooks.known.cached import LAST, NOTE_SPAN
from ctxrepo.hooks.known.packet_rows import index_of
from ctxrepo.hooks.recall.prompt_query import score_by_words
from ctxrepo.storage.cache.layout import (
    ITEM_WORDS,
    SCHEMA,
    CachedEntry,
    CachedNote,
    Fault,
    read_entry,
    read_note,
    spelled_out,
)
from ctxrepo.storage.processes.database import discard, rerun_if_damaged, storable, transaction

if TYPE_CHECKING:
    from ctxrepo.domain.records.evidence import Evidence

_SQL = texts_beside(__spec__, "reading.sql")
_OWN = "(e.rowid in (select rowid from words where words match ?{}))"
_OF_NOTE = "(n.id in (select rowid from words where words match ?{}))"
_ALL = "select rowid, text, heading from entry"
_HOLDERS = "select rowid from words where words match ?"
_SCOPES = "select name from scope"
_ALIKE = 40
"""Entries that are told as like a text."""

_T = TypeVar("_T")
_P = ParamSpec("_P")

Question = Callable[Concatenate[sqlite3.Connection, _P], _T]
"""A function in the module of a computed table, which is asked with the open cache and more."""

Found = tuple[CachedEntry, str, float]
"""(entry, tags of its note joined by ', ', score: higher is better, 0 where nothing tells)"""


class ChecklistHit(NamedTuple):
    """An item of a checklist, when its note was updated, and those of some words that it holds."""

    entry: CachedEntry
    tags: str
    updated: str
    words: frozenset[str]


def _found(row: Sequence[Any]) -> Found:
    return read_entry(row[:10]), row[10], row[11]


def _list(words: Iterable[str]) -> str:
    return json.dumps([storable(word) for word in words])


_UNCHANGED = "select hash from note where path = ? and generation <= ?"
_ENTRIES_OF_SCOPE = _SQL["entries"] + "n.scope = ? order by n.path, e.first_line"
_ENTRIES_OF_NOTE = _SQL["entries"] + "n.path = ? order by e.first_line"
_ENTRIES_BEGINNING = _SQL["entries"] + "e.id >= ? and e.id < ? order by e.id, n.path limit ?"
_FACTS = (
    _SQL["entries"]
    + "n.scope = ? and n.working = 0 and not n.is_log and e.found order by n.path, e.first_line"
)
_ENTRY_BY_ID = _SQL["entries"] + "e.id = ? order by n.path, e.first_line limit 1"


def _opened(path: Path) -> sqlite3.Connection:
    db = SCHEMA.open(path)
    db.create_function("fold", 1, fold, deterministic=True)
    return db


def _empty(cache: "CacheReading") -> None:
    cache.clear()


class CacheReading:
    """The open cache and what it holds."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db
        self.parsed: dict[tuple[str, str], tuple[bool, list[Evidence]]] = {}
        """What was parsed of evidence files that have no rows, by what the cache has and what they are."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """The cache at `path`, made when missing and silently emptied when it can't be used."""
        return cls(path, _opened(path))

    def close(self) -> None:
        self._db.close()

    @rerun_if_damaged(_empty)
    def ask(self, question: "Question[_P, _T]", /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """The answer to a question; what it reads is all of one moment."""
        self._db.execute("begin")
        try:
            return question(self._db, *args, **kwargs)
        finally:
            self._db.execute("commit")

    @property
    def head(self) -> str:
        """The commit the cache reflects; '' when it is empty."""
        return self._meta("head")

    @property
    def tree(self) -> str:
        """The tree it shows: that of `head` and what waits for a commit on top of it; '' if nothing waits."""
        return self._meta("tree")

    @property
    def entry_count(self) -> int:
        """How many entries are in it by now."""
        return int(self._db.execute("select count(*) from entry").fetchone()[0])

    @property
    def scopes(self) -> list[str]:
        """The folders of all scopes."""
        return [row[0] for row in self._db.execute(_SCOPES)]

    @property
    def generation(self) -> int:
        return int(self._meta("generation") or 0)

    @property
    def last_round(self) -> float:
        """Unix seconds at which the worker's last round began that is over; 0 when there was none."""
        return float(self._meta("settled") or 0)

    @property
    def all_committed(self) -> str:
        """The mark of everything as it was when a commit was last found to hold it all."""
        return str(self.noted("mark") or "")

    @rerun_if_damaged(_empty)
    def indexed(self, paths: Iterable[str]) -> set[str]:
        """Those of these notes that the index of a packet lists."""
        query = "select path from note where path = ? and listed = 1 and working = 0"
        return {path for path in paths if self._db.execute(query, (storable(path),)).fetchone()}

    @rerun_if_damaged(_empty)
    def watched_stamps(self) -> dict[str, dict[str, str]]:
        """Stamps by path of the files and folders that are watched, of each scope in which sessions are: what
        they had when they were last as the cache has them. The scope that was used last comes last."""
        found: dict[str, dict[str, str]] = {}
        for scope, path, stamp in self._db.execute("select scope, path, stamp from seen order by rowid"):
            found.setdefault(scope, {})[path] = stamp
        return found

    @rerun_if_damaged(_empty)
    def first_paths(self, scope: str, most: int) -> list[str]:
        """Paths of the notes of a scope that a packet lists first."""
        rows, _ = index_of(self._db, storable(scope), most)
        return [row.path for row in rows]

    @rerun_if_damaged(_empty)
    def faults(self) -> list[Fault]:
        """What sessions are told is wrong."""
        return [Fault(*row) for row in self._db.execute("select kind, text from fault order by rowid")]

    @rerun_if_damaged(_empty)
    def facts(self, scope: str) -> list[CachedEntry]:
        """The entries of a scope that prompts may bring, by path and line, without those of logs."""
        return [read_entry(row) for row in self._db.execute(_FACTS, (storable(scope),))]

    @rerun_if_damaged(_empty)
    def flawed(self) -> list[tuple[str, str]]:
        """(path, what is wrong with it) of each note with something wrong, sorted."""
        return self._db.execute("select path, problem from note where problem != '' order by path").fetchall()

    @rerun_if_damaged(_empty)
    def notes(self, scopes: Iterable[str]) -> list[CachedNote]:
        """Every note of `scopes`, those that are not listed too, scope by scope and by path."""
        rows = (self._db.execute(_SQL["notes"], (storable(scope),)) for scope in scopes)
        return [read_note(row) for of_scope in rows for row in of_scope]

    @rerun_if_damaged(_empty)
    def counted_notes(self, scopes: Iterable[str]) -> list[tuple[CachedNote, int]]:
        """As `notes`, each with how many entries it has."""
        counts = dict(self._db.execute("select note, count(*) from entry group by note").fetchall())
        rows = [row for scope in scopes for row in self._db.execute(_SQL["counted"], (storable(scope),))]
        return [(read_note(row[1:]), counts.get(row[0], 0)) for row in rows]

    @rerun_if_damaged(_empty)
    def hash_since(self, path: str, generation: int) -> str:
        """The hash of a note that hasn't changed after `generation`; '' for others and for none."""
        row = self._db.execute(_UNCHANGED, (storable(path), generation)).fetchone()
        return str(row[0]) if row else ""

    @rerun_if_damaged(_empty)
    def entries(self, scopes: Iterable[str]) -> list[CachedEntry]:
        """Every entry of `scopes`, the struck and the archived too, by path and line."""
        wanted = [storable(scope) for scope in scopes]
        return [read_entry(row) for scope in wanted for row in self._db.execute(_ENTRIES_OF_SCOPE, (scope,))]

    @rerun_if_damaged(_empty)
    def entries_of(self, path: str) -> list[CachedEntry]:
        """Every entry of a note, by line."""
        return [read_entry(row) for row in self._db.execute(_ENTRIES_OF_NOTE, (storable(path),))]

    @rerun_if_damaged(_empty)
    def find_entry(self, entry_id: str) -> CachedEntry | None:
        """The entry with this id, the first by path where a person gave one id twice."""
        row = self._db.execute(_ENTRY_BY_ID, (storable(entry_id),)).fetchone()
        return read_entry(row) if row else None

    @rerun_if_damaged(_empty)
    def entries_beginning(self, start: str, most: int) -> list[CachedEntry]:
        """At most `most` entries whose id begins with `start`, by id and path."""
        rows = self._db.execute(_ENTRIES_BEGINNING, (storable(start), storable(start) + LAST, most))
        return [read_entry(row) for row in rows]

    @rerun_if_damaged(_empty)
    def notes_with(self, words: Sequence[str]) -> list[CachedNote]:
        """Notes of every scope whose path, description, tags or other names hold all words; all without."""
        rows = self._db.execute(_SQL["notes_with_words"], (_list(map(fold, words)),))
        return list(map(read_note, rows))

    @rerun_if_damaged(_empty)
    def entries_by_words(self, words: Sequence[str], most: int) -> list[Found]:
        """At most `most` live entries with all words in any form, best first; then items of checklists. A
        phrase is more than its words, and left to `entries_by_letters`."""
        words = list(map(fold, words))
        if not words or not all(map(is_of_word, "".join(words))):
            return []
        places = range(1, len(words) + 1)
        own = " + ".join(_OWN.format(place) for place in places)
        every = " and ".join(f"({_OWN.format(place)} or {_OF_NOTE.format(place)})" for place in places)
        query = _SQL["by_words"].format(own=own, every=every)
        rows = self._db.execute(query, [f'"{storable(word)}"' for word in words])
        found = list(islice(map(_found, rows), most))
        if len(found) < most:
            hits = (item for item in self.checklist_items(self.scopes, words) if item.words.issuperset(words))
            found += [(item.entry, item.tags, float(len(words))) for item in hits]
        return found[:most]

    @rerun_if_damaged(_empty)
    def alike(self, text: str, scope: str) -> list[CachedEntry]:
        """The entries of a scope that share most of the rare words of a text, the likeliest first."""
        scores, _ = score_by_words(self._db, text, [], [storable(scope)])
        best = sorted(scores, key=lambda number: (-scores[number], number))[:_ALIKE]
        found = self.entries_numbered(best)
        return [found[number][0] for number in best]

    @rerun_if_damaged(_empty)
    def checklist_items(self, scopes: Sequence[str], words: Sequence[str]) -> list[ChecklistHit]:
        """The items of the scopes' checklists that hold any of the words, in any of its forms. Prompts don't
        ask for them, so their index is made on the spot; a checklist is short."""
        rows = self._db.execute(_SQL["items"], (_list(scopes), NOTE_SPAN - 1)).fetchall()
        if not rows:
            return []
        with closing(sqlite3.connect(":memory:")) as own:
            own.execute(ITEM_WORDS)
            said = [f"{row[2]} {row[3]}" for row in rows]
            texts = ((number, f"{text} {spelled_out(text)}") for number, text in enumerate(said))
            own.executemany("insert into words(rowid, text) values (?, ?)", texts)
            holders = {
                word: {row[0] for row in own.execute(_HOLDERS, (f'"{storable(word)}"',))} for word in words
            }
        held = (frozenset(w for w in words if number in holders[w]) for number in range(len(rows)))
        found = zip(rows, held, strict=True)
        return [ChecklistHit(read_entry(row[:10]), row[10], row[11], those) for row, those in found if those]

    @rerun_if_damaged(_empty)
    def entries_by_letters(self, words: Sequence[str], most: int | None = None) -> list[Found]:
        """At most `most` entries, the archived and superseded too, that hold all words letter by letter."""
        rows = self._db.execute(_SQL["by_letters"], (_list(map(fold, words)),))
        return list(islice(map(_found, rows), most))

    @rerun_if_damaged(_empty)
    def entries_by_text(self, holds: Callable[[str], bool], most: int | None = None) -> list[Found]:
        """At most `most` entries, the archived and superseded too, whose text or headings `holds` accepts."""
        rows = [rowid for rowid, *texts in self._db.execute(_ALL) if any(map(holds, filter(None, texts)))]
        return list(islice(map(_found, self._db.execute(_SQL["these"], (json.dumps(rows),))), most))

    @rerun_if_damaged(_empty)
    def entries_numbered(self, numbers: Sequence[int]) -> dict[int, Found]:
        """The entries of these numbers, by them."""
        rows = self._db.execute(_SQL["numbered"], (json.dumps(numbers),))
        return {number: _found(row) for number, *row in rows}

    @rerun_if_damaged(_empty)
    def digests(self) -> dict[str, str]:
        """path -> digest of its text, for every note."""
        return dict(self._db.execute("select path, hash from note"))

    def is_sound(self) -> bool:
        """Whether every page reads well, and every entry is found by its words and by no others."""
        try:
            self._db.execute("insert into words(words, rank) values ('integrity-check', 1)")
            return [*self._db.execute("pragma quick_check(1)")] == [("ok",)]
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            return False

    def clear(self) -> None:
        """Forget everything, also when the file turns out to be damaged; the next `apply` starts anew."""
        try:
            with transaction(self._db):
                SCHEMA.build(self._db)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._db.close()
            discard(self.path)
            self._db = _opened(self.path)

    def noted(self, name: str) -> Any:
        """What was noted under a name: paths that are `ignored`, why paths are `unread`; {} for nothing."""
        return json.loads(self._meta(name) or "{}")

    def _meta(self, key: str) -> str:
        row = self._db.execute("select value from meta where key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""
