"""Memories that agents have of their own, which hold some of what is learned where no other agent sees it.

Nothing is wrong with them, and nothing is turned off unasked: they are named, with the line that does it.
"""

from __future__ import annotations

from ctxrepo.agents.known import AGENTS
from ctxrepo.errors import CtxrepoError
from ctxrepo.services.faults.finding import CheckOutcome
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.setup import present
from ctxrepo.storage.disk import foreign


def check_native_memories(machine: Machine) -> CheckOutcome | None:
    """The memories that are on, and how each is turned off; None where there is none."""
    told = [line for name in present(machine) if (line := _told(name, machine))]
    return CheckOutcome("memories", "; ".join(told)) if told else None


def _told(name: str, machine: Machine) -> str:
    """What to say of an agent's own memory, '' where it has none that is on, or nobody can tell."""
    native = AGENTS[name].native
    if native is None:
        return ""
    home, environment = machine.places.user_home, machine.environment
    try:
        path = native.settings(home, environment)
        text = (foreign.read(path) or b"").decode("utf-8", "replace")
        is_on = native.is_on(text, environment)
    except (CtxrepoError, ValueError):
        return ""  # whether its files can be read is another check's matter
    return f"{native.NAME} remembers beside this one; {native.OFF} in {path} turns it off" if is_on else ""
