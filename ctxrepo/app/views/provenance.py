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


def provenance(evidence: EntryEvidence) -> Iterator[str]:
    """What the records about an entry amount to. They come from other machines, too, and are shown as
    such."""
    if evidence.stated:
        yield f"stated {when_of(evidence.stated)}{_by(evidence)}"
    if evidence.source:
        yield f"brought from {shown(evidence.source, 60)}"
    if evidence.derived:
        yield f"replaced {', '.join(f'^{shown(name, 20)}' for name in evidence.derived)}"
    if evidence.reinforced:
        yield f"said again {times(evidence.reinforced)}; last confirmed {when_of(evidence.last)}"
    if evidence.verified:
        yield f"verified {when_of(evidence.verified)}{_at(evidence.verified_code)}"
    if evidence.contradicted:
        yield f"contradicted {times(evidence.contradicted)} since, last {when_of(evidence.contradicted_at)}"
    for cite in evidence.cites:
        path, _, place = cite.partition("@")
        commit, _, lines = place.partition("#")
        yield f"cites {shown(path, 100)}{f'#{shown(lines, 20)}' if lines else ''}{_at(commit)}"
    if evidence.code and not evidence.cites and evidence.code != evidence.verified_code:
        yield f"about the code{_at(evidence.code)}"
    if evidence.rule:
        yield f"agents are held to it: {shown(evidence.rule, 100)}"
    yield from (f"holds while {shown(claim, 100)}" for claim in evidence.holds)


def when_of(ts: str) -> str:
    """The moment of a record by this machine's clock; whatever else stands there, cut short."""
    at = seconds_of(ts)
    return wall_time(datetime.fromtimestamp(at, UTC)) if at else shown(ts, 20)


def _by(evidence: EntryEvidence) -> str:
    who = " on ".join(filter(None, (evidence.agent, evidence.host)))
    session = f"session {evidence.session[:8]}" if evidence.session else ""
    author = ", ".join(filter(None, (who, session)))
    return f" by {shown(author, 100)}" if author else ""


def _at(commit: str) -> str:
    return f" at {shown(commit[:_COMMIT], 20)}" if commit else ""
