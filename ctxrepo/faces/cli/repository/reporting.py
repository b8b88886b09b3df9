"""Commands that say how the memory stands and what is wrong with it: status, doctor, and of the cache that
hooks answer from: cache verify, rebuild, embed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.repository import diagnosis
from ctxrepo.app.repository.diagnosis import DoctorRequest
from ctxrepo.domain.formats.moment import counted, times
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli.answer import answer, answer_with_view, open_desk
from ctxrepo.faces.cli.options import OWN, Group, command, json_option, option

if TYPE_CHECKING:
    from ctxrepo.services.meaning.ready import ReadyResult
    from ctxrepo.services.rescue.cache_repair import Rebuilt
    from ctxrepo.services.setup.hook_records import AgentRecords, Row
    from ctxrepo.storage.state.ledgers import FaultRecord


def status(
    machines: Annotated[bool, option("--machines")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Show the state of the memory, the remote and the agents."""
    from ctxrepo.app.views.health import machines_view, status_view

    desk = open_desk()
    if machines:
        view = partial(machines_view, now=desk.now)
        answer_with_view(diagnosis.all_machines, None, json, view, desk=desk)
    else:
        answer_with_view(diagnosis.status, None, json, partial(status_view, now=desk.now), desk=desk)


@command(json=OWN, fixes="--fix")
def doctor(
    request: DoctorRequest,
    json: bool = False,
    hooks: Annotated[bool, option("--hooks")] = False,
    faults: Annotated[bool, option("--faults")] = False,
) -> None:
    """Check that everything around the notes works."""
    if (hooks or faults) and (request.fixes or hooks == faults):
        raise UsageError("--hooks and --faults only look, each alone", "Leave the others out.")
    if hooks:
        records = diagnosis.read_hook_records
        answer(records, None, json, lambda agents: "\n".join(_hook_lines(agents)))
    elif faults:
        answer(diagnosis.list_faults, None, json, _fault_lines)
    else:
        from ctxrepo.app.views.health import doctor_view

        answer_with_view(diagnosis.doctor, request, json, doctor_view, label_width=9)


def _fault_lines(records: Sequence[FaultRecord]) -> str:
    lines = [f"{r.since}  {f'over {r.until}' if r.until else 'stands'}  {r.fault}" for r in records]
    return "\n".join(lines) or "sessions were told of no fault"


def _hook_lines(agents: Sequence[AgentRecords]) -> Iterator[str]:
    """What the records of each agent tell, and then the findings."""
    for agent in agents:
        if not agent.sessions:
            yield f"{agent.title} recorded no session in {agent.folder}"
            continue
        first, last = min(s.began for s in agent.sessions), max(s.last for s in agent.sessions)
        sessions = counted(len(agent.sessions), "session")
        yield f"{agent.title}, {sessions} from {_minute(first)} to {_minute(last)}, UTC"
        for row in agent.rows:
            yield f"  {row.event:<18} {'; '.join(_event(row))}"
    if not agents:
        yield "no agent is here whose records can be read"
    for finding in [finding for agent in agents for finding in agent.findings]:
        yield f"{finding.problem}\n  {finding.remedy}"


def _event(row: Row) -> Iterator[str]:
    outcomes = {"ran": "ran", "failed": "failed", "ended": "was ended"}
    counts = [
        f"{words} {times(row.count(outcome))}" for outcome, words in outcomes.items() if row.count(outcome)
    ]
    if counts:
        took = f" in {_span(row.took)}" if row.took else ""
        yield ", ".join(counts) + took
    if row.given:
        fates = {
            "sent": "in a request to the model",
            "cut": "cut by the agent",
            "lost": "in no request",
            "open": "no request recorded after it",
        }
        became = [f"{row.fates(fate)} {words}" for fate, words in fates.items() if row.fates(fate)]
        yield f"gave {times(len(row.given))}: {', '.join(became)}"
    if row.noted and not counts:
        yield f"called {times(row.noted)}"
    if not row.happened:
        yield "not triggered"
    elif row.unrecorded and not (row.count("failed") or row.count("ended")):
        yield row.unrecorded
    elif not (counts or row.given or row.noted):
        yield "no trace of it"


def _span(took: Sequence[int]) -> str:
    if len(took) == 1:
        return f"{took[0]} ms"
    middle = f", {took[len(took) // 2]} in the middle" if len(took) > 2 else ""
    return f"{took[0]} to {took[-1]} ms{middle}"


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


cache = Group("cache", "Verify or rebuild the cache that hooks read.", "verify")


@cache.command()
def verify(json: Annotated[bool, json_option()] = False) -> None:
    """Compare the cache with the notes."""

    def words_of(findings: Sequence[str]) -> str:
        lines = [f"cache: {finding}. `ctxrepo cache rebuild` makes it anew." for finding in findings]
        return "\n".join(lines) or "the cache says what the notes say"

    answer(diagnosis.verify, None, json, words_of)


@cache.command()
def rebuild(json: Annotated[bool, json_option()] = False) -> None:
    """Delete the cache and rebuild it from the notes."""

    def words_of(run: diagnosis.Timed[Rebuilt]) -> str:
        notes, entries = counted(run.made.notes, "note"), counted(run.made.entries, "entry", "entries")
        return f"built the cache anew: {notes}, {entries} in {run.seconds} s"

    answer(diagnosis.rebuild, None, json, words_of)


@cache.command()
def embed(json: Annotated[bool, json_option()] = False) -> None:
    """Prepare search by meaning now."""

    def words_of(run: diagnosis.Timed[ReadyResult]) -> str:
        texts = counted(run.made.embedded, "text")
        return f"embedded {texts} of {run.made.texts} in {run.seconds} s"

    answer(diagnosis.embed, None, json, words_of)
