"""What a prompt recalls: the few entries that matter for it, or silence, and why."""

import _sqlite3

from ctxrepo.domain.words.days import days_in
from ctxrepo.domain.words.gate import is_left_alone
from ctxrepo.domain.words.terms import words
from ctxrepo.hooks.known.cache import EntryHit, spans_of
from ctxrepo.hooks.known.compiled import RECALL_LIMIT
from ctxrepo.hooks.recall.dose import BY_WORDS, Dose
from ctxrepo.hooks.recall.postings import worth_of
from ctxrepo.hooks.recall.query import VAGUE, find, hits_of, score_by_words, weighted_words

LIMIT = RECALL_LIMIT

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

_ALL = 100.0
"""A margin that is large enough for everything."""

WORDS_BY_CHANCE = 2
"""So many words of a prompt an entry may contain by chance."""

BONUS_PER_WORD = 3.0
"""Added to the best score for each further word of the prompt that one of the best entries contains."""

OWN_WORDS_SHARE = 0.15
"""A vague prompt is searched together with the prompts before it. One of the best hits must reach this share
of `min_score` by the prompt's own words, or only the earlier prompts found them."""

LEFT_OUT = 10
"""The most entries that an answer names as left out."""

_BEST = 3
"""Hits that are looked at for it."""

_LOOKED_AT = 60

_STEM, _ENDING = 4, 3
"""Letters of a word that another form of it has too: all but the last three, four at least."""

SOCIAL = "the prompt is too short, only thanks, agrees or greets, or is a notice of the agent's own"
NOTHING = "no entry contains a distinctive word of the prompt"
CHANCE_HIT = "no entry stands out from what a prompt finds here by chance"
SAID_BEFORE = "the prompt matches only together with earlier ones, not by its own words"
FAR_BELOW = "scores far below the best"
HEADING_ONLY = "only its heading fits, as with a better entry below it that is given"
ENOUGH_BETTER = "enough better entries were found"
BEYOND_DOSE = "beyond the dose of {}, as the best entry reaches {:.2f} times what prompts find here by chance"


class RecallRequest:
    """A prompt to be answered, and which entries may answer it."""

    __slots__ = ("before", "dose", "is_gated", "limit", "prompt", "scopes")

    def __init__(
        self,
        prompt: str,
        before: list[str],
        scopes: list[str],
        limit: int = LIMIT,
        is_gated: bool = True,
        dose: Dose | None = None,
    ) -> None:
        self.prompt = prompt
        self.before = before
        """What earlier prompts of its session were about, oldest first. From a hook: at most two, of each the
        first twelve words."""
        self.scopes = scopes
        """The scopes whose entries may answer."""
        self.limit = limit
        """The most entries that are given."""
        self.is_gated = is_gated
        """Whether silence may be the answer. A person who asks, and a benchmark, are given what there is."""
        self.dose = dose
        """The dose of a text that is no prompt; the length of such a text says nothing."""


class RecallAnswer:
    """The entries that a prompt recalls, or why there is silence."""

    __slots__ = ("hits", "left_out", "why")

    def __init__(self, why: str, hits: list[EntryHit], left_out: list[tuple[EntryHit, str]]) -> None:
        self.why = why
        """Why there is silence; '' where there is none."""
        self.hits = hits
        """The entries, best first."""
        self.left_out = left_out
        """Entries that came near, each with why it isn't among the hits."""


def recall(cache: _sqlite3.Connection, asked: RecallRequest) -> RecallAnswer:
    """What the words of the prompt recall."""
    if is_social(asked):
        return silent_answer(SOCIAL)
    scores, matched = score_by_words(cache, asked.prompt, asked.before, asked.scopes)
    hits = hits_of(cache, scores, asked.limit + LEFT_OUT)
    if not hits:
        return silent_answer(NOTHING)
    if not asked.is_gated:
        return all_of(hits, asked.limit)
    enough = min_score(cache, asked.scopes)
    if is_of_earlier_prompts(cache, asked, hits[:_BEST]):
        return silent_answer(SAID_BEFORE, hits)
    best, *_ = hits
    reached = best.score + bonus(matched)
    enough *= more_by_chance(asked.prompt)
    margin = reached / enough if enough >= FEW_ENTRIES else _ALL * (reached >= enough)
    answer = chosen(hits, asked.limit, margin, BY_WORDS)
    if days_in(asked.prompt):  # a heading may be the day that is asked for
        return answer
    return one_of_each_heading(answer, list(weighted_words(asked.prompt, asked.before)))


def is_social(asked: RecallRequest) -> bool:
    """Whether the prompt is too short or too social to look anything up."""
    return asked.is_gated and is_left_alone(asked.prompt, bool(asked.before))


def silent_answer(why: str, near: list[EntryHit] | None = None) -> RecallAnswer:
    """The answer that gives no entry, for this reason; those that came `near` count as left out."""
    return RecallAnswer(why, [], [(hit, why) for hit in (near or [])[:LEFT_OUT]])


def is_vague(asked: RecallRequest) -> bool:
    """Whether the prompt says so little that it is looked for together with those before it."""
    return bool(asked.before) and len(words(asked.prompt)) <= VAGUE


def is_of_earlier_prompts(cache: _sqlite3.Connection, asked: RecallRequest, hits: list[EntryHit]) -> bool:
    """Whether a vague prompt found these hits only together with the prompts before it."""
    if not is_vague(asked):
        return False
    own = {hit.id: hit.score for hit in find(cache, asked.prompt, asked.scopes, _LOOKED_AT)}
    enough = min_score(cache, asked.scopes) * OWN_WORDS_SHARE
    return max([own.get(hit.id, 0.0) for hit in hits]) < enough


def min_score(cache: _sqlite3.Connection, scopes: list[str]) -> float:
    """The score, including the `bonus`, that stands for a margin of 1 (see `dose.py`)."""
    entries = sum([span.entries for span in spans_of(cache, scopes)])
    return MIN_SCORE_FACTOR * (worth_of(entries, 0) - MIN_SCORE_OFFSET)


def more_by_chance(prompt: str) -> float:
    """How many times as much a prompt of so many words reaches by chance as one of the usual length."""
    found: float = max(len(words(prompt)) / USUAL_WORDS, 1.0) ** 0.5
    return found


def bonus(matched: float) -> float:
    """What is added to the best score because a single entry contains words of the prompt of this weight."""
    return BONUS_PER_WORD * max(matched - WORDS_BY_CHANCE, 0.0)


def chosen(
    hits: list[EntryHit], limit: int, margin: float, dose: Dose, why_none: str = CHANCE_HIT
) -> RecallAnswer:
    """The answer with a dose of `hits` (best first), of `limit` at most; or silence, and why."""
    if not margin >= dose.least:
        return silent_answer(why_none, hits)
    best, *_ = hits
    count = dose.entries(margin, limit)
    floor = best.score * dose.share
    given = [hit for hit in hits[:count] if hit.score >= floor]
    enough = BEYOND_DOSE.format(count, margin) if count < limit else ENOUGH_BETTER
    rest = [(hit, FAR_BELOW if hit.score < floor else enough) for hit in hits[len(given) :]]
    return RecallAnswer("", given, rest[:LEFT_OUT])


def one_of_each_heading(answer: RecallAnswer, asked: list[str]) -> RecallAnswer:
    """The same with only the best of the entries that fit by a word of their heading alone: such a word
    brings all that stands below it."""
    stems = [word[: max(_STEM, len(word) - _ENDING)] for word in asked]
    headings = set()
    given, others = [], []
    for hit in answer.hits:
        text, heading = hit.text.lower(), (hit.path, hit.heading)
        is_by_heading = any(stem in hit.heading.lower() for stem in stems)
        if not is_by_heading or any(stem in text for stem in stems):
            given.append(hit)
        elif heading in headings:
            others.append((hit, HEADING_ONLY))
        else:
            given.append(hit)
            headings.add(heading)
    return RecallAnswer(answer.why, given, [*others, *answer.left_out][:LEFT_OUT])


def all_of(hits: list[EntryHit], limit: int) -> RecallAnswer:
    """The answer to whoever asks without a gate: whatever there is, `limit` at most."""
    return RecallAnswer("", hits[:limit], [(hit, ENOUGH_BETTER) for hit in hits[limit:]][:LEFT_OUT])
