"""Operations that say how the memory stands and what is wrong: status, doctor, and the cache of the hooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ctxrepo.app.result import Result, reads, writes
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.records.decision import command
from ctxrepo.errors import GitFailed
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.faults.faults import LastExchange
    from ctxrepo.services.faults.finding import CheckOutcome, Finding
    from ctxrepo.services.health.machines import KnownMachine
    from ctxrepo.services.health.status import Status
    from ctxrepo.services.locate.identify import Project
    from ctxrepo.services.meaning.ready import ReadyResult
    from ctxrepo.services.rescue.cache_repair import Rebuilt
    from ctxrepo.services.setup.hook_records import AgentRecords, Row
    from ctxrepo.storage.state.ledgers import FaultRecord

Value = TypeVar("Value")

FAILED = 1


@dataclass(frozen=True)
class DoctorRequest:
    """Whether what needs no decision is mended."""

    fixes: bool = False
    """Fix what needs no decision from you; nothing is deleted."""


@dataclass(frozen=True)
class Diagnosis:
    """What was mended, and how each thing stands by then."""

    mended: Sequence[str]
    checked: Sequence[CheckOutcome]

    @property
    def findings(self) -> Sequence[Finding]:
        return [finding for check in self.checked for finding in check.findings]


def doctor(desk: Desk, request: DoctorRequest) -> Result[Diagnosis]:
    """Look whether all around the notes works; ends with 1 when something is wrong."""
    from ctxrepo.domain.guard.refusals import RULE
    from ctxrepo.services.faults.faults import standing
    from ctxrepo.services.faults.finding import is_failure
    from ctxrepo.services.health.doctor import doctor
    from ctxrepo.services.rescue.mend import mend
    from ctxrepo.storage.state.committed_records import KeptOutFile

    memory = desk.open_memory(or_last_settings=True)
    desk.places.secure()
    kept_out = KeptOutFile(memory.state.held)
    deleted = kept_out.read().by(RULE) if request.fixes else []
    mended = list(mend(memory, desk.now)) if request.fixes else []
    if deleted and not kept_out.read().by(RULE):
        memory.done_log.note_final("put back", desk.origin, deleted[0].path)
    diagnosis = Diagnosis(mended, doctor(memory, desk.machine, desk.now))
    checked = [(check.name, check.stands, not is_failure(check.findings)) for check in diagnosis.checked]
    data = {
        "findings": plain_data(diagnosis.findings),
        "mended": mended,
        "checked": [{"name": name, "stands": stands, "ok": is_well} for name, stands, is_well in checked],
        "faults": plain_data(standing(memory)),
    }
    return Result(diagnosis, data, FAILED if is_failure(diagnosis.findings) else 0)


def list_faults(desk: Desk, _: None) -> Result[Sequence[FaultRecord]]:
    """List the problems that sessions were told about, including solved ones."""
    from ctxrepo.services.faults.faults import history

    return Result(history(desk.open_memory(or_last_settings=True)), "faults")


def read_hook_records(desk: Desk, _: None) -> Result[Sequence[AgentRecords]]:
    """Say what the agents recorded about our hooks; ends with 1 when something is wrong."""
    from ctxrepo.services.faults.finding import is_failure
    from ctxrepo.services.setup.hook_records import hook_records

    records = hook_records(desk.memory, desk.machine)
    findings = [finding for agent in records for finding in agent.findings]
    data = {"findings": plain_data(findings), "hooks": [*map(_recorded, records)]}
    return Result(records, data, FAILED if is_failure(findings) else 0)


def _recorded(agent: AgentRecords) -> dict[str, Any]:
    """What to show of an agent's records: when and where each session was, nothing that was said in it."""
    return {
        "agent": agent.agent,
        "records": str(agent.folder),
        "sessions": [{"id": s.id, "began": s.began, "last": s.last, "cwd": s.cwd} for s in agent.sessions],
        "events": {row.event: _numbers(row) for row in agent.rows},
    }


def _numbers(row: Row) -> dict[str, Any]:
    took = row.took
    return {
        "happened": row.happened,
        **{outcome: row.count(outcome) for outcome in ("ran", "failed", "ended")},
        "took_ms": {"least": took[0], "median": took[len(took) // 2], "most": took[-1]} if took else None,
        "given": {fate: row.fates(fate) for fate in ("sent", "cut", "lost", "open")},
        "noted": row.noted,
        "unrecorded": row.unrecorded,
    }


def status(desk: Desk, _: None) -> Result[Status]:
    """Say where the memory stands; the network isn't asked."""
    from ctxrepo.services.health.status import status
    from ctxrepo.services.locate.look import find_location
    from ctxrepo.services.projects.sparse import widen

    memory = desk.open_memory(or_last_settings=True)
    here = find_location(memory, desk.cwd, desk.env, lambda: desk.folder_facts)
    if not memory.config_error and not here.is_withheld:
        try:
            widen(memory, here.project, desk.now)
        except GitFailed as error:
            desk.notice(error.message)
    now = status(memory, here, desk.machine)
    return Result(now, _status_fields(now))


@dataclass(frozen=True)
class AllMachines:
    """The machines, and when this one last had the commits of the others; None for never."""

    machines: Sequence[KnownMachine]
    fetched: datetime | None


def all_machines(desk: Desk, _: None) -> Result[AllMachines]:
    """Say what is known here of each machine that shares the memory; the network isn't asked."""
    from ctxrepo.services.health.machines import known_machines

    stands = status(desk, None).value
    machines = known_machines(desk.open_memory(or_last_settings=True), stands, desk.now)
    return Result(AllMachines(machines, stands.exchanged.fetched))


def _status_fields(now: Status) -> dict[str, Any]:
    """As values; a moment is in ISO form, null where there was none."""
    return {
        **asdict(now),
        "project": _project(now.project) if now.project else None,
        "staged": now.staged,
        "to_decide": [
            {
                **asdict(item),
                "since": second(item.since) if item.since else None,
                "choices": [command(item, choice) for choice in item.choices],
            }
            for item in now.to_decide
        ],
        "root": str(now.root),
        "memory": str(now.root),
        "exchanged": _exchanged(now.exchanged),
        "agents": [{"agent": standing.agent, "state": standing.state} for standing in now.agents],
        "served": {**asdict(now.served), "at": second(now.served.at)} if now.served else None,
        "fetched": second(now.exchanged.fetched) if now.exchanged.fetched else None,
    }


def _project(project: Project) -> dict[str, Any]:
    there = {"id": project.id, "folder": project.folder, "is_registered": project.is_registered}
    return {**there, "also": project.new_alias, "own": project.checkout_id}


def _exchanged(last: LastExchange) -> dict[str, Any] | None:
    if last.at is None:
        return None
    return {"at": second(last.at), "outcome": last.outcome, "reason": last.reason}


@dataclass(frozen=True)
class Timed(Generic[Value]):
    """What was made, and in how many seconds."""

    made: Value
    seconds: float


@reads
def verify(desk: Desk, _: None) -> Result[Sequence[str]]:
    """Compare the cache with the notes; ends with 1 when it doesn't say what they say."""
    from ctxrepo.services.rescue.cache_repair import verify

    findings = verify(desk.memory)
    return Result(findings, "findings", 1 if findings else 0)


def rebuild(desk: Desk, _: None) -> Result[Timed[Rebuilt]]:
    """Throw the cache away and build it again from the notes."""
    from ctxrepo.services.rescue.cache_repair import rebuild

    memory, began = desk.memory, monotonic()
    return _timed(rebuild(memory), began)


@writes
@reads
def embed(desk: Desk, _: None) -> Result[Timed[ReadyResult]]:
    """Prepare search by meaning now."""
    from ctxrepo.services.meaning.ready import make_ready
    from ctxrepo.services.repository.published import publish_settings

    began = monotonic()
    ready = make_ready(desk.memory)
    publish_settings(desk.memory, desk.interpreter)
    if not desk.memory.settings.recall.semantic:
        desk.notice("recall still searches by words alone: `ctxrepo config set recall.semantic true`")
    return _timed(ready, began)


def _timed(value: Value, began: float) -> Result[Timed[Value]]:
    seconds = round(monotonic() - began, 2)
    return Result(Timed(value, seconds), {**plain_data(value), "seconds": seconds})
