"""Views of what happened: history, and the versions that a merge set aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from ctxrepo.app.review.past import PastCommits, who
from ctxrepo.app.views.provenance import provenance, when_of
from ctxrepo.app.views.view import Diff, Field, Part, TextLine, View, ViewSection, one_section
from ctxrepo.domain.formats.moment import ago, counted, seconds_of, times, wall_time
from ctxrepo.domain.project.layout import is_conflict_copy, is_note, shown

if TYPE_CHECKING:
    from ctxrepo.app.review.changes import WhatChanged
    from ctxrepo.app.review.decisions import ShownConflict
    from ctxrepo.app.review.origins import Why
    from ctxrepo.domain.records.evidence import Evidence
    from ctxrepo.domain.records.proposal import Proposal
    from ctxrepo.domain.records.save import Origin
    from ctxrepo.services.history.commits import CommitSummary
    from ctxrepo.services.history.conflict_copies import Conflict
    from ctxrepo.services.history.net_changes import ChangedFile, NetChange
    from ctxrepo.services.sessions.prompt_moments import PromptMoment


def history_view(past: PastCommits, limit: int) -> View:
    """The commits of the memory, of a note or of an entry, the newest first."""
    path = past.commits[0].path if past.commits else ""
    lines = [line for commit in past.commits for line in _commit(commit, path)]
    hints = [f"there are more: `--limit {10 * limit}`"] if past.is_more else []
    return one_section("History", [TextLine(path), *lines] if path else lines, *hints)


def review_view(commits: Sequence[CommitSummary]) -> View:
    """The commits that wait for review."""
    return one_section("In review", [line for commit in commits for line in _commit(commit, "")])


def conflicts_view(conflicts: Sequence[Conflict], now: datetime) -> View:
    """A line for each version that was set aside."""
    lines = [TextLine(_conflict(conflict, now)) for conflict in conflicts]
    readable = next((conflict.id for conflict in conflicts if conflict.copy), "")
    hints = [f"look at one with `ctxrepo conflicts show {readable}`"] if readable else []
    return one_section("Conflicts", lines or [TextLine("nothing is set aside")], *hints)


def conflict_view(shown: ShownConflict, now: datetime) -> View:
    """Both versions, what they come from, and how they differ."""
    conflict, copy = shown.conflict, shown.copy
    what = "a part" if copy.kept else "the whole file"
    sections = [ViewSection((TextLine(f"{conflict.id}  {copy.path}: {what}, {_age(conflict.since, now)}"),))]
    if copy.base:
        sections.append(_text("was", copy.base))
    if copy.kept:
        sections += [_text("kept", copy.kept), _text("other", copy.other)]
    sections.append(ViewSection((Diff(tuple(shown.diff)),), "from kept to other"))
    hint = f"`ctxrepo conflicts resolve {conflict.id} --keep kept`, or other, or both"
    return View("Conflict", tuple(sections), (hint,))


def _commit(commit: CommitSummary, path: str) -> Iterator[TextLine]:
    """A line for the commit; of the note or entry that was asked for, one for each change of it."""
    start = f"{wall_time(commit.when)}  {commit.commit[:10]}"
    if not commit.path:
        more = [f"… {commit.more} more"] if commit.more else []
        what = " ".join([*commit.lines, *more])
        yield TextLine("  ".join(filter(None, (start, commit.subject, what, f"({who(commit)})"))))
        return
    yield TextLine(f"{start}  {who(commit)}{'' if commit.path == path else f'  {commit.path}'}")
    yield from (TextLine(line, 2) for line in commit.lines)
    if commit.more:
        yield TextLine(f"… {commit.more} more", 2)


def _conflict(conflict: Conflict, now: datetime) -> str:
    if conflict.copy is None:
        return f"unreadable  {conflict.file}: keeps no version, look at it in an editor"
    return f"{conflict.id}  {conflict.copy.path}  {_age(conflict.since, now)}  {conflict.words}"


def _age(since: datetime | None, now: datetime) -> str:
    return "not committed" if since is None else ago(since, now)


def _text(heading: str, text: str) -> ViewSection:
    return ViewSection(tuple(TextLine(line, 1) for line in text.split("\n")), heading)


def diff_view(what: WhatChanged) -> View:
    """A section for each note, in it its changes under who made them; or a unified diff."""
    if not what.files:
        return one_section("Changes", [TextLine(f"nothing changed {what.since}")])
    if what.is_patch:
        return one_section("Changes", [Diff(tuple(what.patch))])
    return View("Changes", tuple(ViewSection(tuple(_lines(file))) for file in what.files))


def _lines(file: ChangedFile) -> Iterator[TextLine]:
    kind = {"new": " (new)", "removed": " (removed)", "renamed": f" (renamed from {file.former})"}
    yield TextLine(f"{file.path}{kind.get(file.kind, '')}")
    for words, changes in groupby(file.changes, lambda change: _who(change.deed, file)):
        yield TextLine(words, 1)
        for change in changes:
            yield from _change(change)
    if not file.changes:
        yield TextLine(_who(file.deed, file), 1)
        yield TextLine(f"* {_other(file)}", 2)


def _who(deed: CommitSummary | None, file: ChangedFile) -> str:
    if deed:
        return f"{who(deed)}, {wall_time(deed.when)}, commit {deed.commit[:10]}"
    return "in no commit yet" if file.is_waiting else "it isn't known by whom"


def _change(change: NetChange) -> Iterator[TextLine]:
    sign = change.mark
    if sign == ">":
        edited = f", then: {change.before}" if change.before != change.after else ""
        yield TextLine(f"* moved from {change.former}{edited}", 2)
        yield TextLine(f"+ {change.after}", 2)
    elif sign == "~":
        yield TextLine(f"~ {change.before}", 2)
        yield TextLine(f"→ {change.after}", 2)
    else:
        yield TextLine(f"{sign} {change.after or change.before}", 2)


def _other(file: ChangedFile) -> str:
    if is_conflict_copy(file.path):
        fate = "was resolved" if file.kind == "removed" else "a merge set aside: `ctxrepo conflicts` shows it"
        return f"a version that {fate}"
    if is_note(file.path):
        empty = {
            "renamed": "its entries are as they were",
            "new": "without entries",
            "removed": "had no entries",
        }
        return empty.get(file.kind, "what is no entry: its frontmatter, headings or blank lines")
    before, after = ("nothing" if size is None else f"{size:,} bytes" for size in file.sizes)
    return f"no note: {before} before, {after} now"


_LINES = 20
"""Lines of a note that are shown; of an entry all are."""

_RECORDS = 20
"""Records that are told, the newest."""

_LABELS = {"-": "removed", "*": "moved", "+": "written"}
"""What a commit did, by the mark of its first line."""


def why_view(why: Why, now: datetime) -> View:
    """What it says, then a field for each thing that is known."""
    origins = why.origins
    name = f"  ^{origins.id}" if origins.id else ""
    parts: list[Part] = [TextLine(f"{origins.at}{name}{', as it was last' if origins.is_gone else ''}")]
    lines = origins.text.rstrip("\n").split("\n")
    most = len(lines) if origins.id else _LINES
    parts += [TextLine(line, 1) for line in lines[:most]]
    if (more := len(lines) - most) > 0:
        parts.append(TextLine(f"… {counted(more, 'more line')}", 1))
    parts += _changes(why, now)
    if why.evidence and (known := tuple(provenance(why.evidence))):
        parts.append(Field("origin", known))
    if why.records:
        parts.append(Field("records", tuple(_records(why.records))))
    parts.append(Field("given", tuple(_given(why, now))))
    states = (*why.state, *_waiting(why))
    parts.append(Field("state", states or ("current; nothing waits about it",)))
    target = f"^{origins.id}" if origins.id else origins.path
    return one_section("Why", parts, f"`ctxrepo history {target}` shows each change")


def _changes(why: Why, now: datetime) -> Iterator[Field]:
    origins = why.origins
    for save in why.waiting[-1:]:
        yield Field("waiting", (f"{_named(save.by)}, {save.at}: in no commit yet",))
    if not origins.deeds:
        if not why.waiting:
            yield Field("written", ("in no commit, so nothing says by whom",))
        return
    *later, first = origins.deeds
    for deed in later:
        yield Field(
            _LABELS.get(deed.lines[0][:1] if deed.lines else "", "changed"), tuple(_deed(why, deed, now))
        )
    if more := origins.count - len(origins.deeds):
        yield Field("", (f"… {counted(more, 'more change')} before that",))
    label = "at least" if origins.is_cut else "written"
    cut = ("the history on this machine begins here: what was before isn't known",) if origins.is_cut else ()
    yield Field(label, (*_deed(why, first, now), *cut))


def _deed(why: Why, deed: CommitSummary, now: datetime) -> Iterator[str]:
    yield f"{wall_time(deed.when)}, {ago(deed.when, now)}, by {who(deed)}, commit {deed.commit[:10]}"
    if deed.path != why.origins.path:
        yield f"then in {deed.path}"
    more = [f"… {deed.more} more"] if deed.more else []
    yield from (f"  {line}" for line in (*deed.lines, *more))
    if proposal := why.proposals.get(deed.commit):
        yield f"accepted; proposed {when_of(proposal.ts)}, by {_named(proposal)}"
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
        seconds = seconds_of(moment.anchor.timestamp)
        when = f", left {wall_time(datetime.fromtimestamp(seconds, UTC))}" if seconds else ""
        yield f"after the anchor {shown(moment.anchor.name)} ^{moment.anchor_id}{when}"
    if moment.resume:
        yield f"resume: {moment.resume}"
    elif moment.no_resume:
        yield f"resume: no command: {moment.no_resume}"


def _named(by: Origin | Proposal) -> str:
    session = f", session {by.session[:8]}" if by.session else ""
    return shown((" on ".join(filter(None, (by.agent, by.host))) or "somebody") + session, 100)


def _records(records: Sequence[Evidence]) -> Iterator[str]:
    if (more := len(records) - _RECORDS) > 0:
        yield f"… {more} before"
    for record in records[-_RECORDS:]:
        when = when_of(record.ts)
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
        if record.code:
            words.append(f"at {shown(record.code[:10])}")
        session = f"session {record.session[:8]}" if record.session else ""
        by = ", ".join(filter(None, (record.agent, record.host, session)))
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
    names |= {"doubt": "in doubt"}
    for item in why.items:
        name = item.id.partition(":")[2]
        hint = {
            "conflict": f": `ctxrepo conflicts show {name}`",
            "declined": ": `ctxrepo declined`",
            "proposal": f": `ctxrepo inbox show {name}`",
            "doubt": f": `ctxrepo inbox show {name}`",
        }
        yield f"{names.get(item.kind, item.kind)}: {item.why}{hint.get(item.kind, '')}"
