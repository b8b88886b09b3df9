"""A report in the order of scores: `python -m living report --seams living.score_order:SEAMS` measures it."""

from __future__ import annotations

from collections.abc import Sequence

from ctxrepo.domain.score.activity import KNOWN_DAYS, activity_of
from ctxrepo.domain.score.order import ctx_standings
from ctxrepo.domain.score.standing import EntryFacts
from living.material.histories import DAY
from living.seams import ReportEntry, Seams


def by_score(entries: Sequence[ReportEntry], now: int, _budget: int) -> list[int]:
    """The numbers of the entries in the order that the worker stores: of lines nothing is known but when they
    were stated and when the files that they name changed."""
    today = now // DAY
    facts = [
        EntryFacts(
            f"{number:06}",
            day=entry.stated // DAY,
            activity=activity_of(
                [at // DAY for at in entry.touches if at // DAY >= today - KNOWN_DAYS], today
            ),
        )
        for number, entry in enumerate(entries)
    ]
    return [int(standing.entry) for standing in ctx_standings(facts, today)]


SEAMS = Seams(order=by_score)
