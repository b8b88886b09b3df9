"""Owns vectors.db: what texts have become by a model. Disposable, and apart from cache.db, so that a writer
of one never waits for a writer of the other."""

import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from ctxrepo.domain.text import blake2b
from ctxrepo.storage.meaning.embedder import Array
from ctxrepo.storage.processes.database import Schema, discard, open_database, rerun_if_damaged, transaction

_SCHEMA = Schema(1, __spec__, "vectors.sql")
_PUT = "insert or replace into vector values (?, ?, ?)"
_GET = "select text, data from vector where model = ?"
_TIMES = 2
"""Vectors that nobody needs any more are kept until there are so many times what is needed."""

_AT_ONCE = 500
_KEPT = np.float16


def digest_of(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _discard(vectors: "Vectors") -> None:
    vectors._db.close()
    discard(vectors._path)
    vectors._db = _opened(vectors._path)


class Vectors:
    """The vectors of one model."""

    def __init__(self, path: Path, model: str) -> None:
        self._path, self._model = path, model
        self._db = _opened(path)

    def close(self) -> None:
        self._db.close()

    @rerun_if_damaged(_discard)
    def some(self, digests: Collection[bytes]) -> dict[bytes, bytes]:
        """Digest of a text -> its vector as it is kept, of these that are there."""
        found: dict[bytes, bytes] = {}
        wanted = list(digests)
        for first in range(0, len(wanted), _AT_ONCE):
            asked = wanted[first : first + _AT_ONCE]
            places = ",".join("?" * len(asked))
            found.update(self._db.execute(f"{_GET} and text in ({places})", (self._model, *asked)).fetchall())
        return found

    @rerun_if_damaged(_discard)
    def count(self, digests: Collection[bytes]) -> int:
        """How many of these are there."""
        rows = self._db.execute("select text from vector where model = ?", (self._model,))
        return len({row[0] for row in rows} & set(digests))

    @rerun_if_damaged(_discard)
    def put(self, digests: Sequence[bytes], rows: Array) -> None:
        data = [(self._model, d, row.astype(_KEPT).tobytes()) for d, row in zip(digests, rows, strict=True)]
        with transaction(self._db):
            self._db.executemany(_PUT, data)

    @rerun_if_damaged(_discard)
    def tidy(self, needed: set[bytes]) -> None:
        """Let go of other models' vectors, and of gone texts' once these are as many as the others."""
        with transaction(self._db):
            self._db.execute("delete from vector where model != ?", (self._model,))
            there = [row[0] for row in self._db.execute("select text from vector")]
            if len(there) > _TIMES * len(needed):
                gone = [(text,) for text in there if text not in needed]
                self._db.executemany("delete from vector where text = ?", gone)


def row_of(data: bytes, width: int) -> Array | None:
    """A vector as it was kept; None when it isn't of this width."""
    row: Array = np.frombuffer(data, _KEPT) if len(data) == 2 * width else np.empty(0)
    return row if len(row) else None


def _opened(path: Path) -> sqlite3.Connection:
    return open_database(path, _SCHEMA.is_current, _SCHEMA.build)
