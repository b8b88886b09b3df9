"""What a person searches sessions for, as an expression of the full-text index and as a test of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxrepo.domain.words.prompt_terms import is_wide, runs, spelled
from ctxrepo.lazy import lazy_pattern

_TERM = lazy_pattern(r'"([^"]+)"|(\S+)')

_SHORTEST = 4
"""Letters of a word that a text must share with it, to be shown from there: it may have another form."""


def terms_of(query: str) -> list[str]:
    """The words and `"…"` of a query."""
    return [quoted or word for quoted, word in _TERM.findall(query.replace("\0", " "))]


def expression(terms: Sequence[str]) -> str:
    """What all of these terms are to the index: each in any of its forms, the words of one side by side.

    Scripts without spaces are found by their pairs of characters, as they were indexed.
    """
    return " AND ".join(part for term in terms for part in _parts(term))


def _parts(term: str) -> Iterator[str]:
    if not any(map(is_wide, term)):
        if any(map(str.isalnum, term)):
            yield _quoted(term)
        return
    for run in runs(term):
        for word in spelled(run) or [run]:
            yield _quoted(word) + ("*" if is_wide(word) and len(word) == 1 else "")


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def holds(text: str, terms: Sequence[str]) -> bool:
    """Whether a text has what the index can't tell: terms of scripts without spaces, and of signs alone."""
    low = text.casefold()
    told = (term for term in terms if any(map(is_wide, term)) or not any(map(str.isalnum, term)))
    return all(term.casefold() in low for term in told)


def first_hit(text: str, terms: Sequence[str]) -> int:
    """Where the first of the terms stands in a text, be it in another form; 0 where none is found."""
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    found = [at for term in terms if (at := _place(low, term.casefold())) >= 0]
    return min(found, default=0)


def _place(low: str, term: str) -> int:
    words = [term, *runs(term)]
    for word in words:
        if (at := low.find(word)) >= 0:
            return at
    for word in words:
        for length in range(len(word) - 1, _SHORTEST - 1, -1):
            if (at := low.find(word[:length])) >= 0:
                return at
    return -1
