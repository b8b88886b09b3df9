"""The profile `seed`: the score of the design that the preset `scored` comes from, with its numbers exactly.

Its score falls with time, by e-folding and not by half-lives, and an entry that was said only once scores too
low for a report (docs/adr/0104-an-order-not-a-decay.md)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log

from ctxrepo.domain.score.standing import CAPS, MOST_ACTIVE, EntryFacts, EntryStanding, Lifecycle, is_over

WEIGHTS: Mapping[str, float] = {"explicit": 1.0, "structural": 0.9, "behavioral": 0.7, "recurrence": 0.6}
"""Cue, which is how an entry came to be known -> what it weighs."""

HORIZONS: Mapping[str, int] = {
    "preference": 90, "lesson": 60, "pattern": 30, "decision": 30, "done": 14, "mistake": 14,
}  # fmt: skip
"""Category -> days in which a score falls to 1/e."""

PINNED_SCORE = 9999.0

_FROM: tuple[tuple[float, Lifecycle], ...] = ((1.5, "active"), (0.7, "provisional"), (0.4, "candidate"))
"""The least score of each lifecycle; below the last an entry is dropped."""

OVERFLOW = 6
"""So many of the entries that the caps of all categories demote stay in a report."""


def stability(cue: str, evidence: int, days: float, horizon: float) -> float:
    """The score of an entry that was said `evidence` times, the last time `days` ago."""
    return WEIGHTS[cue] * exp(-days / horizon) * log(1 + evidence)


def lifecycle_of(score: float) -> Lifecycle:
    """The lifecycle of an entry by its score alone."""
    return next((name for least, name in _FROM if score >= least), "dropped")


def seed_score(facts: EntryFacts, today: int) -> float:
    """The score of an entry on the day `today`. One of which nothing is recorded was said once, explicitly if
    it is pinned, else as behaviour shows it; one without a category there has none."""
    if facts.is_pinned:
        return PINNED_SCORE
    if facts.category not in HORIZONS:
        return 0.0
    known = facts.evidence
    cue, evidence = (known.cue, 1 + known.reinforced) if known and known.stated else ("behavioral", 1)
    return stability(cue, evidence, max(0, today - (facts.last or today)), HORIZONS[facts.category])


def seed_standings(entries: Iterable[EntryFacts], today: int) -> list[EntryStanding]:
    """The standing of all entries, best first."""
    scored = [(seed_score(facts, today), facts) for facts in entries]
    scored.sort(key=lambda pair: (-pair[0], -pair[1].last, pair[1].id))
    order = [facts for _, facts in scored]
    states = _within_caps(order, [lifecycle_of(score) for score, _ in scored])
    states = ["expired" if is_over(f.until, today) else state for f, state in zip(order, states, strict=True)]
    return [
        EntryStanding(facts.id, position, states[position], score, facts.last, facts.until)
        for position, (score, facts) in enumerate(scored)
    ]


def _within_caps(order: Sequence[EntryFacts], states: Sequence[Lifecycle]) -> list[Lifecycle]:
    """The lifecycles of entries, best first, after the caps of categories, the pool of what these demote, and
    the cap of all have been applied. Pinned entries don't count: their section has no cap."""
    capped = [*states]
    in_category: Counter[tuple[str, str]] = Counter()
    in_scope: Counter[str] = Counter()
    overflow: Counter[str] = Counter()
    for at, (facts, state) in enumerate(zip(order, states, strict=True)):
        if state != "active" or facts.is_pinned:
            continue
        scope, category = facts.scope, facts.category
        if in_category[scope, category] == CAPS[category]:
            capped[at] = "provisional" if overflow[scope] < OVERFLOW else "candidate"
            overflow[scope] += 1
        elif in_scope[scope] == MOST_ACTIVE:
            capped[at] = "provisional"
        else:
            in_category[scope, category] += 1
            in_scope[scope] += 1
    return capped
