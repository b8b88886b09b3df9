"""Everything around the notes that the memory needs to work: how each thing stands, what is wrong
with it, and what helps."""

import os
from collections.abc import Callable, Iterator
from dataclasses import astuple, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.secrets import redact
from ctxrepo.domain.settings.values import OwnMemory
from ctxrepo.errors import CtxrepoError
from ctxrepo.services.faults.finding import CheckOutcome, Finding
from ctxrepo.services.health import clonecheck, statecheck
from ctxrepo.services.settings.session_settings import own_memory, session_hooks
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.setup import present
from ctxrepo.storage.disk import foreign
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
    for agent in (name for name, agent in AGENTS.items() if agent.memory_settings is not None):
        yield _title_of(agent), partial(check_own_settings, memory, agent)
    yield "memories", lambda: check_native_memories(machine)
    yield "hooks", lambda: statecheck.check_hooks(memory, machine, now)
    yield "to decide", lambda: statecheck.check_decisions(memory)
    yield "faults", lambda: statecheck.check_faults(memory, now)


def _title_of(agent: str) -> str:
    """What this check of an agent is called."""
    return f"{AGENTS[agent].title}'s settings"


def check_own_settings(memory: Memory, agent: str) -> CheckOutcome | None:
    """How this agent's settings make its sessions differ; a finding where they name another memory, or can't
    be read. None where they say nothing of memory."""
    agents_own = own_memory(memory.places, memory.env, agent)
    if agents_own is None:
        return None
    if agents_own.warnings:
        remedy = "Mend it: until then what it says of memory doesn't hold."
        unread = [Finding(line, remedy) for line in agents_own.warnings]
        return CheckOutcome(_title_of(agent), f"{agents_own.file} can't be read", unread)
    settings = agents_own.settings
    if settings is None:
        return None
    differences = "; ".join(_differences(memory, agent, settings)) or "nothing that config.toml doesn't say"
    root, name = Path(settings.local_path), AGENTS[agent].title
    findings = []
    if (root / ".git").is_dir() and os.path.realpath(root) != os.path.realpath(memory.root):
        problem = (
            f"{name}'s settings name the memory at {root}, and {name}'s sessions are given the one at "
            f"{memory.root}"
        )
        brings = f"`ctxrepo import {agents_own.program}` brings its notes here"
        remedy = f"{brings}; then take localPath out of {name}'s settings."
        findings = [Finding(problem, remedy, "warning")]
    return CheckOutcome(_title_of(agent), f"{agents_own.file}: {differences}", findings)


def _differences(memory: Memory, agent: str, own: OwnMemory) -> Iterator[str]:
    if not own.enabled:
        yield "not enabled, so its sessions are given nothing"
        return
    if own.is_in_system_prompt:
        yield "the packet stands in its system prompt"
    ours, its = memory.settings.hooks, session_hooks(memory, agent)
    if ("pull" in ours.session_start) != ("pull" in its.session_start):
        yield f"its sessions begin {'with' if 'pull' in its.session_start else 'without'} a fetch"
    if "push" in its.session_end and "push" not in ours.session_end:
        yield "its sessions send what they write"
    if "push" in ours.session_end and "push" not in its.session_end:
        yield "its sessions don't send what they write; the next push of another agent does"
    if own.tape is not None and own.tape != memory.settings.tape:
        pairs = zip(astuple(own.tape), astuple(memory.settings.tape), fields(own.tape), strict=True)
        yield f"its tape has its own {', '.join(one.name for its, ours, one in pairs if its != ours)}"
    if own.repo_url and own.repo_url != memory.repository.remote:
        yield f"it names the remote {redact(own.repo_url)}, which isn't this memory's"
    yield from own.odd


def check_native_memories(machine: Machine) -> CheckOutcome | None:
    """The memories that are on, and how each is turned off; None where there is none."""
    told = [line for name in present(machine) if (line := _told(name, machine))]
    return CheckOutcome("memories", "; ".join(told)) if told else None


def _told(name: str, machine: Machine) -> str:
    """What to say of an agent's own memory, '' where it has none that is on, or nobody can tell."""
    native = AGENTS[name].native_memory
    if native is None:
        return ""
    try:
        path = machine.folder_of(AGENTS[name]) / native.settings
        text = (foreign.read(path) or b"").decode("utf-8", "replace")
        is_on = native.is_on(text, machine.environment)
        if is_on and native.redirection and machine.checkout:
            local = foreign.read(machine.checkout / native.redirection.settings) or b""
            if folder := native.redirection.named(local.decode("utf-8", "replace")):
                return f"{native.name} is kept in {folder}, as this checkout's settings say"
    except (CtxrepoError, ValueError):
        return ""  # whether its files can be read is another check's matter
    return f"{native.name} remembers beside this one; {native.off} in {path} turns it off" if is_on else ""
