"""Entries with what is known of them, made up for tests of scores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.score.standing import CAPS, Activity, EntryFacts
from ctxrepo.domain.text import day_of

TODAY = day_of("2026-11-20") or 0


def moment(day: int) -> str:
    """A moment of that day, in days since 1970, as records have it."""
    return f"{datetime.fromtimestamp(0, UTC) + timedelta(days=day):%Y-%m-%dT12:00:00.000Z}"


def facts(entry: str, category: str = "", **more: Any) -> EntryFacts:
    return EntryFacts(**{"id": entry, "category": category, "day": TODAY, **more})


def stated(entry: str, day: int, **more: Any) -> EntryEvidence:
    """What a person said on that day."""
    return EntryEvidence(
        **{"entry": entry, "stated": moment(day), "cue": "explicit", "last": moment(day), **more}
    )


_DAYS = st.integers(TODAY - 400, TODAY)
_EVIDENCE = st.builds(
    EntryEvidence,
    entry=st.just("e"),
    stated=_DAYS.map(moment),
    cue=st.sampled_from(["explicit", "structural", "behavioral"]),
    reinforced=st.integers(0, 30),
    last=_DAYS.map(moment),
    verified=st.one_of(st.just(""), _DAYS.map(moment)),
    agent=st.sampled_from(["", "claude"]),
)


def facts_of() -> st.SearchStrategy[EntryFacts]:
    """Any entry with anything known of it."""
    return st.builds(
        EntryFacts,
        id=st.text("abcdef0123456789", min_size=3, max_size=6),
        scope=st.sampled_from(["global", "shop"]),
        category=st.sampled_from(["", *CAPS]),
        is_pinned=st.sampled_from([False, False, False, True]),
        day=_DAYS,
        evidence=st.one_of(st.none(), _EVIDENCE),
        helpful=st.integers(0, 5),
        contradicted=st.integers(0, 3),
        activity=st.builds(Activity, st.integers(0, 9), st.one_of(st.just(0), _DAYS)),
        until=st.one_of(st.just(0), st.integers(TODAY - 3, TODAY + 3)),
        is_doubtful=st.booleans(),
    )
