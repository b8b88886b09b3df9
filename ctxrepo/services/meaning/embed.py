"""Every entry's texts become vectors, those that aren't yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from ctxrepo.lazy import dataclass
from ctxrepo.services.meaning.meanings import scopes_of, texts_of
from ctxrepo.storage.meaning.embedder import BATCH, Embedder
from ctxrepo.storage.meaning.vectors import Vectors, digest_of

TOGETHER = 16
"""Batches that are kept in one transaction."""


@dataclass(frozen=True)
class EmbeddingState:
    """How many of the entries' texts are vectors."""

    done: int
    texts: int

    @property
    def behind(self) -> int:
        return self.texts - self.done


def standing(cache: sqlite3.Connection, vectors: Vectors) -> EmbeddingState:
    wanted = {digest_of(text) for text in _texts(cache)}
    return EmbeddingState(vectors.count(wanted), len(wanted))


def pending(cache: sqlite3.Connection, vectors: Vectors) -> list[str]:
    """The texts that are no vectors yet; what nobody needs any more is let go of."""
    wanted = {digest_of(text): text for text in _texts(cache)}
    known = vectors.some(wanted.keys())
    vectors.tidy(set(wanted))
    return [text for digest, text in wanted.items() if digest not in known]


def embed(
    vectors: Vectors,
    embedder: Embedder,
    texts: Sequence[str],
    tell: Callable[[int, int], bool],
) -> int:
    """Embed `texts` and keep what they become, until `tell` (of how many there are) says to stop."""
    ordered = sorted(texts, key=len)
    step = BATCH * TOGETHER
    for first in range(0, len(ordered), step):
        if not tell(first, len(ordered)):
            return first
        some = ordered[first : first + step]
        vectors.put([digest_of(text) for text in some], embedder.entries(some))
    tell(len(ordered), len(ordered))
    return len(ordered)


def _texts(cache: sqlite3.Connection) -> list[str]:
    return [text for scope in scopes_of(cache) for entry in texts_of(cache, scope) for text in entry.texts]
