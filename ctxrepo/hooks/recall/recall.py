"""What a prompt recalls: the few entries that matter for it, or silence, and why."""

import _sqlite3

from ctxrepo.domain.words.gate import is_silent
from ctxrepo.domain.words.terms import words
from ctxrepo.hooks.known.cache import EntryHit, spans_of
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

SOCIAL = "the prompt is too short, only thanks, agrees or greets, or is a notice of the agent's own"
NOTHING = "no entry has any of its words that tell something"
CHANCE_HIT = "no entry stands out from what a prompt finds here by chance"
SAID_BEFORE = "what it goes on with was asked before, and it says nothing of its own about any entry"
FAR_BELOW = "scores far below the best"
OVER = "better ones took the places"


class RecallRequest:
    """A prompt that is to be answered, and what may answer it."""

    __slots__ = ("before", "is_gated", "limit", "prompt", "scopes")

    def __init__(
        self,
        prompt: str,
        before: list[str],
        scopes: list[str],
        limit: int = LIMIT,
        is_gated: bool = True,
    ) -> None:
        self.prompt = prompt
        self.before = before
        """The prompts of the session that it follows, oldest first."""
        self.scopes = scopes
        """Whose entries may answer."""
        self.limit = limit
        """The most entries that are given."""
        self.is_gated = is_gated
        """Whether silence may be the answer. A person who asks and a benchmark are given what there is."""


class RecallAnswer:
    """The entries that a prompt recalls, or why there is silence."""

    __slots__ = ("hits", "left_out", "why")

    def __init__(self, why: str, hits: list[EntryHit], left_out: list[tuple[EntryHit, str]]) -> None:
        self.why = why
        """Why there is silence; '' where there is none."""
        self.hits = hits
        """The entries, best first."""
        self.left_out = left_out
        """Entries that came near, each with why it is not among them."""


def recall(cache: _sqlite3.Connection, asked: RecallRequest) -> RecallAnswer:
    """What the words of the prompt recall."""
    if is_social(asked):
        return silence(SOCIAL)
    scores, said = lexical(cache, asked.prompt, asked.before, asked.scopes)
    hits = hits_of(cache, scores, asked.limit + LEFT_OUT)
    if not hits:
        return silence(NOTHING)
    if asked.is_gated and (why := _why_none(cache, asked, hits, said)):
        return silence(why, hits)
    return chosen(hits, asked.limit, OF_BEST if asked.is_gated else None)


def is_social(asked: RecallRequest) -> bool:
    """Whether the prompt is one that nothing is looked for."""
    return asked.is_gated and is_silent(asked.prompt, bool(asked.before))


def silence(why: str, near: list[EntryHit] | None = None) -> RecallAnswer:
    """No entry is given, for this reason; those that came `near` are left out for it."""
    return RecallAnswer(why, [], [(hit, why) for hit in (near or [])[:LEFT_OUT]])


def _why_none(cache: _sqlite3.Connection, asked: RecallRequest, hits: list[EntryHit], said: float) -> str:
    """Why none of what was found is given, '' when it stands out; `said` is the second of `query.lexical`."""
    best, *_ = hits
    enough = least(cache, asked.scopes)
    if best.score + together(said) < enough:
        return CHANCE_HIT
    if asked.before and len(words(asked.prompt)) <= VAGUE:
        own = {hit.id: hit.score for hit in find(cache, asked.prompt, asked.scopes, _LOOKED_AT)}
        if max([own.get(hit.id, 0.0) for hit in hits[:3]]) < enough * OF_ITS_OWN:
            return SAID_BEFORE
    return ""


def least(cache: _sqlite3.Connection, scopes: list[str]) -> float:
    """What the best entry must score for any to be given, with what is `together`."""
    entries = sum([span.entries for span in spans_of(cache, scopes)])
    return STANDS_OUT * (worth_of(entries, 0) - CHANCE)


def together(said: float) -> float:
    """What it counts beside a score that one entry says so many of the prompt's words."""
    return TOGETHER * max(said - BY_CHANCE, 0.0)


def chosen(hits: list[EntryHit], limit: int, share: float | None) -> RecallAnswer:
    """At most `limit` of `hits`, which are best first, and none below a `share` of the best one's score."""
    best = max([hit.score for hit in hits], default=0.0)
    floor = best * share if share is not None else float("-inf")
    given = [hit for hit in hits[:limit] if hit.score >= floor]
    rest = [(hit, FAR_BELOW if hit.score < floor else OVER) for hit in hits[len(given) :]]
    return RecallAnswer("", given, rest[:LEFT_OUT])
