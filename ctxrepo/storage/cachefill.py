"""Fills an empty cache with all the notes of a memory, on as many cores as there are."""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from ctxrepo.domain.evidence import Marks
from ctxrepo.domain.note import Note
from ctxrepo.domain.paths import is_note
from ctxrepo.hot.cache import NOTE_SPAN, SCOPE_SPAN
from ctxrepo.storage import cachedocuments as documents
from ctxrepo.storage.ahead import ahead
from ctxrepo.storage.cacherows import Rows, rows_of, storable
from ctxrepo.storage.cacheschema import INDEX_OF_IDS
from ctxrepo.storage.database import transaction

BATCH = 500
"""Notes that are put in while others wait to write."""

_MEMORY_KIB = 64 * 1024
_PAGES_BETWEEN_SYNCS = 10_000


def fill(
    db: sqlite3.Connection,
    paths: Iterable[str],
    read: Callable[[str], str | None],
    marks: Marks,
    tell: Callable[[int], None],
) -> None:
    """Put the notes at `paths` in; `read` gives the text of one, None for what is none after all.

    They are read and laid out ahead by other processes; this one puts them in, a transaction for each batch,
    and before each `tell` is told how many are in.
    """
    notes, scopes = _numbered(sorted(path for path in paths if is_note(storable(path))))
    batches = [notes[n : n + BATCH] for n in range(0, len(notes), BATCH)]

    def rows(number: int) -> bytes:
        texts = ((note_id, path, read(path)) for note_id, path in batches[number])
        found = [rows_of(Note(p, text), n, marks, generation=1) for n, p, text in texts if text is not None]
        return marshal.dumps([tuple(row) for row in found])

    with _much_to_write(db):
        db.executemany("insert into scope values (?, ?, 0)", enumerate(scopes, 1))
        for number, done in enumerate(ahead(rows, len(batches))):
            tell(number * BATCH)
            with transaction(db):
                _put(db, [Rows(*row) for row in marshal.loads(done)], batches[number])


@contextmanager
def _much_to_write(db: sqlite3.Connection) -> Iterator[None]:
    """More memory and fewer syncs; and ids come in no order, so that their index is built at the end."""
    db.execute(f"pragma cache_size = -{_MEMORY_KIB}")
    db.execute(f"pragma wal_autocheckpoint = {_PAGES_BETWEEN_SYNCS}")
    db.execute("drop index if exists entry_id")
    try:
        yield
    finally:
        db.execute(INDEX_OF_IDS)
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


def _put(db: sqlite3.Connection, rows: Sequence[Rows], batch: Sequence[tuple[int, str]]) -> None:
    documents.put(db, rows)
    documents.index(db, batch[0][0], batch[-1][0] + NOTE_SPAN - 1)
    documents.recount(db, {row.id // SCOPE_SPAN for row in rows})
