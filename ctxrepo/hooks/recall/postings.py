"""Which entries and notes hold a word or belong to a day, and what that is worth."""

import _sqlite3

from ctxrepo.domain.words.days import Day
from ctxrepo.hooks.known.cache import ScopeSpan

MAX_DOCUMENTS = 2000
"""A word that more documents of one scope hold is too common to tell anything, and is skipped."""

WORDS_IN_FULL = 16
"""Up to so many words each have MAX_DOCUMENTS. With more words the limit of each shrinks in proportion, so
that a long prompt reads no more documents."""

MAX_IN_ALL = 4000
"""The most documents that are read for all words; the commonest words are left out first."""

ON_THE_DAY = 2.0
"""How much more a day or month that the prompt names counts than a word, for the notes of that time."""

_DOCUMENTS = "select rowid from words where words match ? and rowid between ? and ? limit ?"
_OF_DAY = """
    select id from note where id between ? and ? and listed and day like ? and day <> '' limit ?"""


def worth_of(total: int, holders: int) -> float:
    """The inverse document frequency of BM25; the logarithm is a straight line between powers of 2."""
    scaled = int((1 + (max(total - holders, 0) + 0.5) / (holders + 0.5)) * 65536)
    power = scaled.bit_length() - 1
    return 0.6931 * (power - 16 + scaled / (1 << power) - 1)


def postings(
    cache: _sqlite3.Connection,
    weights: dict[str, float],
    spans: list[ScopeSpan],
    items: list[tuple[str, str]] | None = None,
) -> list[tuple[float, list[int]]]:
    """(weight, numbers of its documents) of each word that any document holds, the rarest first.

    The two words of an item (`numbered_items`) count only where some document holds both: who asks for INC-45
    isn't told of INC-41, nor of 45 days.
    """
    most = MAX_DOCUMENTS * WORDS_IN_FULL // max(WORDS_IN_FULL, len(weights))
    holders = {word: _documents(cache, word, spans, most) for word in weights}
    for kind, number in items or []:
        if {kind, number} <= holders.keys() and not _is_held(cache, f'"{kind}" "{number}"', spans):
            holders[kind] = holders[number] = []
    found = [(weight, holders[word]) for word, weight in weights.items()]
    found.sort(key=_holders)
    kept = []
    read = 0
    for weight, numbers in found:
        read += len(numbers)
        if read > MAX_IN_ALL:
            break
        if numbers:
            kept.append((weight, numbers))
    return kept


def _holders(posting: tuple[float, list[int]]) -> int:
    _, numbers = posting
    return len(numbers)


def _is_held(cache: _sqlite3.Connection, query: str, spans: list[ScopeSpan]) -> bool:
    """Whether some document matches a query of the index."""
    try:
        return any(cache.execute(_DOCUMENTS, (query, s.first, s.last, 1)).fetchone() for s in spans)
    except _sqlite3.OperationalError:
        return True  # SQLite splits a word at a letter that it doesn't know


def _documents(cache: _sqlite3.Connection, word: str, spans: list[ScopeSpan], most: int) -> list[int]:
    """The numbers of the documents that hold `word`, without scopes in which more than `most` do."""
    numbers: list[int] = []
    for span in spans:
        try:
            rows = cache.execute(_DOCUMENTS, (f'"{word}"', span.first, span.last, most + 1)).fetchall()
        except _sqlite3.OperationalError:
            return []  # SQLite doesn't know a newer letter and splits the word at it
        if len(rows) <= most:
            numbers += [number for (number,) in rows]
    return numbers


def on_days(
    cache: _sqlite3.Connection, days: list[Day], spans: list[ScopeSpan], notes: int
) -> dict[int, float]:
    """Note → what it is worth that the prompt names its day or month."""
    found: dict[int, float] = {}
    for year, month, day in days:
        for pattern in dict.fromkeys(
            (f"{year or '____'}-{month}-{day or '__'}", f"{year or '____'}-{month}-__")
        ):
            rows = []
            for span in spans:
                rows += cache.execute(_OF_DAY, (span.first, span.last, pattern, MAX_DOCUMENTS + 1)).fetchall()
            if len(rows) <= MAX_DOCUMENTS:
                worth = ON_THE_DAY * worth_of(notes, len(rows))
                for (note,) in rows:
                    found[note] = found.get(note, 0.0) + worth
    return found
