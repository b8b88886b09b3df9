"""Writes cache.db: fills an empty one on as many cores as there are, and brings one up to date."""

from __future__ import annotations

import json
import marshal
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.tape.touched_files import FirstFile
from ctxrepo.hooks.known.cached import NOTE_SPAN, SCOPE_SPAN
from ctxrepo.storage.cache import layout as documents
from ctxrepo.storage.cache.layout import (
    INDEX_OF_IDS,
    NewestHandoff,
    Rows,
    digest_of,
    is_pinned,
    is_recalled,
    read_entry,
    rows_of,
    storable,
)
from ctxrepo.storage.cache.reading import CacheReading
from ctxrepo.storage.processes.database import Healing, give_way, rerun_if_damaged, transaction

BATCH = 60
"""Notes that are read and laid out at once: few, so that whoever puts them in has never long to wait."""

TOGETHER = 32
"""Batches that are put in and indexed in one transaction, while others wait to write."""

_FORMAT = 2
"""Version of marshal's format; later ones look for repeated objects, which takes longer than writing."""

_MEMORY_KIB = 64 * 1024
_TUNE = "insert into words(words, rank) values (?, ?)"
_WHILE_FILLING = {"hashsize": _MEMORY_KIB * 1024, "automerge": 0}
_USUAL = {"hashsize": 1024 * 1024, "automerge": 4}
"""FTS5 options while filling, and its defaults, which are set again afterwards. hashsize: bytes of words that
are kept in memory; automerge: from how many segments of one level FTS5 merges them (0: never)."""


@contextmanager
def _much_to_write(db: sqlite3.Connection) -> Iterator[None]:
    """Settings for a large write: more memory, fewer syncs; ids come in random order: their index last."""
    db.execute(f"pragma cache_size = -{_MEMORY_KIB}")
    db.execute("pragma wal_autocheckpoint = 10000")  # pages
    db.executemany(_TUNE, _WHILE_FILLING.items())
    db.execute("drop index if exists entry_id")
    try:
        yield
    finally:
        db.execute(INDEX_OF_IDS)  # when it broke off before
        db.executemany(_TUNE, _USUAL.items())
        db.execute("pragma cache_size = -2000")
        db.execute("pragma wal_autocheckpoint = 1000")


def _numbered(paths: Sequence[str]) -> tuple[list[tuple[int, str]], list[str]]:
    """(number, path) of each note, those of a scope in the range that is the scope's; and the scopes."""
    counts: dict[str, int] = {}
    notes = []
    for path in paths:
        scope = storable(path.partition("/")[0])
        counts[scope] = counts.get(scope, 0) + 1
        notes.append((len(counts) * SCOPE_SPAN + counts[scope] * NOTE_SPAN, path))
    return notes, list(counts)


_SHOW = "update entry set pinned = ?, struck = ?, found = ? where rowid = ?"
_TOUCH_NOTE = """
    update note set generation = ?,
        pinned = exists (select 1 from entry where note = note.id and pinned and not struck)
    where id = (select note from entry where rowid = ?)
"""
_MARKED = """
    select e.rowid, n.listed, n.working, e.id, n.path, e.heading, e.text, e.first_line, e.last_line,
        e.pinned, e.struck, e.hash
    from entry e join note n on n.id = e.note
    where e.pinned or e.struck or e.id in (select value from json_each(?))
"""


def _empty(cache: Cache) -> None:
    cache.clear()


class Cache(CacheReading):
    """The open cache. One process writes at a time; hooks read meanwhile and see whole transactions."""

    def apply(
        self,
        head: str,
        changed: Iterable[Note],
        removed: Iterable[str],
        marks: Marks,
        handoffs: Iterable[NewestHandoff] = (),
    ) -> bool:
        """Bring the cache to commit `head` in one transaction, with a new generation; False when nothing
        changed. `changed`: notes as in `head`, and other files, which are ignored. `marks`: of all
        entries. `handoffs`: of scopes whose tape changed. A damaged cache is emptied instead: its `head`
        is then ''.
        """
        with Healing(self.clear), transaction(self._db):
            generation = self.generation + 1
            scopes = {scope for path in removed if (scope := self._drop(storable(path)))}
            scopes |= {scope for note in changed if (scope := self._put(note, generation, marks))}
            scopes |= self._mark(marks, generation)
            documents.put_handoffs(self._db, handoffs)
            documents.set_meta(self._db, head=head)
            if scopes:
                documents.set_meta(self._db, generation=str(generation))
                documents.recount(self._db, scopes)
            return bool(scopes)
        return False

    def fill(
        self,
        head: str,
        paths: Iterable[str],
        read: Callable[[str], str | None],
        marks: Marks,
        progress: Callable[[int], None],
        handoffs: Iterable[NewestHandoff] = (),
    ) -> None:
        """Empty the cache, then fill it with the notes of commit `head`; `read` gives a note's text, None
        for none. It bears `head` when all is in; until then `progress` hears how many notes are. Of two
        that fill it at once one may find it damaged: it is then emptied again.
        """
        self.clear()
        with Healing(self.clear):
            self._fill(head, paths, read, marks, progress, handoffs)

    def _fill(
        self,
        head: str,
        paths: Iterable[str],
        read: Callable[[str], str | None],
        marks: Marks,
        progress: Callable[[int], None],
        handoffs: Iterable[NewestHandoff],
    ) -> None:
        """Notes are read and laid out ahead by other processes; this one puts them in."""
        notes, scopes = _numbered(sorted(path for path in paths if is_note(storable(path))))
        batches = [notes[n : n + BATCH] for n in range(0, len(notes), BATCH)]

        from ctxrepo.storage.processes.work_ahead import work_ahead  # for a whole cache, which is rare

        def rows(number: int) -> bytes:
            texts = ((note_id, path, read(path)) for note_id, path in batches[number])
            given = ((n, Note(path, text)) for n, path, text in texts if text is not None)
            found = [rows_of(note, n, marks, generation=1) for n, note in given]
            return marshal.dumps([tuple(row) for row in found], _FORMAT)

        with _much_to_write(self._db):
            self._db.executemany("insert into scope values (?, ?, 0, 0)", enumerate(scopes, 1))
            laid_out = work_ahead(rows, len(batches))
            for first in range(0, len(batches), TOGETHER):
                group = batches[first : first + TOGETHER]
                with transaction(self._db):
                    for number, batch in enumerate(islice(laid_out, len(group)), first):
                        progress(number * BATCH)
                        documents.put(self._db, [Rows(*row) for row in marshal.loads(batch)])
                    numbers = [number for batch in group for number, _ in batch]
                    documents.index(self._db, numbers[0], numbers[-1] + NOTE_SPAN - 1)
                    documents.recount(self._db, {number // SCOPE_SPAN for number in numbers})
                give_way(self._db)
            with transaction(self._db):
                self._db.execute(INDEX_OF_IDS)
                documents.put_handoffs(self._db, handoffs)
                documents.set_meta(self._db, generation="1", head=head)

    @rerun_if_damaged(_empty)
    def set_faults(self, faults: Iterable[str]) -> bool:
        """The lines to tell every session once, in place of those of before; False when they are the same."""
        texts = dict.fromkeys(storable(text) for text in faults)
        if self.faults() == list(texts):  # the usual case: no writer has to be waited for
            return False
        with transaction(self._db):
            self._db.execute("delete from fault")
            self._db.executemany("insert into fault values (?, ?)", ((digest_of(t), t) for t in texts))
        return True

    @rerun_if_damaged(_empty)
    def set_handoffs(self, handoffs: Iterable[NewestHandoff]) -> None:
        """Put the newest handoff of these scopes in the place of the one before; no commit holds it."""
        with transaction(self._db):
            documents.put_handoffs(self._db, handoffs)

    @rerun_if_damaged(_empty)
    def set_recent(self, firsts: Mapping[tuple[str, str], Sequence[FirstFile]], stamp: str) -> None:
        """Store what comes first, by project and whose settings say so; `stamp` is that of the sources."""
        with transaction(self._db):
            self._db.execute("delete from recent")
            for (project, owner), files in firsts.items():
                for position, file in enumerate(files):
                    place = (storable(file.top), storable(file.path), file.rank, storable(file.why))
                    values = (storable(project), owner, position, *place)
                    self._db.execute("insert into recent values (?, ?, ?, ?, ?, ?, ?)", values)
            documents.set_meta(self._db, recent=stamp)

    @rerun_if_damaged(_empty)
    def note_round(self, began: float) -> None:
        """Note that a round of the worker from `began` on is over: what waited is done, or can't be."""
        with transaction(self._db):
            last = self.last_round
            before = last if last <= time.time() else 0.0  # the clock was put back since
            documents.set_meta(self._db, settled=repr(max(float(began), before)))

    @rerun_if_damaged(_empty)
    def note_all_committed(self, mark: str) -> None:
        """Note that a commit holds all there is; `mark` stays the same as long as nothing moves."""
        with transaction(self._db):
            documents.set_meta(self._db, all_committed=mark)

    @rerun_if_damaged(_empty)
    def store_stamps(self, stamps: Mapping[str, Mapping[str, str]]) -> None:
        """Store the stamps of files and folders, by scope and path, in place of those from before."""
        rows = [
            (storable(scope), storable(path), stamp)
            for scope, paths in stamps.items()
            for path, stamp in paths.items()
        ]
        with transaction(self._db):
            self._db.execute("delete from seen")
            self._db.executemany("insert or replace into seen values (?, ?, ?)", rows)

    def _put(self, note: Note, generation: int, marks: Marks) -> int:
        """Put a note in the place of its earlier version; returns the number of the changed scope, or 0."""
        path = storable(note.path)
        if not is_note(path):
            return 0
        old = self._db.execute("select hash from note where path = ?", (path,)).fetchone()
        if old and old[0] == digest_of(storable(note.text)):
            return 0
        self._drop(path)
        number = documents.new_number(self._db, storable(note.scope_folder))
        documents.put(self._db, [rows_of(note, number, marks, generation)])
        documents.index(self._db, number, number + NOTE_SPAN - 1)
        return number // SCOPE_SPAN

    def _drop(self, path: str) -> int:
        """Take a note out. Returns the number of the scope that changed, 0 for none."""
        row = self._db.execute("select id from note where path = ?", (path,)).fetchone()
        if row is None:
            return 0
        documents.drop(self._db, row[0])
        return int(row[0] // SCOPE_SPAN)

    def _mark(self, marks: Marks, generation: int) -> set[int]:
        """Bring `pinned` and `struck` of entries up to the marks; returns the numbers of changed scopes."""
        ids = json.dumps(sorted(marks.pinned | marks.struck))
        due = []
        for rowid, is_listed, working, *row in self._db.execute(_MARKED, (ids,)).fetchall():
            known = read_entry(row)
            after = (is_pinned(known.entry, marks), known.entry.id in marks.struck)
            if after != (known.is_pinned, known.is_struck):
                may_be = is_recalled(known.entry.text, bool(is_listed), working)
                due.append((rowid, may_be, known.is_struck, *after))
        for rowid, may_be, was_struck, pinned, struck in due:
            if may_be and struck and not was_struck:
                self._db.execute("delete from words where rowid = ?", (rowid,))
            self._db.execute(_SHOW, (pinned, struck, may_be and not struck, rowid))
            if may_be and was_struck and not struck:
                documents.index(self._db, rowid, rowid)
            self._db.execute(_TOUCH_NOTE, (generation, rowid))
        return {int(rowid // SCOPE_SPAN) for rowid, *_ in due}
