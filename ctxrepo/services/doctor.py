"""doctor: everything around the notes that the memory needs to work: how each thing stands, what is wrong
with it, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ctxrepo.services.clonecheck import check_clone, check_git, check_notes, check_objects
from ctxrepo.services.connection import Machine
from ctxrepo.services.finding import Checked
from ctxrepo.services.statecheck import (
    check_agents,
    check_blocks,
    check_faults,
    check_hooks,
    check_meanings,
    check_remote,
    check_settings,
    check_state,
    check_worker,
)
from ctxrepo.storage.memory import Memory


def doctor(memory: Memory, machine: Machine, now: datetime) -> list[Checked]:
    """All that was looked at; nothing is changed and no network is asked."""
    return [checked for checked in _all(memory, machine, now) if checked is not None]


def _all(memory: Memory, machine: Machine, now: datetime) -> Iterator[Checked | None]:
    yield check_git(memory)
    yield check_settings(memory)
    yield check_clone(memory)
    yield check_objects(memory)
    yield check_notes(memory)
    yield check_remote(memory, now)
    yield check_state(memory)
    yield check_worker(memory, now)
    yield check_meanings(memory)
    yield check_blocks(memory)
    yield check_agents(machine)
    yield check_hooks(memory, machine, now)
    yield check_faults(memory, now)
