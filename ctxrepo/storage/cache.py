"""Owns cache.db: notes and entries of a commit, laid out for reading in a hook. Disposable: what can't be
read, or is laid out otherwise, is built anew."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Self

from ctxrepo.domain.entry import Entry
from ctxrepo.domain.evidence import Marks
from ctxrepo.domain.note import Note
from ctxrepo.domain.paths import is_note
from ctxrepo.storage import cachesearch
from ctxrepo.storage.cacherows import (
    CachedEntry,
    CachedNote,
    cached,
    digest_of,
    entry_row,
    is_aside,
    note_row,
    read_entry,
    read_note,
    storable,
    words_row,
)
from ctxrepo.storage.cacheschema import build, is_current
from ctxrepo.storage.cachesearch import Found
from ctxrepo.storage.database import discard, healing, open_database, transaction

__all__ = ["Cache", "CachedEntry", "CachedNote", "Found"]

_PUT_NOTE = """
    insert into note(path, scope, description, tags, updated, pinned, core, listed, generation, body,
                     body_line, problem, hash)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PUT_ENTRY = "insert into entry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_WORDS = "insert into entry_fts(rowid, text, heading, context, scope) values (?, ?, ?, ?, ?)"
_TOUCH_NOTE = """
    update note set generation = ?,
        pinned = exists (select 1 from entry where note = note.id and pinned and not struck)
    where id = (select note from entry where rowid = ?)
"""
_NOTES = """
    select path, scope, description, tags, updated, pinned, core, listed, generation, problem
    from note where scope = ? order by path
"""
_COUNTED = """
    select id, path, scope, description, tags, updated, pinned, core, listed, generation, problem
    from note where scope = ?
"""
_ENTRIES_OF_SCOPE = """
    select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash
    from entry e join note n on n.id = e.note where n.scope = ? order by n.path, e.first_line
"""
_ENTRY_BY_ID = """
    select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash
    from entry e join note n on n.id = e.note where e.id = ? order by n.path, e.first_line limit 1
"""
_MARKED = """
    select e.rowid, e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash
    from entry e join note n on n.id = e.note
    where e.pinned or e.struck or e.id in (select value from json_each(?))
"""


def _empty(cache: Cache) -> None:
    cache.clear()


class Cache:
    """The open cache. One process writes at a time; hooks read meanwhile and see whole transactions."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db

    @classmethod
    def open(cls, path: Path) -> Self:
        """The cache at `path`, made when missing and silently emptied when it can't be used."""
        return cls(path, open_database(path, is_current, build))

    def close(self) -> None:
        self._db.close()

    @property
    def head(self) -> str:
        """The commit the cache reflects; '' when it is empty."""
        return self._meta("head")

    @property
    def entry_count(self) -> int:
        """How many entries are in it by now."""
        return int(self._db.execute("select count(*) from entry").fetchone()[0])

    @property
    def generation(self) -> int:
        return int(self._meta("generation") or 0)

    @property
    def settled(self) -> float:
        """Unix seconds at which the worker last finished a round; 0 when it never did."""
        return float(self._meta("settled") or 0)

    def apply(self, head: str, changed: Iterable[Note], removed: Iterable[str], marks: Marks) -> bool:
        """Bring the cache to commit `head` in one transaction; False when nothing it holds changed.

        `changed` are notes as they are in `head` (others than *.md are ignored), `removed` paths that are
        gone. `marks` are for all entries, also those of unchanged notes. Whatever changed bears the new
        generation. A cache that turns out to be damaged is emptied instead: its `head` is then ''.
        """
        try:
            return self._apply(head, changed, removed, marks)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self.clear()
            return False

    def _apply(self, head: str, changed: Iterable[Note], removed: Iterable[str], marks: Marks) -> bool:
        with transaction(self._db):
            generation = self.generation + 1
            touched = [self._drop(storable(path)) for path in removed]
            touched += [self._put(note, generation, marks) for note in changed]
            touched.append(self._mark(marks, generation))
            self._set("head", head)
            if any(touched):
                self._set("generation", str(generation))
                count = self._db.execute("select count(*) from entry_fts_docsize").fetchone()[0]
                self._set("entries", str(count))
        return any(touched)

    @healing(_empty)
    def set_handoff(self, scope: str, name: str, ts: str, text: str) -> None:
        """The newest handoff of a scope; an empty `text` takes it away. `ts` begins with its day."""
        values = tuple(storable(v) for v in (scope, name, ts, text.strip("\r\n")))
        with transaction(self._db):
            self._db.execute("delete from handoff where scope = ?", values[:1])
            if values[3]:
                self._db.execute("insert into handoff values (?, ?, ?, ?)", values)

    @healing(_empty)
    def set_faults(self, faults: Iterable[str]) -> None:
        """The lines to tell every session once; those of before that are not among them go."""
        texts = dict.fromkeys(storable(text) for text in faults)
        with transaction(self._db):
            if [row[0] for row in self._db.execute("select text from fault order by rowid")] == list(texts):
                return
            self._db.execute("delete from fault")
            self._db.executemany("insert into fault values (?, ?)", ((digest_of(t), t) for t in texts))

    @healing(_empty)
    def faults(self) -> list[str]:
        """The lines that sessions are told."""
        return [row[0] for row in self._db.execute("select text from fault order by rowid")]

    @healing(_empty)
    def settle(self, now: float) -> None:
        """A round of the worker is over."""
        with transaction(self._db):
            self._set("settled", repr(float(now)))

    @healing(_empty)
    def notes(self, scopes: Iterable[str]) -> list[CachedNote]:
        """Every note of `scopes`, those that are not listed too, scope by scope and by path."""
        return [read_note(row) for scope in scopes for row in self._db.execute(_NOTES, (storable(scope),))]

    @healing(_empty)
    def counted_notes(self, scopes: Iterable[str]) -> list[tuple[CachedNote, int]]:
        """As `notes`, each with how many entries it has."""
        counts = dict(self._db.execute("select note, count(*) from entry group by note").fetchall())
        rows = [row for scope in scopes for row in self._db.execute(_COUNTED, (storable(scope),))]
        return [(read_note(row[1:]), counts.get(row[0], 0)) for row in rows]

    @healing(_empty)
    def entries(self, scopes: Iterable[str]) -> list[CachedEntry]:
        """Every entry of `scopes`, the struck and the archived too, by path and line."""
        wanted = [storable(scope) for scope in scopes]
        return [read_entry(row) for scope in wanted for row in self._db.execute(_ENTRIES_OF_SCOPE, (scope,))]

    @healing(_empty)
    def find_entry(self, entry_id: str) -> CachedEntry | None:
        """The entry with this id, the first by path where a person gave one id twice."""
        row = self._db.execute(_ENTRY_BY_ID, (storable(entry_id),)).fetchone()
        return read_entry(row) if row else None

    @healing(_empty)
    def notes_with(self, words: Sequence[str]) -> list[CachedNote]:
        """Notes of every scope whose path, description or tags hold all words; all notes without words."""
        return list(cachesearch.notes(self._db, words))

    @healing(_empty)
    def entries_by_words(self, words: Sequence[str], most: int) -> list[Found]:
        """At most `most` live entries that hold all words in any of their forms, best first."""
        return list(islice(cachesearch.by_words(self._db, words), most))

    @healing(_empty)
    def entries_by_letters(self, words: Sequence[str], most: int | None = None) -> list[Found]:
        """At most `most` entries, the archived and superseded too, that hold all words letter by letter."""
        return list(islice(cachesearch.by_letters(self._db, words), most))

    @healing(_empty)
    def entries_by_text(self, holds: Callable[[str], bool], most: int | None = None) -> list[Found]:
        """At most `most` entries, the archived and superseded too, whose text or headings `holds` accepts."""
        return list(islice(cachesearch.by_text(self._db, holds), most))

    def clear(self) -> None:
        """Forget everything, also when the file turns out to be damaged; the next `apply` starts anew."""
        try:
            with transaction(self._db):
                build(self._db)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._db.close()
            discard(self.path)
            self._db = open_database(self.path, is_current, build)

    def _put(self, note: Note, generation: int, marks: Marks) -> bool:
        path = storable(note.path)
        if not is_note(path):
            return False
        digest = digest_of(storable(note.text))
        old = self._db.execute("select hash from note where path = ?", (path,)).fetchone()
        if old and old[0] == digest:
            return False
        self._drop(path)
        entries = [cached(entry, marks) for entry in note.entries]
        note_id = self._db.execute(_PUT_NOTE, note_row(note, path, entries, generation, digest)).lastrowid
        first = self._db.execute("select coalesce(max(rowid), 0) + 1 from entry").fetchone()[0]
        numbered = list(enumerate(entries, first))
        self._db.executemany(_PUT_ENTRY, [entry_row(rowid, note_id, e) for rowid, e in numbered])
        if not is_aside(path):
            head = (note.head.description, ", ".join(note.head.tags))
            live = [(rowid, e.entry) for rowid, e in numbered if not e.is_struck]
            self._db.executemany(_PUT_WORDS, [words_row(rowid, entry, *head) for rowid, entry in live])
        return True

    def _drop(self, path: str) -> bool:
        row = self._db.execute("select id from note where path = ?", (path,)).fetchone()
        if row is None:
            return False
        self._db.execute("delete from entry_fts where rowid in (select rowid from entry where note = ?)", row)
        self._db.execute("delete from entry where note = ?", row)
        self._db.execute("delete from note where id = ?", row)
        return True

    def _mark(self, marks: Marks, generation: int) -> bool:
        """Pin, strike and let go again where the marks say otherwise than the cache."""
        ids = json.dumps(sorted(marks.pinned | marks.struck))
        due = []
        for row in self._db.execute(_MARKED, (ids,)).fetchall():
            before, after = read_entry(row[1:]), cached(read_entry(row[1:]).entry, marks)
            if before != after:
                due.append((row[0], before, after))
        for rowid, before, after in due:
            self._db.execute(
                "update entry set pinned = ?, struck = ? where rowid = ?",
                (after.is_pinned, after.is_struck, rowid),
            )
            if after.is_struck and not before.is_struck:
                self._db.execute("delete from entry_fts where rowid = ?", (rowid,))
            elif before.is_struck and not after.is_struck and not is_aside(after.entry.path):
                self._recall_again(rowid, after.entry)
            self._db.execute(_TOUCH_NOTE, (generation, rowid))
        return bool(due)

    def _recall_again(self, rowid: int, entry: Entry) -> None:
        row = self._db.execute("select description, tags from note where path = ?", (entry.path,)).fetchone()
        self._db.execute(_PUT_WORDS, words_row(rowid, entry, row[0], row[1]))

    def _meta(self, key: str) -> str:
        row = self._db.execute("select value from meta where key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def _set(self, key: str, value: str) -> None:
        self._db.execute("insert or replace into meta values (?, ?)", (key, value))
