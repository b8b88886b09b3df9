"""Entries ranked for a prompt by its words, and what any ranking tells: how far its best one stands out."""

import _sqlite3

from ctxrepo.domain.words.prompt_terms import days_in, everyday_share, words
from ctxrepo.hooks.known.cached import EntryHit, newest_alone, spans_of
from ctxrepo.hooks.known.world import RECALL_LIMIT
from ctxrepo.hooks.recall.prompt_query import VAGUE, find, hits_of, score_by_words, weighted_words, worth_of

LIMIT = RECALL_LIMIT

LEFT_OUT = 10
"""The most entries that an answer names as left out."""

MIN_SCORE_FACTOR = 3.4
MIN_SCORE_OFFSET = 2.7
"""A margin of 1 is a best score of MIN_SCORE_FACTOR times (the worth of the rarest possible word -
MIN_SCORE_OFFSET). In a larger memory more is found by chance, and a rare word is worth more
(docs/adr/0024-evidence-within-a-budget.md)."""

USUAL_WORDS = 12
MORE_BY_LENGTH = 0.65
"""In a longer prompt chance finds more words; what that adds up to grows with this power of its length."""

LESS_EVERYDAY = 0.5
"""What a margin loses beside a prompt of nothing but everyday words, as "run the tests again"; beside others
it loses in proportion (docs/adr/0098-a-dose-that-knows-its-ranker.md)."""

FEW_ENTRIES = 0.5
"""Where that score comes to less, a memory has so few entries that a prompt is given all that fits."""

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

    def __init__(self, prompt: str, before: list[str], scopes: list[str], limit: int = LIMIT) -> None:
        self.prompt = prompt
        self.before = before
        """What earlier prompts were about, oldest first; from a hook two at most, of each twelve words."""
        self.scopes = scopes
        """The scopes whose entries may answer."""
        self.limit = limit
        """The most entries that are given."""


class Dose:
    """How many entries a prompt is given, by the margin of its ranking."""

    def __init__(self, least: float, per_margin: float, share: float) -> None:
        self.least = least
        """The margin from which an entry is given; where each entry's own is known, each must reach it."""
        self.per_margin = per_margin
        """How many more are given for each 1.0 of margin above that."""
        self.share = share
        """An entry below this share of the best score is left out."""

    def entries(self, margin: float, most: int) -> int:
        """How many entries, of `most` at most."""
        if not margin >= self.least:
            return 0
        return int(min(1.5 + self.per_margin * (margin - self.least), most))


BY_WORDS = Dose(least=0.65, per_margin=10.0, share=0.5)
BY_MEANING = Dose(least=0.7, per_margin=20.0, share=0.35)
"""The numbers are from `tools/recall/dose.py`, which prints what others would come to."""


class Ranking:
    """The entries for a text in the order in which they fit it, and how far the best one stands out.

    Whoever ranks fills in the margins, by words or by meaning; what is chosen of it asks for nothing else."""

    def __init__(self, request: RecallRequest, hits: list[EntryHit], why_none: str, dose: Dose) -> None:
        self.request = request
        self.hits, self.overtaken = newest_alone(hits)
        """The best entries, best first: as many as may be given, and LEFT_OUT more; and those in whose place
        a newer one of them stands, each with why."""
        self.why_none = why_none
        """Why none of them is given, where the best one doesn't stand out or there is none."""
        self.dose = dose
        """How much of it a prompt is given."""
        self.margin = 0.0
        """How far the best entry stands out beside this prompt: 1 is what is found by chance."""
        self.margin_of_edit = 0.0
        """The same for a text that asks nothing, whose length and everyday words say nothing."""
        self.alone = SURE
        """The margin by the prompt's own words or meaning, where it was read together with the prompts before
        it; below 1 it was only they that found the entries."""
        self.heading_words: list[str] = []
        """Words that bring all that stands below a heading with one of them, where that is too much."""
        self.by_words: Ranking | None = None
        """The ranking by words that goes before this one, where the model can't read the text."""


def rank_by_words(cache: _sqlite3.Connection, request: RecallRequest) -> Ranking:
    """The entries in the order that the words of the text give them."""
    scores, matched = score_by_words(cache, request.prompt, request.before, request.scopes)
    hits = hits_of(cache, scores, request.limit + LEFT_OUT)
    if not hits:
        return Ranking(request, [], NOTHING, BY_WORDS)
    best, *_ = hits
    ranking = Ranking(request, hits, CHANCE_HIT, BY_WORDS)
    reached, by_chance = best.score + bonus(matched), min_score(cache, request.scopes)
    ranking.margin = margin_by_words(reached, by_chance, request.prompt)
    ranking.margin_of_edit = multiple(reached, by_chance)
    ranking.alone = margin_alone(cache, request, hits[:_BEST])
    if not days_in(request.prompt):  # a heading may be the day that is asked for
        ranking.heading_words = list(weighted_words(request.prompt, request.before))
    return ranking


def margin_by_words(reached: float, by_chance: float, prompt: str) -> float:
    """How far a score, with its `bonus`, stands out from what chance reaches for a prompt like this one;
    `by_chance` is the `min_score`."""
    return multiple(reached, by_chance * more_by_chance(prompt)) * telling(prompt)


def is_vague(request: RecallRequest) -> bool:
    """Whether the prompt says so little that it is looked for together with those before it."""
    return bool(request.before) and len(words(request.prompt)) <= VAGUE


def margin_alone(cache: _sqlite3.Connection, request: RecallRequest, hits: list[EntryHit]) -> float:
    """How many times what it must the best of these hits reaches by the own words of a vague prompt."""
    if not is_vague(request):
        return SURE
    own = {hit.id: hit.score for hit in find(cache, request.prompt, request.scopes, _LOOKED_AT)}
    enough = min_score(cache, request.scopes) * OWN_WORDS_SHARE
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
    share: float = max(len(words(prompt)) / USUAL_WORDS, 1.0) ** MORE_BY_LENGTH
    return share


def telling(prompt: str) -> float:
    """What is left of a margin because so many words of the prompt are of everyday work: from 0.5 to 1."""
    return 1.0 - LESS_EVERYDAY * everyday_share(prompt)


def bonus(matched: float) -> float:
    """What is added to the best score because a single entry contains words of the prompt of this weight."""
    return BONUS_PER_WORD * max(matched - WORDS_BY_CHANCE, 0.0)
