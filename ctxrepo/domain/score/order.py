"""The profile `ctx`: an order by what is known of entries, and no formula of time.

Age tells next to nothing about whether a line still holds (docs/adr/0104-an-order-not-a-decay.md). So entries
that are pinned come first, then those that were verified since the code that they name last changed, those
that a person stated, those that sessions used, those that name files which change now, and the newer ones.
"""

from collections import Counter
from collections.abc import Iterable

from ctxrepo.domain.score.standing import (
    CAPS,
    MOST_ACTIVE,
    Activity,
    EntryFacts,
    EntryStanding,
    Lifecycle,
    is_over,
    last_day,
)
from ctxrepo.domain.text import day_of

NEW_DAYS = 14
"""For so many days an entry is active, whatever the caps."""

CONTRADICTED = 2
"""One session that contradicted an entry outweighs so many that used it."""


def is_verified(facts: EntryFacts) -> bool:
    """Whether somebody verified an entry after the code that it names changed last."""
    verified = day_of(facts.evidence.verified) if facts.evidence and facts.evidence.verified else None
    return verified is not None and verified >= facts.activity.day


def is_stated_by_person(facts: EntryFacts) -> bool:
    """Whether a command that no agent ran stated an entry."""
    evidence = facts.evidence
    return (
        evidence is not None and bool(evidence.stated) and evidence.cue == "explicit" and not evidence.agent
    )


def usefulness(facts: EntryFacts) -> int:
    """How much sessions speak for an entry; below 0 where they speak against it."""
    return facts.helpful - CONTRADICTED * facts.contradicted


def is_new(facts: EntryFacts, today: int) -> bool:
    """Whether an entry was first said so lately that nobody can have used it yet."""
    return today - facts.stated < NEW_DAYS


def reasons(facts: EntryFacts, today: int) -> int:
    """How many of the reasons to put an entry before others hold for this one."""
    flags = (facts.is_pinned, is_verified(facts), is_stated_by_person(facts), is_new(facts, today))
    return sum((*flags, usefulness(facts) > 0, facts.activity.changes > 0))


def ctx_standings(entries: Iterable[EntryFacts], today: int) -> list[EntryStanding]:
    """The standing of all entries on the day `today`, the most important first."""
    order = sorted(entries, key=lambda facts: facts.id)
    order.sort(key=_rank, reverse=True)
    counts: Counter[tuple[str, str]] = Counter()
    standings = []
    for position, facts in enumerate(order):
        lifecycle = _lifecycle(facts, today, counts)
        if lifecycle == "active" and not facts.is_pinned:
            counts.update({(facts.scope, facts.category), (facts.scope, _ALL)})
        score = float(reasons(facts, today))
        standings.append(EntryStanding(facts.id, position, lifecycle, score, facts.last, last_day(facts)))
    return standings


def _rank(facts: EntryFacts) -> tuple[bool, bool, bool, int, Activity, int]:
    return (
        facts.is_pinned,
        is_verified(facts),
        is_stated_by_person(facts),
        usefulness(facts),
        facts.activity,
        facts.last,
    )


_ALL = "*"
"""Stands for all categories of a scope."""


def _lifecycle(facts: EntryFacts, today: int, counts: Counter[tuple[str, str]]) -> Lifecycle:
    """The lifecycle of an entry; `counts` has how many before it are active, by scope and category."""
    if is_over(last_day(facts), today):
        return "expired"
    if facts.is_doubtful:
        return "doubtful"
    most = CAPS.get(facts.category, MOST_ACTIVE)
    scope = facts.scope
    has_room = counts[scope, facts.category] < most and counts[scope, _ALL] < MOST_ACTIVE
    return "active" if has_room or facts.is_pinned or is_new(facts, today) else "provisional"
