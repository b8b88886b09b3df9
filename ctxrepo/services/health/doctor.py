"""Everything around the notes that the memory needs to work: how each thing stands, what is wrong
with it, and what helps."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial

from ctxrepo.errors import CtxrepoError
from ctxrepo.services.faults.finding import CheckOutcome, Finding
from ctxrepo.services.health import agent_checks, clonecheck, statecheck
from ctxrepo.services.setup.connection import Machine
from ctxrepo.storage.memory import Memory


def doctor(memory: Memory, machine: Machine, now: datetime) -> list[CheckOutcome]:
    """All that was looked at; nothing is changed, no network asked. What can't be looked at is told once."""
    found: list[CheckOutcome] = []
    told: set[str] = set()
    for name, look in _looks(memory, machine, now):
        try:
            checked = look()
        except CtxrepoError as error:
            checked = CheckOutcome(name, "it can't be looked at", [Finding(error.message, error.hint)])
        if checked is None:
            continue
        findings = [one for one in checked.findings if one.problem not in told]
        told.update(one.problem for one in findings)
        if findings or not checked.findings:
            found.append(replace(checked, findings=findings))
    return found


def _looks(
    memory: Memory, machine: Machine, now: datetime
) -> Iterator[tuple[str, Callable[[], CheckOutcome | None]]]:
    yield "git", lambda: clonecheck.check_git(memory)
    yield "settings", lambda: statecheck.check_settings(memory)
    yield "clone", lambda: clonecheck.check_clone(memory)
    yield "objects", lambda: clonecheck.check_objects(memory)
    yield "notes", lambda: clonecheck.check_notes(memory)
    yield "remote", lambda: statecheck.check_remote(memory, now)
    yield "state", lambda: statecheck.check_state(memory)
    yield "worker", lambda: statecheck.check_worker(memory, now)
    yield "meanings", lambda: statecheck.check_meanings(memory)
    yield "sessions", lambda: statecheck.check_sessions(memory)
    yield "blocks", lambda: statecheck.check_blocks(memory)
    yield "agents", lambda: statecheck.check_agents(machine)
    for agent in agent_checks.agents_with_settings():
        yield agent_checks.title_of(agent), partial(agent_checks.check_own_settings, memory, agent)
    yield "memories", lambda: agent_checks.check_native_memories(machine)
    yield "hooks", lambda: statecheck.check_hooks(memory, machine, now)
    yield "to decide", lambda: statecheck.check_decisions(memory)
    yield "faults", lambda: statecheck.check_faults(memory, now)
