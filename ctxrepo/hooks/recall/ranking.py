"""The ranking of the entries for a text, and how far the best one stands out; made here by words.

A ranking says nothing of what is given of it: that is the choice (`choice.py`).
"""

import _sqlite3

from ctxrepo.domain.words.terms import words
from ctxrepo.hooks.known.cache import EntryHit, spans_of
from ctxrepo.hooks.known.compiled import RECALL_LIMIT
from ctxrepo.hooks.recall.postings import worth_of
from ctxrepo.hooks.recall.query import VAGUE, find, hits_of, score_by_words

LIMIT = RECALL_LIMIT

LEFT_OUT = 10
"""The most entries that an answer names as left out."""

MIN_SCORE_FACTOR = 3.4
MIN_SCORE_OFFSET = 2.7
"""A margin of 1 is a best score of MIN_SCORE_FACTOR times (the worth of the rarest possible word -
MIN_SCORE_OFFSET). In a larger memory more is found by chance, and a rare word is worth more
(docs/adr/0024-evidence-within-a-budget.md)."""

USUAL_WORDS = 12
"""In a prompt of more words more of them are found by chance; what that adds up to grows with the square root
of their number."""

FEW_ENTRIES = 0.5
"""Where that score comes to less, or to nothing, a memory has so few entries that a prompt is given all that
fits."""

SURE = 100.0
"""A margin that is large enough for everything."""

WORDS_BY_CHANCE = 2
"""So many words of a prompt an entry may contain by chance."""

BONUS_PER_WORD = 3.0
"""Added to the best score for each further word of the prompt that one of the best entries contains."""

OWN_WORDS_SHARE = 0.15
"""A vague prompt is searched together with the prompts before it. One of the best hits must reach this share
of `min_score` by the prompt's own words, or only the earlier prompts found them."""

_BEST = 3
"""Hits that are looked at for it."""

_LOOKED_AT = 60

NOTHING = "no entry contains a distinctive word of the prompt"
CHANCE_HIT = "no entry stands out from what a prompt finds here by chance"


class RecallRequest:
    """A text, and which entries may answer it."""

    __slots__ = ("before", "limit", "prompt", "scopes")

    def __init__(self, prompt: str, before: list[str], scopes: list[str], limit: int = LIMIT) -> None:
        self.prompt = prompt
        self.before = before
        """What earlier prompts of its session were about, oldest first. From a hook: at most two, of each the
        first twelve words."""
        self.scopes = scopes
        """The scopes whose entries may answer."""
        self.limit = limit
        """The most entries that are given."""


class Ranking:
    """The entries for a text in the order in which they fit it, and how far the best one stands out."""

    __slots__ = ("alone", "asked", "by_chance", "by_words", "hits", "is_by_words", "reached", "why_none")

    def __init__(
        self, asked: RecallRequest, hits: list[EntryHit], why_none: str, is_by_words: bool = False
    ) -> None:
        self.asked = asked
        self.hits = hits
        """The best entries, best first: as many as may be given, and LEFT_OUT more."""
        self.why_none = why_none
        """Why none of them is given, where the best one doesn't stand out or there is none."""
        self.is_by_words = is_by_words
        """Whether words alone made it."""
        self.reached = 0.0
        """What the best entry reaches."""
        self.by_chance = 1.0
        """What a text of the usual length reaches here by chance."""
        self.alone = SURE
        """The margin by the prompt's own words or meaning, where it was read together with the prompts before
        it; below 1 it was only they that found the entries."""
        self.by_words: Ranking | None = None
        """The ranking by words that goes before this one, where the model can't read the text."""

    def margin(self) -> float:
        """How far the best entry stands out beside a prompt of this length: 1 is what is found by chance."""
        return multiple(self.reached, self.by_chance * more_by_chance(self.asked.prompt))

    def margin_of_any_length(self) -> float:
        """The same for a text whose length says nothing."""
        return multiple(self.reached, self.by_chance)


def rank_by_words(cache: _sqlite3.Connection, asked: RecallRequest) -> Ranking:
    """The entries in the order that the words of the text give them."""
    scores, matched = score_by_words(cache, asked.prompt, asked.before, asked.scopes)
    hits = hits_of(cache, scores, asked.limit + LEFT_OUT)
    if not hits:
        return Ranking(asked, [], NOTHING, is_by_words=True)
    best, *_ = hits
    ranking = Ranking(asked, hits, CHANCE_HIT, is_by_words=True)
    ranking.reached = best.score + bonus(matched)
    ranking.by_chance = min_score(cache, asked.scopes)
    ranking.alone = margin_alone(cache, asked, hits[:_BEST])
    return ranking


def is_vague(asked: RecallRequest) -> bool:
    """Whether the prompt says so little that it is looked for together with those before it."""
    return bool(asked.before) and len(words(asked.prompt)) <= VAGUE


def margin_alone(cache: _sqlite3.Connection, asked: RecallRequest, hits: list[EntryHit]) -> float:
    """How many times what it must the best of these hits reaches by the own words of a vague prompt."""
    if not is_vague(asked):
        return SURE
    own = {hit.id: hit.score for hit in find(cache, asked.prompt, asked.scopes, _LOOKED_AT)}
    enough = min_score(cache, asked.scopes) * OWN_WORDS_SHARE
    return multiple(max([own.get(hit.id, 0.0) for hit in hits]), enough)


def multiple(reached: float, by_chance: float) -> float:
    """How many times what chance reaches that is."""
    if by_chance < FEW_ENTRIES:
        return SURE if reached >= by_chance else 0.0
    return reached / by_chance


def min_score(cache: _sqlite3.Connection, scopes: list[str]) -> float:
    """The score, including the `bonus`, that stands for a margin of 1."""
    entries = sum([span.entries for span in spans_of(cache, scopes)])
    return MIN_SCORE_FACTOR * (worth_of(entries, 0) - MIN_SCORE_OFFSET)


def more_by_chance(prompt: str) -> float:
    """How many times as much a prompt of so many words reaches by chance as one of the usual length."""
    found: float = max(len(words(prompt)) / USUAL_WORDS, 1.0) ** 0.5
    return found


def bonus(matched: float) -> float:
    """What is added to the best score because a single entry contains words of the prompt of this weight."""
    return BONUS_PER_WORD * max(matched - WORDS_BY_CHANCE, 0.0)
