"""The choice of what is given of a ranking: for a prompt, for a person's query, for an edit, or all of it.

How many entries a prompt is given, the dose, follows how far the best one stands out. A verdict, all or
nothing, errs by whole blocks. Nearly all that is given without need is on topic, and hurts by its length
alone; so a prompt that hardly stands out is given one entry, and more the more it does
(docs/adr/0049-a-dose-of-recall.md). `tools/recall/dose.py` prints what other numbers would come to.
"""

from ctxrepo.domain.words.days import days_in
from ctxrepo.domain.words.gate import is_left_alone
from ctxrepo.hooks.known.cache import EntryHit
from ctxrepo.hooks.recall.query import weighted_words
from ctxrepo.hooks.recall.ranking import LEFT_OUT, Ranking, RecallRequest

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

    __slots__ = ("least", "per_margin", "share")

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
"""For an edit, which asks nothing: at most one entry, and mostly none
(docs/adr/0049-a-dose-of-recall.md)."""

BY_WORDS = Dose(least=0.85, per_margin=15.0, share=0.5)
BY_MEANING = Dose(least=0.8, per_margin=16.0, share=0.35)


class RecallAnswer:
    """The entries that are given for a text, or why there is silence."""

    __slots__ = ("hits", "left_out", "why")

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
    """A dose of what stands out, or silence, and why; by words where the model can't read the prompt and they
    have an answer."""
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
