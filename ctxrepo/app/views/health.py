"""Views of how the memory stands and of what is wrong with it: status, doctor, check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.agents.known import AGENTS, SETUP_HINT
from ctxrepo.app.views.view import Diff, Field, Mark, Part, Table, TextLine, View, one_section
from ctxrepo.domain.formats.moment import ago, counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.services.faults.finding import Levelled, count_levels, is_failure

if TYPE_CHECKING:
    from ctxrepo.app.notes.upkeep import CheckedNotes
    from ctxrepo.app.repository.diagnosis import AllMachines, Diagnosis
    from ctxrepo.domain.records.decision import Kind
    from ctxrepo.services.faults.faults import LastSession
    from ctxrepo.services.faults.finding import CheckOutcome
    from ctxrepo.services.health.machines import KnownMachine
    from ctxrepo.services.health.status import Status
    from ctxrepo.services.setup.standings import Standing, State

_STANDINGS: Mapping[State, str] = {
    "current": "connected",
    "plugin": "connected",
    "absent": "not connected",
    "stale": "to be set up again",
    "partial": "connected but for the MCP server",
    "off": "no hooks run",
    "unknown": "not known whether hooks run",
}
"""How each agent stands, in the words of a person."""

_REMOVED = 5
"""Entries of a review that are shown; `declined list` shows all."""


def status_view(status: Status, now: datetime) -> View:
    """A field for each thing, under the same names every time."""
    return one_section("Status", _fields(status, now))


def machines_view(all_machines: AllMachines, now: datetime) -> View:
    """A row for each machine; what isn't known is said to be so."""
    rows = tuple(tuple(words_of_machine(machine, now).values()) for machine in all_machines.machines)
    fetched = all_machines.fetched
    hints = [f"others are known as of the last exchange, {ago(fetched, now)}"] if fetched else []
    return one_section("Machines", [Table(MACHINE_COLUMNS, rows)], *hints)


MACHINE_COLUMNS = ("machine", "last commit", "this week", "agents", "version", "waits")


def words_of_machine(machine: KnownMachine, now: datetime) -> dict[str, str]:
    """Column -> what stands there."""
    authors = f" ({', '.join(map(shown, machine.authors))})" if machine.authors else ""
    name = shown(machine.host) or f"not known{authors}"
    waits = [f"{count} {_WAITING[kind][count == 1]}" for kind, count in machine.waits.items()]
    waits += [f"{machine.to_send} to send"] if machine.to_send else []
    words = (
        f"{name}, here" if machine.is_here else name,
        ago(machine.last, now) if machine.last else "none",
        str(machine.week),
        ", ".join(map(shown, machine.agents)) or ("by hand" if machine.commits else "none"),
        shown(machine.version) or "not known",
        ", ".join(waits) or ("nothing" if machine.is_here else "nothing known"),
    )
    return dict(zip(MACHINE_COLUMNS, words, strict=True))


_WAITING: Mapping[Kind, tuple[str, str]] = {
    "proposal": ("proposals", "proposal"),
    "conflict": ("versions set aside", "version set aside"),
    "held": ("files held back", "file held back"),
    "deletion": ("deletions held back", "deletion held back"),
    "declined": ("declined reviews", "declined review"),
    "doubt": ("doubtful entries", "doubtful entry"),
}
"""Items to decide in words: several, and one."""


def doctor_view(diagnosis: Diagnosis) -> View:
    """What was fixed, each thing that was checked with what is wrong about it, and how many that are."""
    parts: list[Part] = [TextLine(f"mended: {deed}") for deed in diagnosis.mended]
    parts += [part for check in diagnosis.checked for part in check_parts(check)]
    parts.append(TextLine(count_levels(diagnosis.findings) or "all is well"))
    return one_section("Doctor", parts)


def check_parts(check: CheckOutcome) -> list[Part]:
    """How one thing stands that `doctor` checks, and what is wrong about it."""
    line = f"{count_levels(check.findings) or 'ok'}: {check.stands}"
    parts: list[Part] = [Field(check.name, (line,), _mark(check.findings))]
    for finding in check.findings:
        words = f"{_level(finding)}{finding.problem}"
        parts += [TextLine(words, 1, _mark([finding])), TextLine(finding.remedy, 2)]
    return parts


def check_view(checked: CheckedNotes, *, is_trial: bool) -> View:
    """What was fixed, or would be, as a diff and in words, and what is left to fix by hand."""
    parts: list[Part] = []
    for fix in checked.fixed:
        if fix.diff:
            parts.append(Diff(tuple(fix.diff.split("\n"))))
        parts.append(TextLine(f"{'would fix' if is_trial else 'fixed'} {fix.path}: {'; '.join(fix.deeds)}"))
    for finding in checked.findings:
        place = f"{finding.path}:{finding.line}" if finding.line else finding.path
        line = f"{place}: {_level(finding)}{finding.problem}. {finding.remedy}"
        parts.append(TextLine(line, mark=_mark([finding])))
    return one_section("Check", parts or [TextLine("nothing to fix")])


def _mark(findings: Sequence[Levelled]) -> Mark:
    return "wrong" if is_failure(findings) else ""


def _level(finding: Levelled) -> str:
    """What stands before a finding that is no error."""
    return "" if finding.level == "error" else f"{finding.level}: "


def _fields(status: Status, now: datetime) -> Iterator[Field]:
    is_there = status.checked_out == status.branch
    where = status.branch if is_there else f"{status.checked_out or 'no branch'} instead of {status.branch}"
    only_here = f", {status.ignored} only on this machine, for git ignores them" if status.ignored else ""
    yield _field("memory", f"{status.root} on {where}, {counted(status.notes, 'note')}{only_here}")
    if not status.owner:
        yield _field("remote", _remote(status, now))
    yield Field("project", (_project(status),), "wrong" if status.unknown else "")
    if status.claim:
        effect = "It is given nothing" if status.is_withheld else "It is given that memory"
        yield _field(
            "claim", f"{shown(status.claim)}. {effect}; `ctxrepo project trust` says that it is yours"
        )
    if status.owner:
        yield Field("stopped", (status.owner,), "wrong")
        return
    yield _field("agents", _agents(status.agents))
    yield _field("session", _session(status.served, now))
    in_review = f", {status.in_review} in review" if status.review else ""
    counts = f"{status.waiting} to commit, {status.ahead} to send, {status.behind} to merge{in_review}"
    yield _field("waiting", counts)
    yield from (Field("fault", (fault,), "wrong") for fault in status.faults)
    yield from (_field("deleted", line) for line in status.deleted)
    if status.embedded:
        yield _field("meaning", f"{status.embedded[0]} of {status.embedded[1]} texts embedded")
    if index := status.indexed:
        sessions, messages = counted(index.sessions, "session"), counted(index.messages, "message")
        yield _field("search", f"{sessions} indexed, {messages}, {index.bytes / 1e6:.1f} MB")
    if status.review:
        text = "`ctxrepo history --in-review --markdown` is the text of its pull request"
        yield _field("review", f"{status.review} waits for somebody to look at it; {text}")
    yield from _declined(status)
    if status.staged:
        waits = "1 proposal waits" if status.staged == 1 else f"{status.staged} proposals wait"
        yield _field("inbox", f"{waits}: `ctxrepo inbox`; no session is given what is proposed")
    if status.doubtful:
        entries = counted(status.doubtful, "entry", "entries")
        yield _field("doubts", f"{entries} may hold no longer: `ctxrepo stale`")
    if status.obstacle:
        yield Field("stopped", (status.obstacle,), "wrong")


def _field(label: str, *lines: str) -> Field:
    return Field(label, lines)


def _declined(status: Status) -> Iterator[Field]:
    for review in status.declined:
        entries = counted(len(review.entries), "entry", "entries")
        lines = [f"{review.name}: {entries} removed in a review, kept in {review.ref}"]
        lines += [f"- {entry}" for entry in review.entries[:_REMOVED]]
        if review is status.declined[-1]:
            lines.append("`ctxrepo declined dismiss` takes them off this list")
        yield _field("declined", *lines)


def _remote(status: Status, now: datetime) -> str:
    if not status.remote:
        return "none: on this machine only"
    last = status.exchanged
    if last.at and last.outcome != "ok":
        well = f", the last that went well {ago(last.fetched, now)}" if last.fetched else ""
        return f"{status.remote}; the last exchange, {ago(last.at, now)}, failed ({last.outcome}){well}"
    return f"{status.remote}, {f'last exchange {ago(last.at, now)}' if last.at else 'no exchange yet'}"


def _project(status: Status) -> str:
    if status.unknown:
        return status.unknown
    if not status.project:
        return "none: global only"
    place = f"{status.project.id} in {status.project.folder}/"
    if status.project.is_registered:
        return f"{place}; {status.hint}" if status.hint else place
    advice = "if its address has changed: `ctxrepo project link`" if status.knows_others else ""
    return f"{place} (nothing written yet{'; ' if status.hint or advice else ''}{status.hint or advice})"


def _agents(stand: Sequence[Standing]) -> str:
    """The agents by how they stand, and where to read on."""
    by_label: dict[str, list[str]] = {}
    for standing in stand:
        by_label.setdefault(_STANDINGS[standing.state], []).append(standing.agent)
    connected = by_label.pop("connected", [])
    if all(standing.state == "absent" for standing in stand):
        return f"none is connected: {SETUP_HINT}"
    parts = [f"{len(connected)} connected: {', '.join(connected)}"] if connected else []
    parts += [f"{label}: {', '.join(names)}" for label, names in by_label.items()]
    return "; ".join(parts) + ("; `ctxrepo doctor` says more" if by_label else "")


def _session(session: LastSession | None, now: datetime) -> str:
    if session is None:
        return "none was served on this machine yet"
    title = AGENTS[session.agent].title if session.agent in AGENTS else shown(session.agent)
    where = f" in {session.project}" if session.project else ""
    entries = counted(session.given, "entry", "entries")
    delivery = "given nothing, as it was told" if session.is_off else f"given {entries}"
    return f"{title}{where}, {ago(session.at, now)}, {delivery}"
