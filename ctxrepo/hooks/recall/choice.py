"""What is given of a ranking, by whatever it was made: to a prompt, to a person who asks, at an edit."""

from ctxrepo.domain.words.prompt_terms import fold, is_left_alone, stem
from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.hooks.recall.ranking import LEFT_OUT, Ranking, RecallRequest

NEAR_BEST = 0.4
"""What scores below this share of the best entry is no answer to a person's query."""

SOCIAL = "the prompt is too short, only thanks, agrees or greets, or is a notice of the agent's own"
SAID_BEFORE = "the prompt matches only together with earlier ones, not by its own words"
FAR_BELOW = "scores far below the best"
HEADING_ONLY = "only its heading fits, as with a better entry below it that is given"
NOT_BY_ITSELF = "doesn't stand out by itself, only together with its note"
NEVER_USED = "was given to many sessions and used by none, and a better entry is given"
ENOUGH_BETTER = "enough better entries were found"
BEYOND_DOSE = "beyond the dose of {}, as the best entry reaches {:.2f} times what prompts find here by chance"


LEAST_AT_EDIT = 1.75
"""The margin from which an edit is given an entry, as it asks nothing (docs/adr/0049-a-dose-of-recall.md)."""


class RecallAnswer:
    """The entries that are given for a text, or why there is silence."""

    def __init__(self, why: str, hits: list[EntryHit], left_out: list[tuple[EntryHit, str]]) -> None:
        self.why = why
        """Why there is silence; '' where there is none."""
        self.hits = hits
        """The entries, best first."""
        self.left_out = left_out
        """Entries that came near, each with why it isn't among the hits."""


def is_social(request: RecallRequest) -> bool:
    """Whether the prompt is too short or too social to look anything up: it needs no ranking."""
    return is_left_alone(request.prompt, bool(request.before))


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


def choose_dose(ranking: Ranking) -> RecallAnswer:
    """What a prompt is given of this ranking; or silence, and why."""
    if ranking.alone < 1:
        return silent_answer(SAID_BEFORE, ranking.hits)
    answer = _choose_best(ranking)
    return one_of_each_heading(answer, ranking.heading_words) if ranking.heading_words else answer


def choose_for_query(ranking: Ranking) -> RecallAnswer:
    """What comes near the best entry, for a person who asks: never silence where anything fits."""
    answer = choose_all(ranking)
    floor = max([hit.score for hit in answer.hits], default=0.0) * NEAR_BEST
    near = [hit for hit in answer.hits if hit.score >= floor]
    far = [hit for hit in answer.hits if hit.score < floor]
    if not far:
        return answer
    others = [(hit, why if why != ENOUGH_BETTER else FAR_BELOW) for hit, why in answer.left_out]
    return RecallAnswer(answer.why, near, [*((hit, FAR_BELOW) for hit in far), *others][:LEFT_OUT])


def choose_for_edit(ranking: Ranking) -> RecallAnswer:
    """The entry that an edit is about, if one stands out that far."""
    if not ranking.hits or not ranking.margin_of_edit >= LEAST_AT_EDIT:
        return silent_answer(ranking.why_none, ranking.hits)
    best, *others = ranking.hits
    return RecallAnswer("", [best], [(hit, ENOUGH_BETTER) for hit in others[:LEFT_OUT]])


def choose_all(ranking: Ranking) -> RecallAnswer:
    """Whatever there is; by words where the model can't read the text and they find anything."""
    if ranking.by_words is not None and ranking.by_words.hits:
        ranking = ranking.by_words
    hits, limit = ranking.hits, ranking.request.limit
    if not hits:
        return silent_answer(ranking.why_none)
    others = [*ranking.overtaken, *((hit, ENOUGH_BETTER) for hit in hits[limit:])]
    return RecallAnswer("", hits[:limit], others[:LEFT_OUT])


def _choose_best(ranking: Ranking) -> RecallAnswer:
    """Those of the best entries that stand out, as many as the dose makes of the margin; or why none is."""
    hits, limit, dose = ranking.hits, ranking.request.limit, ranking.dose
    count = dose.entries(ranking.margin, limit)
    if not hits or not count:
        return silent_answer(ranking.why_none, hits)
    best, *_ = hits
    enough = BEYOND_DOSE.format(count, ranking.margin) if count < limit else ENOUGH_BETTER
    chosen: list[EntryHit] = []
    rest = [*ranking.overtaken]
    for place, hit in enumerate(hits):
        if hit.score < best.score * dose.share:
            rest.append((hit, FAR_BELOW))
        elif hit.own < dose.least:
            rest.append((hit, NOT_BY_ITSELF))
        elif chosen and hit.is_idle:
            rest.append((hit, NEVER_USED))
        elif place < count:
            chosen.append(hit)
        else:
            rest.append((hit, enough))
    return RecallAnswer("" if chosen else ranking.why_none, chosen, rest[:LEFT_OUT])


def one_of_each_heading(answer: RecallAnswer, words: list[str]) -> RecallAnswer:
    """The same with only the best of the entries that fit by a word of their heading alone: such a word
    brings all that stands below it."""
    stems = [stem(word) for word in words]
    headings = set()
    chosen, others = [], []
    for hit in answer.hits:
        text, heading = fold(hit.text), (hit.path, hit.heading)
        is_by_heading = any(part in fold(hit.heading) for part in stems)
        if not is_by_heading or any(part in text for part in stems):
            chosen.append(hit)
        elif heading in headings:
            others.append((hit, HEADING_ONLY))
        else:
            chosen.append(hit)
            headings.add(heading)
    return RecallAnswer(answer.why, chosen, [*others, *answer.left_out][:LEFT_OUT])
