"""Meanings of all entries as vectors: made, kept and compared."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.text import blake2b
from ctxrepo.hooks.known.cached import BETWEEN_TITLES, NOTE_SPAN, commit_of, generation_of
from ctxrepo.services.meaning.fusion import FUSION, Array, around, combined, spread_of, told_apart
from ctxrepo.storage.cache.entries import all_scopes
from ctxrepo.storage.meaning.vectors import BATCH, Embedder, Vectors, digest_of, row_of

TOGETHER = 16
"""Batches that are kept in one transaction."""


def standing(cache: sqlite3.Connection, vectors: Vectors) -> tuple[int, int]:
    """How many of the entries' texts are no vectors yet, and how many there are."""
    digests = {digest_of(text) for text in _texts(cache)}
    return len(digests) - vectors.count(digests), len(digests)


def pending(cache: sqlite3.Connection, vectors: Vectors) -> list[str]:
    """The texts that are no vectors yet; what nobody needs any more is let go of."""
    by_digest = {digest_of(text): text for text in _texts(cache)}
    known = vectors.some(by_digest.keys())
    vectors.tidy(set(by_digest))
    return [text for digest, text in by_digest.items() if digest not in known]


def embed(
    vectors: Vectors, embedder: Embedder, texts: Sequence[str], tell: Callable[[int, int], bool]
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
    return [text for scope in all_scopes(cache) for entry in texts_of(cache, scope) for text in entry.texts]


USUAL = text_beside(__spec__, "usual.prompts").splitlines()
"""Prompts that ask nothing of a memory: what they reach with an entry, any prompt does."""

ALIKE = text_beside(__spec__, "alike.prompts").splitlines()
"""Prompts of which each two say the same, without a telling word in common."""

NARROW, TOLD_APART = 0.4, 0.25
"""A model with less spread, to which ALIKE are hardly nearer than other prompts, was broken when its weights
were rounded. A sound one may have a spread of 0.16, as e5 has in 4 bits, and tells them apart by 0.46."""

_MOST = 2000
"""Characters of a text that are looked at; a model takes fewer."""

_ENTRIES = """
    select e.rowid, n.is_log, n.context, n.description, e.heading, e.text
    from note n join entry e on e.note = n.id where n.scope = ? and e.found order by e.rowid"""
_NOTES = "select id, generation, hash from note where scope = ? order by id"


class Texts(NamedTuple):
    """An entry's number, whether it stands in a log, and what of it is turned into vectors."""

    number: int
    is_log: bool
    plain: str
    context: str
    note: str

    @property
    def texts(self) -> tuple[str, str, str]:
        return self.plain, self.context, self.note


class Space(NamedTuple):
    """The entries of a scope: numbers, a row each for ranking and one for the gate, which are known, and
    which are in logs."""

    numbers: Array
    ranked: Array
    gated: Array
    is_known: Array
    is_log: Array


class Meanings:
    """The spaces of one cache, read when they are asked for and again when they have changed."""

    def __init__(self, vectors: Vectors, embedder: Embedder) -> None:
        self.vectors, self._embedder = vectors, embedder
        self._seen: tuple[str, int] | None = None
        self._read: dict[str, tuple[bytes, Space]] = {}

    def forget(self) -> None:
        """Read all again when it is asked for: there are more vectors."""
        self._read.clear()

    def of(self, cache: sqlite3.Connection, scopes: Iterable[str]) -> Space:
        """The entries of `scopes`, together."""
        now = (commit_of(cache), generation_of(cache))
        if now != self._seen:
            self._read = {
                scope: pair for scope, pair in self._read.items() if pair[0] == _state(cache, scope)
            }
            self._seen = now
        spaces = [self._space(cache, scope) for scope in dict.fromkeys(scopes)]
        if len(spaces) == 1:
            return spaces[0]
        spaces.append(self._laid_out([], {}))  # as many columns also where there is no scope
        return Space(*map(np.concatenate, zip(*spaces, strict=True)))

    def _space(self, cache: sqlite3.Connection, scope: str) -> Space:
        if scope not in self._read:
            texts = list(texts_of(cache, scope))
            digests = {digest_of(text) for entry in texts for text in entry.texts}
            self._read[scope] = (_state(cache, scope), self._laid_out(texts, self.vectors.some(digests)))
        return self._read[scope][1]

    def _laid_out(self, texts: Sequence[Texts], known: dict[bytes, bytes]) -> Space:
        width = self._embedder.width
        parts = np.zeros((3, len(texts), width), np.float32)
        is_known = np.zeros(len(texts), bool)
        for place, entry in enumerate(texts):
            rows = [row_of(known.get(digest_of(text), b""), width) for text in entry.texts]
            if rows[0] is not None and rows[1] is not None:
                is_known[place] = True
                for part, row in zip(parts, rows, strict=True):
                    part[place] = 0.0 if row is None else row
        numbers = np.array([entry.number for entry in texts], np.int64)
        is_log = np.array([entry.is_log for entry in texts], bool)
        ranked = combined(FUSION.ranked, *parts, *around(parts[0], numbers // NOTE_SPAN))
        return Space(numbers, ranked, combined(FUSION.gated, *parts), is_known, is_log)

    def usual(self, rows: Array) -> Array:
        """What prompts that ask for nothing in particular reach with each of `rows`."""
        means: Array = (rows @ self._usual.T).mean(axis=1)
        return means

    @cached_property
    def spread(self) -> float:
        """How far apart the model puts texts about different matters."""
        return spread_of(self._usual)

    def is_sane(self) -> bool:
        """Whether the model tells texts apart by what they mean."""
        return self.spread >= NARROW or told_apart(self._prompts(ALIKE)) >= TOLD_APART

    @cached_property
    def _usual(self) -> Array:
        return self._prompts(USUAL)

    def _prompts(self, texts: Sequence[str]) -> Array:
        return np.array([self._embedder.prompt(text) for text in texts])


def texts_of(cache: sqlite3.Connection, scope: str) -> Iterator[Texts]:
    """What of the scope's entries is turned into vectors."""
    for number, is_log, context, description, heading, text in cache.execute(_ENTRIES, (scope,)):
        about = context.rpartition("\n")[0]  # without what is spelled out for the index
        plain = text.lstrip("-*+ ")[:_MOST]
        above = f"{description or about.strip()} {heading.replace(BETWEEN_TITLES, ' > ')}".strip()
        yield Texts(number, bool(is_log), plain, f"{above}: {plain}"[:_MOST], about.strip()[:_MOST])


def _state(cache: sqlite3.Connection, scope: str) -> bytes:
    return blake2b(repr(cache.execute(_NOTES, (scope,)).fetchall()).encode()).digest()
