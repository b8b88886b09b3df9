"""Writes cache.db: notes and entries of a commit, laid out for reading in a hook."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from ctxrepo.domain.entry import Entry
from ctxrepo.domain.evidence import Marks
from ctxrepo.domain.note import Note
from ctxrepo.domain.paths import is_note
from ctxrepo.storage.cachereading import CacheReading
from ctxrepo.storage.cacherows import (
    cached,
    digest_of,
    entry_row,
    is_aside,
    note_row,
    read_entry,
    storable,
    words_row,
)
from ctxrepo.storage.database import healing, transaction

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
_MARKED = """
    select e.rowid, e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash
    from entry e join note n on n.id = e.note
    where e.pinned or e.struck or e.id in (select value from json_each(?))
"""


def _empty(cache: Cache) -> None:
    cache.clear()


class Cache(CacheReading):
    """The open cache. One process writes at a time; hooks read meanwhile and see whole transactions."""

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
    def settle(self, now: float) -> None:
        """A round of the worker is over."""
        with transaction(self._db):
            self._set("settled", repr(float(now)))

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

    def _set(self, key: str, value: str) -> None:
        self._db.execute("insert or replace into meta values (?, ?)", (key, value))
