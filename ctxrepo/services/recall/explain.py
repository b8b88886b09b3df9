"""Why an entry is among the hits, in words for a person."""

from __future__ import annotations

from ctxrepo.domain.words.wordlists import STOP
from ctxrepo.hooks.known.cache import EntryHit
from ctxrepo.lazy import lazy_pattern

_WORD = lazy_pattern(r"\w{2,}")
_MOST = 12
_STEM = 4
"""Letters that two forms of a word share at least."""


def explanation(prompt: str, hit: EntryHit, best: float) -> tuple[tuple[str, str], ...]:
    """Pairs of a name and a text: the score beside the best one's, and the words that prompt and entry share.

    Without a word in common it was found by what its note is about, or by another form of a word.
    """
    share = f"{hit.score / best:.0%} of the best" if best > 0 and hit.score < best else "the best"
    shared = _shared(prompt, f"{hit.path} {hit.heading} {hit.text}")
    return (("score", f"{hit.score:.2f}, {share}"), ("words", ", ".join(shared[:_MOST]) or "none of its own"))


def _shared(prompt: str, text: str) -> list[str]:
    """Words of the prompt that stand in the text, in this form or another, in their order."""
    known = set(_words(text))
    asked = dict.fromkeys(_words(prompt))
    return [word for word in asked if word in known or any(_is_form(word, other) for other in known)]


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in STOP]


def _is_form(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return len(short) >= _STEM and long.startswith(short) and len(long) - len(short) <= 3
