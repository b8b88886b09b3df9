"""The terms of a question: how the index finds each of them, and where a text has them."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.words.prompt_terms import STOP, fold, is_unspaced, plain, runs, spelled
from ctxrepo.lazy import lazy_pattern

_TERM = lazy_pattern(r'"([^"]+)"|(\S+)')

_SHORTEST = 4
"""Letters that two forms of a word must have in common to count as a hit in a text."""


def terms_of(query: str) -> list[str]:
    """The words of a query, and the texts in quotes."""
    return [quoted or word for quoted, word in _TERM.findall(query.replace("\0", " "))]


def expression(terms: Sequence[str]) -> str:
    """An expression of the full-text index for texts with all of these terms: each in any of its forms, the
    words of one side by side, and in scripts without spaces their pairs of characters."""
    return " AND ".join(part for term in terms for part in _parts(term))


def _parts(term: str) -> Iterator[str]:
    term = plain(term)
    if not any(map(is_unspaced, term)):
        if any(map(str.isalnum, term)):
            yield _quoted(term.casefold())
        return
    for run in runs(term):
        for word in spelled(run) or [run]:
            yield _quoted(word.casefold()) + ("*" if is_unspaced(word) and len(word) == 1 else "")


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def holds(text: str, terms: Sequence[str]) -> bool:
    """Whether a text has those terms that the index can't find: in scripts without spaces, or only signs."""
    low = fold(text)
    unindexed = (term for term in terms if any(map(is_unspaced, term)) or not any(map(str.isalnum, term)))
    return all(fold(term) in low for term in unindexed)


def first_hit(text: str, terms: Sequence[str]) -> int:
    """The offset of the first term in a text, even if it has another form there; 0 for none."""
    low = fold(text) if len(fold(text)) == len(text) else text.lower()
    places = [at for term in terms if (at := _place(low, fold(term))) >= 0]
    return min(places, default=0)


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


class QuestionTerm(NamedTuple):
    """A word of a question, or a text in quotes. `expression` finds it in the index; `loose` finds words that
    begin like it, or its parts apart ('': it has none). A text must have it if it `is_required`."""

    text: str
    expression: str
    loose: str = ""
    is_required: bool = False


@cache
def _asking() -> frozenset[str]:
    """Words that questions about the past have, and that say nothing about their topic."""
    lines = text_beside(__spec__, "asking.words").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


_LEAST, _LEAST_CUT, _LONGEST_CUT = 4, 6, 3
"""Letters from which on a word finds words that begin like it (`cron` finds `crontab`), letters from which on
it is cut before that (`Sitzungen` finds `Sitzung`), and most letters that are cut."""

_KANA = ("\u3041", "\u309f")
"""Hiragana, in which Japanese writes particles and endings."""


def question_terms(question: str) -> list[QuestionTerm]:
    """The terms of a question. Words that every question has are left out, unless there are no others; words
    without a letter or digit always."""
    terms: dict[str, QuestionTerm] = {}
    fillers: dict[str, QuestionTerm] = {}
    for quoted, word in _TERM.findall(question.replace("\0", " ")):
        if quoted:
            if query := expression([quoted]):
                terms[query] = QuestionTerm(quoted, query, is_required=True)
            continue
        parts = [part for run in runs(plain(word)) for part in _pieces(run)]
        telling = [part for part in parts if not _is_filler(part)]
        chosen, target = (telling, terms) if telling else (parts, fillers)
        for term in _terms_in(word, chosen, is_whole=len(chosen) == len(parts)):
            target.setdefault(term.expression, term)
    return [*terms.values()] or [*fillers.values()]


def telling_runs(text: str) -> int:
    """How many different words of an ASCII text are no fillers: about as many as it has terms."""
    return len({*runs(text.lower())} - STOP - _asking() - _LETTERS)


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


def _pieces(run: str) -> list[str]:
    return (spelled(run) or [run]) if is_unspaced(run) else [run]


def _is_filler(part: str) -> bool:
    low = part.casefold()
    if is_unspaced(part):
        return any(_KANA[0] <= char <= _KANA[1] for char in low)
    return low in STOP or low in _asking() or (len(low) == 1 and low.isascii() and low.isalpha())


def _terms_in(word: str, parts: Sequence[str], *, is_whole: bool) -> Iterator[QuestionTerm]:
    """The terms of a word with these parts: of each part in a script without spaces, and of all other parts
    side by side, or apart as its loose form."""
    unspaced = [part for part in parts if is_unspaced(part)]
    for part in unspaced:
        yield QuestionTerm(part, _quoted(part.casefold()) + ("*" if len(part) == 1 else ""))
    spaced = [part.casefold() for part in parts if not is_unspaced(part)]
    if len(spaced) == 1:
        yield _one_word(next(part for part in parts if part.casefold() == spaced[0]))
    elif spaced and is_whole and not unspaced:
        apart = " AND ".join(map(_quoted, dict.fromkeys(spaced)))
        yield QuestionTerm(word, _quoted(" ".join(spaced)), apart)
    else:
        yield from (_one_word(part) for part in spaced)


def _one_word(word: str) -> QuestionTerm:
    low, humps = word.casefold(), spelled(word)
    query = _quoted(low)
    if humps and not is_unspaced(word):
        query = f"({query} OR {_quoted(' '.join(humps).casefold())})"
    cut = min(_LONGEST_CUT, len(low) // 4) if len(low) >= _LEAST_CUT else 0
    is_long = len(low) >= _LEAST and low.isalpha()
    return QuestionTerm(word, query, _quoted(low[: len(low) - cut]) + "*" if is_long else "")
