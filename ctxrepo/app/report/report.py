"""The operation `report`: all that one looks at in a memory, gathered into one value.

Whatever comes from the memory has its secrets masked here. What the bounds leave out is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from ctxrepo.app.report.report_values import (
    PERIOD,
    WEEK,
    DayOfPrompts,
    DayOfScope,
    DayOfWriter,
    MarkOnTape,
    MemoryReport,
    NotShown,
    ReportRequest,
    VersionsApart,
    WaitingItem,
    quoted,
    report_notes,
)
from ctxrepo.app.result import Result, reads
from ctxrepo.app.review.decisions import command
from ctxrepo.domain.formats.moment import counted, wall_time
from ctxrepo.domain.secrets import mask, redact

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.records.decision import ItemToDecide
    from ctxrepo.domain.tape.anchors import Anchor
    from ctxrepo.services.history.recent_changes import NoteChange
    from ctxrepo.services.usage.entry_usage import UsageReport
    from ctxrepo.storage.memory import Memory


_LOOKED_AT = 20
"""Proposals of which it is found out what they would do now: each may read all notes of a scope."""

_MOST_LINES = 60
"""Lines of the difference that an item makes."""


@reads
def report(desk: Desk, request: ReportRequest) -> Result[MemoryReport]:
    """Gather what a page of the memory shows; the network isn't asked."""
    from ctxrepo.app.repository.diagnosis import status
    from ctxrepo.app.sessions.measuring import UsageRequest, usage
    from ctxrepo.services.health.machines import known_machines
    from ctxrepo.services.history.recent_changes import recent_changes
    from ctxrepo.services.locate.identify import read_registry
    from ctxrepo.services.review.proposals import looked_at

    memory, omissions, waiting = desk.memory, list[NotShown](), list[WaitingItem]()
    today = desk.now.astimezone().date()
    days = [today - timedelta(days=back) for back in reversed(range(PERIOD))]
    stands = status(desk, None).value
    recent = recent_changes(memory, request.commits, request.diffs, request.diffs_of_note)
    changes = recent.changes
    if changes and not recent.is_all:
        omissions.append(NotShown(f"what happened before {wall_time(changes[-1].when)}", "ctxrepo history"))
    week = [change for change in changes if _day(change.when) > today - timedelta(days=WEEK)]
    numbers = Counter[str]()
    for item in stands.to_decide:
        numbers[item.kind] += 1
        if numbers[item.kind] <= request.items:
            item_now = looked_at(memory, item, desk.now) if numbers[item.kind] <= _LOOKED_AT else item
            waiting.append(_waiting(item_now, request.item_chars))
    if more := len(stands.to_decide) - len(waiting):
        omissions.append(NotShown(f"{counted(more, 'further item')} to decide", "ctxrepo status"))
    usage_report = usage(desk, UsageRequest(limit=5000)).value
    usages = {entry.usage.id: entry.usage for entry in usage_report.entries}
    notes = report_notes(memory, request, changes, usages, omissions)
    registered = {folder: name for name, folder in read_registry(memory).projects.items()}
    folders = dict.fromkeys(sorted(note.scope for note in notes))
    value = MemoryReport(
        made=desk.now,
        days=days,
        status=stands,
        host=memory.host,
        waiting=[waiting_item for waiting_item in waiting if waiting_item.item.kind != "conflict"],
        apart=_apart(memory, waiting, request.item_chars),
        week=_per_scope(week),
        latest=week,
        scopes={folder: redact(registered.get(folder, "")) for folder in folders},
        notes=notes,
        tape=_tape(memory, folders, request.anchors, omissions),
        usage=_shortened(usage_report, request.entries),
        prompts=_prompts(memory, days),
        writers=_per_writer(changes, days[0]),
        machines=known_machines(memory, stands, desk.now),
        left_out=omissions,
    )
    left_out = [omission.what for omission in omissions]
    data = {"waiting": len(stands.to_decide), "notes": len(notes), "left_out": left_out}
    return Result(value, data)


def _waiting(item: ItemToDecide, most: int) -> WaitingItem:
    commands = [(choice.label, command(item, choice)) for choice in item.choices]
    if item.kind == "held" and item.name == item.path:  # whose path has nothing masked in it
        scope, _, path = item.path.partition("/")
        commands.append(
            (
                "open it in your editor and take out what is refused",
                f"ctxrepo open {quoted(f'{scope}:{path}')}",
            )
        )
    after = item.after and item.after[:most]
    return WaitingItem(replace(item, after=after), commands, item.difference(_MOST_LINES))


def _apart(memory: Memory, waiting: Sequence[WaitingItem], most: int) -> list[VersionsApart]:
    from ctxrepo.services.history.conflict_copies import conflicts, file_now

    copies = {f"conflict:{conflict.id}": conflict.copy for conflict in conflicts(memory) if conflict.copy}
    return [
        VersionsApart(
            waiting_item,
            *(
                mask(text)[:most]
                for text in (copy.base, copy.kept or file_now(memory, copy.path) or "", copy.other)
            ),
        )
        for waiting_item in waiting
        if (copy := copies.get(waiting_item.item.id))
    ]


def _per_scope(changes: Iterable[NoteChange]) -> list[DayOfScope]:
    counts: dict[tuple[date, str], Counter[str]] = {}
    for change in changes:
        key = (_day(change.when), change.now.partition("/")[0])
        each = counts.setdefault(key, Counter())
        each.update(came=change.came, changed=change.changed, went=change.went)
    return [
        DayOfScope(day, mask(scope), c["came"], c["changed"], c["went"])
        for (day, scope), c in sorted(counts.items())
    ]


def _per_writer(changes: Iterable[NoteChange], since: date) -> list[DayOfWriter]:
    counts = Counter[tuple[date, str, str]]()
    for change in changes:
        if (day := _day(change.when)) >= since:
            agent = ", ".join(change.writers.agents)
            counts[day, change.who, agent] += max(1, change.came + change.changed + change.went)
    return [DayOfWriter(*key, count) for key, count in sorted(counts.items())]


def _tape(memory: Memory, folders: Iterable[str], most: int, omissions: list[NotShown]) -> list[MarkOnTape]:
    """The newest anchors of all scopes, the newest first."""
    from ctxrepo.services.reading.tape_files import tape_here

    marks = [_on_tape(folder, anchor) for folder in folders for anchor in tape_here(memory, folder).anchors]
    marks.sort(key=lambda mark: (mark.when, mark.name), reverse=True)
    if len(marks) > most:
        omissions.append(NotShown(f"{len(marks) - most} earlier anchors", "ctxrepo tape list"))
    return marks[:most]


def _on_tape(folder: str, anchor: Anchor) -> MarkOnTape:
    from ctxrepo.services.reading.tape_files import handoff_text

    is_handoff = anchor.type == "handoff"
    summary = handoff_text(anchor) if is_handoff else anchor.summary or anchor.purpose
    try:
        when = datetime.fromtimestamp(anchor.moment).astimezone()
    except (ValueError, OverflowError):  # of the year 1, say: whoever left it could write anything
        when = datetime.fromtimestamp(0).astimezone()
    return MarkOnTape(
        when,
        mask(folder),
        mask(anchor.name),
        is_handoff,
        anchor.agent,
        anchor.host,
        mask(summary[:1000]),
    )


def _prompts(memory: Memory, days: Sequence[date]) -> list[DayOfPrompts]:
    """What prompts were given on this machine, as far back as is noted."""
    from ctxrepo.services.usage.read_traces import traces

    by_day: dict[date, list[int]] = {}
    for trace in traces(memory):
        if not trace.by and trace.at:
            by_day.setdefault(_day(datetime.fromisoformat(trace.at)), []).append(len(trace.given))
    counts = ((day, by_day.get(day, [])) for day in days)
    return [DayOfPrompts(d, sum(map(bool, of)), of.count(0), sum(of)) for d, of in counts]


def _shortened(usage: UsageReport, most: int) -> UsageReport:
    entries = [replace(entry, text=mask(entry.text), at=mask(entry.at)) for entry in usage.entries[:most]]
    return replace(usage, entries=entries)


def _day(moment: datetime) -> date:
    return moment.astimezone().date()
