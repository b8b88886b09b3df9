"""Entries ranked for a prompt, and the choice of what is given of them."""

import _sqlite3

from ctxrepo.domain.words.prompt_terms import days_in, fold, is_left_alone, words
from ctxrepo.hooks.known.cached import EntryHit, spans_of
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
"""In a longer prompt chance finds more; what that adds up to grows with the root of its words."""

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


class Ranking:
    """The entries for a text in the order in which they fit it, and how far the best one stands out."""

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
    share: float = max(len(words(prompt)) / USUAL_WORDS, 1.0) ** 0.5
    return share


def bonus(matched: float) -> float:
    """What is added to the best score because a single entry contains words of the prompt of this weight."""
    return BONUS_PER_WORD * max(matched - WORDS_BY_CHANCE, 0.0)


NEAR_BEST = 0.4
"""What scores below this share of the best entry is no answer to a person's query."""

_STEM, _ENDING = 4, 3
"""Letters of a word that another form of it has too: all but the last three, four at least."""

SOCIAL = "the prompt is too short, only thanks, agrees or greets, or is a notice of the agent's own"
SAID_BEFORE = "the prompt matches only together with earlier ones, not by its own words"
FAR_BELOW = "scores far below the best"
HEADING_ONLY = "only its heading fits, as with a better entry below it that is given"
ENOUGH_BETTER = "enough better entries were found"
BEYOND_DOSE = "beyond the dose of {}, as the best entry reaches {:.2f} times what prompts find here by chance"


class Dose:
    """`margin` is what the best entry reaches, as a multiple of what prompts find by chance."""

    def __init__(self, least: float, per_margin: float, share: float) -> None:
        self.least = least
        """The margin from which an entry is given."""
        self.per_margin = per_margin
        """How many more are given for each 1.0 of margin above that."""
        self.share = share
        """An entry below this share of the best score is left out."""

    def entries(self, margin: float, most: int) -> int:
        """How many entries, of `most` at most."""
        if not margin >= self.least:
            return 0
        return int(min(1.5 + self.per_margin * (margin - self.least), most))


BY_EDIT = Dose(least=1.75, per_margin=0.0, share=1.0)
"""For an edit, which asks nothing: mostly none, at most one (docs/adr/0049-a-dose-of-recall.md)."""

BY_WORDS = Dose(least=0.85, per_margin=15.0, share=0.5)
BY_MEANING = Dose(least=0.8, per_margin=16.0, share=0.35)


class RecallAnswer:
    """The entries that are given for a text, or why there is silence."""

    def __init__(self, why: str, hits: list[EntryHit], left_out: list[tuple[EntryHit, str]]) -> None:
        self.why = why
        """Why there is silence; '' where there is none."""
        self.hits = hits
        """The entries, best first."""
        self.left_out = left_out
        """Entries that came near, each with why it isn't among the hits."""


def is_social(asked: RecallRequest) -> bool:
    """Whether the prompt is too short or too social to look anything up: it needs no ranking."""
    return is_left_alone(asked.prompt, bool(asked.before))


def silent_answer(why: str, near: list[EntryHit] | None = None) -> RecallAnswer:
    """The answer that gives no entry, for this reason; those that came `near` count as left out."""
    return RecallAnswer(why, [], [(hit, why) for hit in (near or [])[:LEFT_OUT]])


def choose(ranking: Ranking, is_gated: bool) -> RecallAnswer:
    """What a hook gives for a prompt; without the gate that is all there is."""
    return choose_for_prompt(ranking) if is_gated else choose_all(ranking)


def choose_for_prompt(ranking: Ranking) -> RecallAnswer:
    """A dose of what stands out, or silence, and why; by words where the model can't read the prompt."""
    answer = None if ranking.by_words is None else choose_dose(ranking.by_words)
    return answer if answer and answer.hits else choose_dose(ranking)


def choose_dose(ranking: Ranking, dose: Dose | None = None) -> RecallAnswer:
    """What a prompt is given of this ranking, by the usual dose or another one; or silence, and why."""
    if ranking.alone < 1:
        return silent_answer(SAID_BEFORE, ranking.hits)
    usual = BY_WORDS if ranking.is_by_words else BY_MEANING
    answer = _choose_best(ranking, dose or usual, ranking.margin())
    asked = ranking.asked
    if not ranking.is_by_words or days_in(asked.prompt):  # a heading may be the day that is asked for
        return answer
    return one_of_each_heading(answer, list(weighted_words(asked.prompt, asked.before)))


def choose_for_query(ranking: Ranking) -> RecallAnswer:
    """What comes near the best entry, for a person who asks: never silence where anything fits."""
    answer = choose_all(ranking)
    floor = max([hit.score for hit in answer.hits], default=0.0) * NEAR_BEST
    near = [hit for hit in answer.hits if hit.score >= floor]
    far = [hit for hit in answer.hits if hit.score < floor]
    if not far:
        return answer
    others = [hit for hit, _ in answer.left_out]
    return RecallAnswer(answer.why, near, [(hit, FAR_BELOW) for hit in [*far, *others]][:LEFT_OUT])


def choose_for_edit(ranking: Ranking) -> RecallAnswer:
    """The entry that an edit is about, if one stands out that far; the length of an edit says nothing."""
    return _choose_best(ranking, BY_EDIT, ranking.margin_of_any_length())


def choose_all(ranking: Ranking) -> RecallAnswer:
    """Whatever there is; by words where the model can't read the text and they find anything."""
    if ranking.by_words is not None and ranking.by_words.hits:
        ranking = ranking.by_words
    hits, limit = ranking.hits, ranking.asked.limit
    if not hits:
        return silent_answer(ranking.why_none)
    return RecallAnswer("", hits[:limit], [(hit, ENOUGH_BETTER) for hit in hits[limit:]][:LEFT_OUT])


def _choose_best(ranking: Ranking, dose: Dose, margin: float) -> RecallAnswer:
    """As many of the best entries as the dose makes of the margin; or silence, and why."""
    hits, limit = ranking.hits, ranking.asked.limit
    if not hits or not margin >= dose.least:
        return silent_answer(ranking.why_none, hits)
    best, *_ = hits
    count = dose.entries(margin, limit)
    floor = best.score * dose.share
    chosen = [hit for hit in hits[:count] if hit.score >= floor]
    enough = BEYOND_DOSE.format(count, margin) if count < limit else ENOUGH_BETTER
    rest = [(hit, FAR_BELOW if hit.score < floor else enough) for hit in hits[len(chosen) :]]
    return RecallAnswer("", chosen, rest[:LEFT_OUT])


def one_of_each_heading(answer: RecallAnswer, asked: list[str]) -> RecallAnswer:
    """The same with only the best of the entries that fit by a word of their heading alone: such a word
    brings all that stands below it."""
    stems = [word[: max(_STEM, len(word) - _ENDING)] for word in asked]
    headings = set()
    chosen, others = [], []
    for hit in answer.hits:
        text, heading = fold(hit.text), (hit.path, hit.heading)
        is_by_heading = any(stem in fold(hit.heading) for stem in stems)
        if not is_by_heading or any(stem in text for stem in stems):
            chosen.append(hit)
        elif heading in headings:
            others.append((hit, HEADING_ONLY))
        else:
            chosen.append(hit)
            headings.add(heading)
    return RecallAnswer(answer.why, chosen, [*others, *answer.left_out][:LEFT_OUT])
