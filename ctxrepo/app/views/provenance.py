"""Where an entry comes from and who confirmed it, in a line for each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.moment import seconds_of, times, wall_time
from ctxrepo.domain.project.layout import shown

if TYPE_CHECKING:
    from ctxrepo.domain.records.entry_evidence import EntryEvidence

_COMMIT = 10
"""Characters of a commit's id that are shown."""


def provenance(one: EntryEvidence) -> Iterator[str]:
    """What the records about an entry amount to. They come from other machines, too, and are shown as
    such."""
    if one.stated:
        yield f"stated {when_of(one.stated)}{_by(one)}"
    if one.source:
        yield f"brought from {shown(one.source, 60)}"
    if one.derived:
        yield f"replaced {', '.join(f'^{shown(name, 20)}' for name in one.derived)}"
    if one.reinforced:
        yield f"said again {times(one.reinforced)}; last confirmed {when_of(one.last)}"
    if one.verified:
        yield f"verified {when_of(one.verified)}{_at(one.verified_code)}"
    if one.contradicted:
        yield f"contradicted {times(one.contradicted)} since, last {when_of(one.contradicted_at)}"
    for cite in one.cites:
        path, _, place = cite.partition("@")
        commit, _, lines = place.partition("#")
        yield f"cites {shown(path, 100)}{f'#{shown(lines, 20)}' if lines else ''}{_at(commit)}"
    if one.code and not one.cites and one.code != one.verified_code:
        yield f"about the code{_at(one.code)}"
    if one.rule:
        yield f"agents are held to it: {shown(one.rule, 100)}"
    yield from (f"holds while {shown(claim, 100)}" for claim in one.holds)


def when_of(ts: str) -> str:
    """The moment of a record by this machine's clock; whatever else stands there, cut short."""
    at = seconds_of(ts)
    return wall_time(datetime.fromtimestamp(at, UTC)) if at else shown(ts, 20)


def _by(one: EntryEvidence) -> str:
    who = " on ".join(filter(None, (one.agent, one.host)))
    session = f"session {one.session[:8]}" if one.session else ""
    said = ", ".join(filter(None, (who, session)))
    return f" by {shown(said, 100)}" if said else ""


def _at(commit: str) -> str:
    return f" at {shown(commit[:_COMMIT], 20)}" if commit else ""
