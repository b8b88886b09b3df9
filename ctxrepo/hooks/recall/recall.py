"""What a prompt recalls: the few entries that matter for it, or silence, and why."""

import _sqlite3

from ctxrepo.domain.words.gate import is_silent
from ctxrepo.domain.words.terms import words
from ctxrepo.hooks.known.cache import Hit, spans_of
from ctxrepo.hooks.known.compiled import RECALL_LIMIT
from ctxrepo.hooks.recall.postings import worth_of
from ctxrepo.hooks.recall.query import VAGUE, find, hits_of, lexical

LIMIT = RECALL_LIMIT

STANDS_OUT = 3.4
CHANCE = 2.7
"""The best entry must score STANDS_OUT times what the rarest word there can be is worth beyond CHANCE: in a
larger memory more is found by chance, and a word is worth more."""

BY_CHANCE = 2
TOGETHER = 3.0
"""So many of a prompt's words an entry may say by chance; each that one of the best says beyond them counts
TOGETHER beside the score."""

OF_ITS_OWN = 0.15
"""A vague prompt must itself have this share of that, or what it brings was found for those before it."""

OF_BEST = 0.4
OF_NEAREST = 0.06
"""An entry is left out below this share of the best one's score; the second where meaning counts too."""

LEFT_OUT = 10
"""Entries left out that are told of."""

_LOOKED_AT = 60

Answer = tuple[str, list[Hit], list[tuple[Hit, str]]]
"""(why there is silence, '' when there is none; entries, best first; entries left out, each with why)"""

SOCIAL = "the prompt is too short, only thanks, agrees or greets, or is a notice of the agent's own"
NOTHING = "no entry has any of its words that tell something"
CHANCE_HIT = "no entry stands out from what a prompt finds here by chance"
SAID_BEFORE = "what it goes on with was asked before, and it says nothing of its own about any entry"
FAR_BELOW = "scores far below the best"
OVER = "better ones took the places"


def recall(
    cache: _sqlite3.Connection,
    prompt: str,
    before: list[str],
    scopes: list[str],
    limit: int = LIMIT,
    gated: bool = True,
) -> Answer:
    """At most `limit` entries of `scopes` for `prompt`, which follows the prompts `before` (oldest first).

    Not `gated` answers whatever there is, for a person who asks or a benchmark.
    """
    if gated and is_silent(prompt, bool(before)):
        return SOCIAL, [], []
    scores, said = lexical(cache, prompt, before, scopes)
    hits = hits_of(cache, scores, limit + LEFT_OUT)
    if not hits:
        return NOTHING, [], []
    if gated and (why := _why_none(cache, prompt, before, scopes, hits, said)):
        return why, [], [(hit, why) for hit in hits[:LEFT_OUT]]
    return chosen(hits, limit, OF_BEST if gated else None)


def _why_none(
    cache: _sqlite3.Connection,
    prompt: str,
    before: list[str],
    scopes: list[str],
    hits: list[Hit],
    said: float,
) -> str:
    """Why none of what was found is given, '' when it stands out; `said` is the second of `query.lexical`."""
    enough = least(cache, scopes)
    if hits[0][8] + together(said) < enough:
        return CHANCE_HIT
    if before and len(words(prompt)) <= VAGUE:
        own = {hit[0]: hit[8] for hit in find(cache, prompt, scopes, _LOOKED_AT)}
        if max([own.get(hit[0], 0.0) for hit in hits[:3]]) < enough * OF_ITS_OWN:
            return SAID_BEFORE
    return ""


def least(cache: _sqlite3.Connection, scopes: list[str]) -> float:
    """What the best entry must score for any to be given, with what is `together`."""
    entries = sum([span[1] for span in spans_of(cache, scopes)])
    return STANDS_OUT * (worth_of(entries, 0) - CHANCE)


def together(said: float) -> float:
    """What it counts beside a score that one entry says so many of the prompt's words."""
    return TOGETHER * max(said - BY_CHANCE, 0.0)


def chosen(hits: list[Hit], limit: int, share: float | None) -> Answer:
    """At most `limit` of `hits`, which are best first, and none below a `share` of the best one's score."""
    floor = hits[0][8] * share if share is not None and hits else float("-inf")
    given = [hit for hit in hits[:limit] if hit[8] >= floor]
    rest = [(hit, FAR_BELOW if hit[8] < floor else OVER) for hit in hits[len(given) :]]
    return "", given, rest[:LEFT_OUT]
