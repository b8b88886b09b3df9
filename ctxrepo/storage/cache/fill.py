"""Fills an empty cache with all the notes of a memory, on as many cores as there are."""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known.cached import NOTE_SPAN, SCOPE_SPAN
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache import documents as documents
from ctxrepo.storage.cache.rows import NewestHandoff, Rows, rows_of, storable
from ctxrepo.storage.cache.schema import INDEX_OF_IDS
from ctxrepo.storage.processes.database import give_way, transaction
from ctxrepo.storage.processes.work_ahead import work_ahead

BATCH = 60
"""Notes that are read and laid out at once: few, so that whoever puts them in has never long to wait."""

TOGETHER = 32
"""Batches that are put in and indexed in one transaction, while others wait to write."""

_FORMAT = 2
"""Version of marshal's format. Later ones detect repeated objects, which takes longer than writing them
twice."""

_MEMORY_KIB = 64 * 1024
_TUNE = "insert into words(words, rank) values (?, ?)"
_WHILE_FILLING = {"hashsize": _MEMORY_KIB * 1024, "automerge": 0}
_USUAL = {"hashsize": 1024 * 1024, "automerge": 4}
"""FTS5 options while filling, and its defaults, which are set again afterwards. hashsize: bytes of words that
are kept in memory; automerge: from how many segments of one level FTS5 merges them (0: never)."""


@dataclass(frozen=True)
class CacheSource:
    """What a cache is filled with: the notes at `paths` in the commit `head`, and what is known beside them.

    `read` gives the text of a note, None for what is none after all.
    """

    head: str
    paths: Iterable[str]
    read: Callable[[str], str | None]
    marks: Marks
    handoffs: Iterable[NewestHandoff] = ()


def fill(db: sqlite3.Connection, source: CacheSource, progress: Callable[[int], None]) -> None:
    """Put all of `source` in.

    Notes are read and laid out ahead by other processes; this one puts them in, and calls `progress` with how
    many are in before each batch. The cache bears the source's head when all is in.
    """
    notes, scopes = _numbered(sorted(path for path in source.paths if is_note(storable(path))))
    batches = [notes[n : n + BATCH] for n in range(0, len(notes), BATCH)]

    def rows(number: int) -> bytes:
        texts = ((note_id, path, source.read(path)) for note_id, path in batches[number])
        given = ((n, Note(path, text)) for n, path, text in texts if text is not None)
        found = [rows_of(note, n, source.marks, generation=1) for n, note in given]
        return marshal.dumps([tuple(row) for row in found], _FORMAT)

    with _much_to_write(db):
        db.executemany("insert into scope values (?, ?, 0, 0)", enumerate(scopes, 1))
        laid_out = work_ahead(rows, len(batches))
        for first in range(0, len(batches), TOGETHER):
            group = batches[first : first + TOGETHER]
            with transaction(db):
                for number, batch in enumerate(islice(laid_out, len(group)), first):
                    progress(number * BATCH)
                    documents.put(db, [Rows(*row) for row in marshal.loads(batch)])
                numbers = [number for batch in group for number, _ in batch]
                documents.index(db, numbers[0], numbers[-1] + NOTE_SPAN - 1)
                documents.recount(db, {number // SCOPE_SPAN for number in numbers})
            give_way(db)
        with transaction(db):
            db.execute(INDEX_OF_IDS)
            documents.put_handoffs(db, source.handoffs)
            documents.set_meta(db, generation="1", head=source.head)


@contextmanager
def _much_to_write(db: sqlite3.Connection) -> Iterator[None]:
    """Settings for a large write: more memory, fewer syncs. Ids come in random order, so their index is
    dropped and built at the end."""
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
