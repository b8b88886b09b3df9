"""Everything around the notes that the memory needs to work: how each thing stands, what is wrong
with it, and what helps."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial

from ctxrepo.errors import CtxrepoError
from ctxrepo.services.faults.finding import CheckOutcome, Finding
from ctxrepo.services.health.agent_checks import (
    agents_with_settings,
    check_native_memories,
    check_own_settings,
    title_of,
)
from ctxrepo.services.health.clonecheck import check_clone, check_git, check_notes, check_objects
from ctxrepo.services.health.statecheck import (
    check_agents,
    check_blocks,
    check_decisions,
    check_faults,
    check_hooks,
    check_meanings,
    check_remote,
    check_sessions,
    check_settings,
    check_state,
    check_worker,
)
from ctxrepo.services.setup.connection import Machine
from ctxrepo.storage.memory import Memory


def doctor(memory: Memory, machine: Machine, now: datetime) -> list[CheckOutcome]:
    """All that was looked at; nothing is changed, no network is asked. What can't be looked at is told
    once."""
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
    yield "git", lambda: check_git(memory)
    yield "settings", lambda: check_settings(memory)
    yield "clone", lambda: check_clone(memory)
    yield "objects", lambda: check_objects(memory)
    yield "notes", lambda: check_notes(memory)
    yield "remote", lambda: check_remote(memory, now)
    yield "state", lambda: check_state(memory)
    yield "worker", lambda: check_worker(memory, now)
    yield "meanings", lambda: check_meanings(memory)
    yield "sessions", lambda: check_sessions(memory)
    yield "blocks", lambda: check_blocks(memory)
    yield "agents", lambda: check_agents(machine)
    for agent in agents_with_settings():
        yield title_of(agent), partial(check_own_settings, memory, agent)
    yield "memories", lambda: check_native_memories(machine)
    yield "hooks", lambda: check_hooks(memory, machine, now)
    yield "to decide", lambda: check_decisions(memory)
    yield "faults", lambda: check_faults(memory, now)
