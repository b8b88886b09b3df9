"""Commands that say how the memory stands and what is wrong with it: status, doctor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents.known import AGENTS, SETUP_HINT
from ctxrepo.app.repository.diagnosis import DoctorRequest
from ctxrepo.domain.formats.moment import ago
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import OWN, command, json_option, option
from ctxrepo.faces.cli.output import counted

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.repository.diagnosis import Diagnosis
    from ctxrepo.services.faults.finding import CheckOutcome
    from ctxrepo.services.health.health import LastSession
    from ctxrepo.services.health.status import Status
    from ctxrepo.services.setup.connection import Standing
    from ctxrepo.services.setup.hook_records import AgentRecords, Row
    from ctxrepo.storage.state.ledgers import FaultRecord


def register(app: typer.Typer) -> None:
    app.command()(status)
    app.command()(doctor)


def status(json: Annotated[bool, json_option()] = False) -> None:
    """Show the state of the memory, the remote and the agents.

    It shows what is waiting, which session was served last, and when the remote last answered, without using
    the network.

    Example: ctxrepo status
    """
    from ctxrepo.app.repository.diagnosis import status

    desk = open_desk()
    answer(desk, status, None, json, lambda now: "\n".join(status_lines(now, desk.now)))


@command(json=OWN, fixes="--fix")
def doctor(
    request: DoctorRequest,
    json: bool = False,
    hooks: Annotated[
        bool,
        option("--hooks", help="Show what the agents recorded about ctxrepo's hooks in recent sessions."),
    ] = False,
    faults: Annotated[
        bool,
        option("--faults", help="List the problems that sessions were told about, including solved ones."),
    ] = False,
) -> None:
    """Check that everything around the notes works.

    For git, hooks, the remote, settings and the rest it reports the state, what is wrong, and how to fix it.
    The exit code is 1 if anything is wrong. --fix says what it fixed, and then what is left for you. --hooks
    reads the agents' own records instead: which hooks ran, how long they took, and whether their output
    reached the model; it never shows what was said in a session. --faults lists the problems that sessions
    were told about, with when each began and ended.

    Example: ctxrepo doctor --fix
    """
    if (hooks or faults) and (request.fixes or hooks == faults):
        raise UsageError("--hooks and --faults only look, each alone", "Leave the others out.")
    from ctxrepo.app.repository import diagnosis as operations

    if hooks:
        answer(open_desk(), operations.read_hook_records, None, json, _hook_lines)
    elif faults:
        answer(open_desk(), operations.list_faults, None, json, _fault_lines)
    else:
        answer(open_desk(), operations.doctor, request, json, _diagnosis)


def _diagnosis(found: Diagnosis) -> str:
    lines = [f"mended: {deed}" for deed in found.mended]
    lines += [line for one in found.checked for line in _outcome_lines(one)]
    return "\n".join([*lines, _summed(found.findings)])


def _fault_lines(found: Sequence[FaultRecord]) -> str:
    lines = [f"{one.since}  {f'over {one.until}' if one.until else 'stands'}  {one.fault}" for one in found]
    return "\n".join(lines) or "sessions were told of no fault"


def _hook_lines(found: Sequence[AgentRecords]) -> str:
    findings = [finding for agent in found for finding in agent.findings]
    return "\n".join([*_record_lines(found), *(f"{f.problem}\n  {f.remedy}" for f in findings)])


def _outcome_lines(one: CheckOutcome) -> Iterator[str]:
    how = f"{len(one.findings)} wrong" if one.findings else "ok"
    yield f"{one.name:<9} {how}: {one.stands}"
    for finding in one.findings:
        yield f"  {finding.problem}"
        yield f"    {finding.remedy}"


def _summed(count: int) -> str:
    return f"{output.counted(count, 'thing is', 'things are')} wrong" if count else "all is well"


_STRUCK = 5
"""Entries that reviewers struck out of which each is told."""


def status_lines(now: Status, moment: datetime) -> Iterator[str]:
    """A line for each thing, under the same names every time."""
    is_there = now.checked_out == now.branch
    where = now.branch if is_there else f"{now.checked_out or 'no branch'} instead of {now.branch}"
    yield f"memory   {now.root} on {where}, {counted(now.notes, 'note')}"
    yield f"remote   {_remote(now, moment)}"
    yield f"project  {_project(now)}"
    if now.claim:
        given = "It is given nothing" if now.is_withheld else "It is given that memory"
        yield f"claim    {shown(now.claim)}. {given}; `ctxrepo project trust` says that it is yours"
    yield f"agents   {'; '.join(_agent(one) for one in now.agents) or _NONE}"
    yield f"session  {_session(now.served, moment)}"
    yield f"waiting  {now.waiting} to commit, {now.ahead} to send, {now.behind} to merge{_in_review(now)}"
    yield from (f"fault    {fault}" for fault in now.faults)
    if now.embedded:
        yield f"meaning  {now.embedded[0]} of {now.embedded[1]} texts embedded"
    if now.indexed:
        sessions, messages = (
            counted(now.indexed.sessions, "session"),
            counted(now.indexed.messages, "message"),
        )
        yield f"search   {sessions} indexed, {messages}, {now.indexed.bytes / 1e6:.1f} MB"
    if now.review:
        yield f"review   {now.review} waits for somebody to look at it"
    for one in now.declined:
        entries = counted(len(one.entries), "entry", "entries")
        yield f"declined {one.name}: {entries} removed in a review, kept in {one.ref}"
        yield from (f"         - {entry}" for entry in one.entries[:_STRUCK])
    if now.declined:
        yield "         `ctxrepo declined dismiss` takes them off this list"
    if now.staged:
        waits = "1 proposal waits" if now.staged == 1 else f"{now.staged} proposals wait"
        yield f"inbox    {waits}; no session is given what is proposed, and no command accepts it yet"
    if now.obstacle:
        yield f"stopped  {now.obstacle}"


def _in_review(now: Status) -> str:
    return f", {now.in_review} in review" if now.review else ""


_NONE = f"none is connected: {SETUP_HINT}"


def _remote(now: Status, moment: datetime) -> str:
    if not now.remote:
        return "none: on this machine only"
    last = now.exchanged
    if last.at and last.outcome != "ok":
        well = f", the last that went well {ago(last.fetched, moment)}" if last.fetched else ""
        return f"{now.remote}; the last exchange, {ago(last.at, moment)}, failed ({last.outcome}){well}"
    return f"{now.remote}, {f'last exchange {ago(last.at, moment)}' if last.at else 'no exchange yet'}"


def _project(now: Status) -> str:
    if not now.project:
        return "none: global only"
    place = f"{now.project.id} in {now.project.folder}/"
    if now.project.is_registered:
        return place
    moved = "; if its address has changed: `ctxrepo project link`" if now.knows_others else ""
    return f"{place} (nothing written yet{moved})"


def _agent(one: Standing) -> str:
    title = AGENTS[one.agent].title
    if one.state == "absent":
        return f"{title} is not connected: `ctxrepo setup {one.agent}`"
    if one.findings:
        return f"{title} is connected, and something is wrong with it: `ctxrepo doctor`"
    return f"{title} is connected{' by its plugin' if one.state == 'plugin' else ''}"


def _session(served: LastSession | None, moment: datetime) -> str:
    if served is None:
        return "none was served on this machine yet"
    title = AGENTS[served.agent].title if served.agent in AGENTS else shown(served.agent)
    where = f" in {served.project}" if served.project else ""
    given = (
        "given nothing, as it was told"
        if served.is_off
        else f"given {counted(served.given, 'entry', 'entries')}"
    )
    return f"{title}{where}, {ago(served.at, moment)}, {given}"


def _record_lines(found: Sequence[AgentRecords]) -> Iterator[str]:
    """What the records of each agent tell, without the findings."""
    for agent in found:
        if not agent.sessions:
            yield f"{agent.title} recorded no session in {agent.folder}"
            continue
        first, last = min(s.began for s in agent.sessions), max(s.last for s in agent.sessions)
        sessions = counted(len(agent.sessions), "session")
        yield f"{agent.title}, {sessions} from {_minute(first)} to {_minute(last)}, UTC"
        for row in agent.rows:
            yield f"  {row.event:<17} {'; '.join(_event(row))}"
    if not found:
        yield "no agent is here whose records can be read"


def _event(row: Row) -> Iterator[str]:
    outcomes = {"ran": "ran", "failed": "failed", "ended": "was ended"}
    told = [
        f"{words} {_times(row.count(outcome))}" for outcome, words in outcomes.items() if row.count(outcome)
    ]
    if told:
        took = f" in {_span(row.took)}" if row.took else ""
        yield ", ".join(told) + took
    if row.given:
        fates = {
            "sent": "in a request to the model",
            "cut": "cut by the agent",
            "lost": "in no request",
            "open": "no request recorded after it",
        }
        became = [f"{row.fates(fate)} {words}" for fate, words in fates.items() if row.fates(fate)]
        yield f"gave {_times(len(row.given))}: {', '.join(became)}"
    if row.noted and not told:
        yield f"ctxrepo noted {counted(row.noted, 'call')} itself"
    if not row.happened:
        yield "there was no cause"
    elif row.unrecorded and not (row.count("failed") or row.count("ended")):
        yield row.unrecorded
    elif not (told or row.given or row.noted):
        yield "no trace of it"


def _span(took: Sequence[int]) -> str:
    if len(took) == 1:
        return f"{took[0]} ms"
    middle = f", {took[len(took) // 2]} in the middle" if len(took) > 2 else ""
    return f"{took[0]} to {took[-1]} ms{middle}"


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
