"""The view of where a note or an entry comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxrepo.app.review.past import who
from ctxrepo.app.views.view import Field, Part, TextLine, View, one_section
from ctxrepo.domain.formats.moment import ago, counted, seconds_of, times, wall_time
from ctxrepo.domain.project.layout import shown

if TYPE_CHECKING:
    from ctxrepo.app.review.origins import Why
    from ctxrepo.domain.records.evidence import Evidence
    from ctxrepo.domain.records.save import Save
    from ctxrepo.services.history.commits import CommitSummary
    from ctxrepo.services.sessions.prompt_moments import PromptMoment

_LINES = 20
"""Lines of a note that are shown; of an entry all are."""

_RECORDS = 20
"""Records that are told, the newest."""

_LABELS = {"-": "removed", "*": "moved", "+": "written"}
"""What a commit did, by the mark of its first line."""


def why_view(why: Why, now: datetime) -> View:
    """What it says, then a field for each thing that is known."""
    found = why.origins
    name = f"  ^{found.id}" if found.id else ""
    parts: list[Part] = [TextLine(f"{found.at}{name}{', as it was last' if found.is_gone else ''}")]
    lines = found.text.rstrip("\n").split("\n")
    most = len(lines) if found.id else _LINES
    parts += [TextLine(line, 1) for line in lines[:most]]
    if (more := len(lines) - most) > 0:
        parts.append(TextLine(f"… {counted(more, 'more line')}", 1))
    parts += _changes(why, now)
    if why.records:
        parts.append(Field("records", tuple(_records(why.records))))
    parts.append(Field("given", tuple(_given(why, now))))
    states = (*why.state, *_waiting(why))
    parts.append(Field("state", states or ("current; nothing waits about it",)))
    target = f"^{found.id}" if found.id else found.path
    return one_section("Why", parts, f"`ctxrepo history {target}` shows each change")


def _changes(why: Why, now: datetime) -> Iterator[Field]:
    found = why.origins
    for save in why.waiting[-1:]:
        yield Field("waiting", (f"{_who_saved(save)}, {save.at}: in no commit yet",))
    if not found.deeds:
        if not why.waiting:
            yield Field("written", ("in no commit, so nothing says by whom",))
        return
    *later, first = found.deeds
    for deed in later:
        yield Field(
            _LABELS.get(deed.lines[0][:1] if deed.lines else "", "changed"), tuple(_deed(why, deed, now))
        )
    if left := found.count - len(found.deeds):
        yield Field("", (f"… {counted(left, 'more change')} before that",))
    label = "at least" if found.is_cut else "written"
    cut = ("the history on this machine begins here: what was before isn't known",) if found.is_cut else ()
    yield Field(label, (*_deed(why, first, now), *cut))


def _deed(why: Why, deed: CommitSummary, now: datetime) -> Iterator[str]:
    yield f"{wall_time(deed.when)}, {ago(deed.when, now)}, by {who(deed)}, commit {deed.commit[:10]}"
    if deed.path != why.origins.path:
        yield f"then in {deed.path}"
    more = [f"… {deed.more} more"] if deed.more else []
    yield from (f"  {line}" for line in (*deed.lines, *more))
    if moment := why.moments.get(deed.commit):
        yield from _moment(moment)
    elif not deed.writers.sessions and deed in (why.origins.deeds[0], why.origins.deeds[-1]):
        yield "no session is known, so neither is the prompt"


def _moment(moment: PromptMoment) -> Iterator[str]:
    if moment.prompt:
        at = seconds_of(moment.asked)
        when = f" at {wall_time(datetime.fromtimestamp(at, UTC))}" if at else ""
        yield f'last prompt before it{when}: "{moment.prompt}"'
    else:
        yield f"which prompt is unknown: {moment.unknown}"
    if moment.anchor:
        left = seconds_of(moment.anchor.timestamp)
        when = f", left {wall_time(datetime.fromtimestamp(left, UTC))}" if left else ""
        yield f"after the anchor {shown(moment.anchor.name)} ^{moment.anchor_id}{when}"
    if moment.resume:
        yield f"resume: {moment.resume}"


def _who_saved(save: Save) -> str:
    session = f", session {save.by.session[:8]}" if save.by.session else ""
    return (" on ".join(filter(None, (save.by.agent, save.by.host))) or "somebody") + session


def _records(records: Sequence[Evidence]) -> Iterator[str]:
    if (left := len(records) - _RECORDS) > 0:
        yield f"… {left} before"
    for record in records[-_RECORDS:]:
        at = seconds_of(record.ts)
        when = wall_time(datetime.fromtimestamp(at, UTC)) if at else shown(record.ts, 20)
        words: list[str] = [record.kind]
        if record.kind == "renamed":
            words.append(f"from {shown(record.path)} to {shown(record.to)}")
        elif record.to:
            words.append(f"^{record.entry} {'by' if record.kind == 'superseded' else 'to'} ^{record.to}")
        if record.key:
            words.append(f"under the key {shown(record.key, 60)}")
        if record.source:
            of_day = f" of {shown(record.day, 20)}" if record.day else ""
            words.append(f"brought from {shown(record.source, 60)}{of_day}")
        session = f"session {record.session[:8]}" if record.session else ""
        by = ", ".join(filter(None, (record.host, session)))
        yield f"{when}  {' '.join(words)}{f'  ({shown(by)})' if by else ''}"


def _given(why: Why, now: datetime) -> Iterator[str]:
    usage = why.usage
    if usage is None:
        yield "this machine knows of no session that was given it; others count for themselves"
        return
    last = ago(datetime.fromtimestamp(usage.last, UTC), now)
    yield (
        f"{times(usage.delivered)} to {counted(usage.sessions, 'session')}, opened by {usage.opened}, "
        f"used by {usage.used}, contradicted by {usage.contradicted}; last {last}, as this machine counted"
    )


def _waiting(why: Why) -> Iterator[str]:
    names = {"held": "held back", "conflict": "in conflict", "deletion": "its deletion is held back"}
    for item in why.items:
        name = item.id.partition(":")[2]
        hint = {"conflict": f": `ctxrepo conflicts show {name}`", "declined": ": `ctxrepo declined`"}
        yield f"{names.get(item.kind, item.kind)}: {item.why}{hint.get(item.kind, '')}"
