"""What is wrong around the notes, what sessions were told is wrong, and what agents recorded about hooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.faults.finding import CheckOutcome
    from ctxrepo.services.setup.hook_records import AgentRecords, Row
    from ctxrepo.storage.state.ledgers import FaultRecord

FAILED = 1


@dataclass(frozen=True)
class DoctorRequest:
    """`fixes`: what needs no decision is mended."""

    fixes: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """What was mended, and how each thing stands by then."""

    mended: Sequence[str]
    checked: Sequence[CheckOutcome]

    @property
    def findings(self) -> int:
        return sum(len(one.findings) for one in self.checked)


def doctor(desk: Desk, request: DoctorRequest) -> Result[Diagnosis]:
    """Look whether all around the notes works; ends with 1 when something is wrong."""
    from ctxrepo.services.faults.faults import standing
    from ctxrepo.services.health.doctor import doctor
    from ctxrepo.services.rescue.mend import mend

    memory = desk.open_memory(or_last_settings=True)
    done = list(mend(memory, desk.now)) if request.fixes else []
    checked = doctor(memory, desk.machine, desk.now)
    found = [finding for one in checked for finding in one.findings]
    data = {
        "findings": [asdict(f) for f in found],
        "mended": done,
        "checked": [{"name": c.name, "stands": c.stands, "ok": not c.findings} for c in checked],
        "faults": [asdict(f) for f in standing(memory)],
    }
    return Result(Diagnosis(done, checked), data, FAILED if found else 0)


def list_faults(desk: Desk, _: None) -> Result[Sequence[FaultRecord]]:
    """List the faults that sessions were told, those that are over too."""
    from ctxrepo.services.faults.faults import history

    found = history(desk.open_memory(or_last_settings=True))
    return Result(found, {"faults": [{**asdict(one), "until": one.until or None} for one in found]})


def read_hook_records(desk: Desk, _: None) -> Result[Sequence[AgentRecords]]:
    """Say what the agents recorded about our hooks; ends with 1 when something is wrong."""
    from ctxrepo.services.setup.hook_records import hook_records

    found = hook_records(desk.memory, desk.machine)
    findings = [finding for agent in found for finding in agent.findings]
    data = {"findings": [asdict(f) for f in findings], "hooks": [_agent(one) for one in found]}
    return Result(found, data, FAILED if findings else 0)


def _agent(agent: AgentRecords) -> dict[str, Any]:
    """What to show of an agent's records: only when and where each session was, nothing that was said in
    it."""
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
