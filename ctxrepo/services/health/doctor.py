"""Everything around the notes that the memory needs to work: how each thing stands, what is wrong
with it, and what helps."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.agents.known import AGENTS, SETUP_HINT
from ctxrepo.domain.formats.moment import ago
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.records.decision import Kind
from ctxrepo.domain.secrets import redact
from ctxrepo.domain.settings.values import OwnMemory
from ctxrepo.errors import CtxrepoError
from ctxrepo.services.delivery.file_blocks import State, settings_that_withhold, states_of_blocks
from ctxrepo.services.faults.faults import (
    StandingFault,
    Trouble,
    last_exchange,
    last_served,
    of_hooks,
    of_settings,
    of_worker,
    standing,
)
from ctxrepo.services.faults.finding import CheckOutcome, Finding, Level
from ctxrepo.services.health.clonecheck import FIX, check_clone, check_git, check_notes, check_objects
from ctxrepo.services.health.session_checks import check_retention, check_sessions
from ctxrepo.services.locate.look import find_location, find_project
from ctxrepo.services.meaning.ready import EMBED, readiness
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.sessions.session_settings import own_memory, session_hooks
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.setup import present
from ctxrepo.services.setup.standings import standings
from ctxrepo.storage.cache.layout import FaultKind
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.private import open_above, set_aside
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import is_sound
from ctxrepo.storage.processes.lock import is_held
from ctxrepo.storage.user.assets import fallback, place


def doctor(memory: Memory, machine: Machine, now: datetime) -> list[CheckOutcome]:
    """All that was looked at; nothing is changed, no network asked. What can't be looked at is told once."""
    outcomes: list[CheckOutcome] = []
    problems: set[str] = set()
    for name, look in _looks(memory, machine, now):
        try:
            outcome = look()
        except CtxrepoError as error:
            outcome = CheckOutcome(name, "it can't be looked at", [Finding(error.message, error.hint)])
        if outcome is None:
            continue
        findings = [finding for finding in outcome.findings if finding.problem not in problems]
        problems.update(finding.problem for finding in findings)
        if findings or not outcome.findings:
            outcomes.append(replace(outcome, findings=findings))
    return outcomes


def _looks(
    memory: Memory, machine: Machine, now: datetime
) -> Iterator[tuple[str, Callable[[], CheckOutcome | None]]]:
    yield "git", partial(check_git, memory)
    yield "settings", partial(check_settings, memory)
    yield "clone", partial(check_clone, memory)
    yield "objects", partial(check_objects, memory)
    yield "notes", partial(check_notes, memory)
    yield "remote", partial(check_remote, memory, now)
    yield "state", partial(check_state, memory)
    yield "worker", partial(check_worker, memory, now)
    yield "meanings", partial(check_meanings, memory)
    yield "sessions", partial(check_sessions, memory)
    for agent in present(machine):
        yield "retention", partial(check_retention, memory, machine, agent)
    yield "project", partial(check_project, memory, machine)
    yield "delivery", partial(check_delivery, memory, machine)
    yield "blocks", partial(check_blocks, memory)
    yield "agents", partial(check_agents, machine)
    for agent in (name for name, agent in AGENTS.items() if agent.memory_settings is not None):
        yield _title_of(agent), partial(check_own_settings, memory, agent)
    yield "memories", partial(check_native_memories, memory, machine)
    yield "hooks", partial(check_hooks, memory, machine, now)
    yield "to decide", partial(check_decisions, memory)
    yield "faults", partial(check_faults, memory, now)


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
        yield f"its tape has its own {', '.join(field.name for its, ours, field in pairs if its != ours)}"
    if own.repo_url and own.repo_url != memory.repository.remote:
        yield f"it names the remote {redact(own.repo_url)}, which isn't this memory's"
    yield from own.odd


def check_native_memories(memory: Memory, machine: Machine) -> CheckOutcome | None:
    """The memories that are on, and how each is turned off; None where there is none."""
    findings: list[Finding] = []
    lines = [line for name in present(machine) if (line := _native(name, memory, machine, findings))]
    return CheckOutcome("memories", "; ".join(lines), findings) if lines else None


def _native(name: str, memory: Memory, machine: Machine, findings: list[Finding]) -> str:
    """What to say of an agent's own memory, '' where it has none that is on, or nobody can tell. Where it is
    kept in this memory, and not in the project's folder, as after that was renamed, is a finding more."""
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
                project = find_project(memory, machine.checkout, machine.environment)
                own = memory.root / project.folder if project else memory.root
                if Path(folder).is_relative_to(memory.root) and not Path(folder).is_relative_to(own):
                    problem = f"no session of this project is given what is in {folder}: it has {own}"
                    way = f"`ctxrepo setup {name} --own-memory here` has {native.name} kept there."
                    findings.append(Finding(problem, way, "warning"))
                return f"{native.name} is kept in {folder}, as this checkout's settings say"
    except (CtxrepoError, ValueError):
        return ""  # whether its files can be read is another check's matter
    return f"{native.name} remembers beside this one; {native.off} in {path} turns it off" if is_on else ""


_KINDS: Mapping[Kind, tuple[str, str]] = {
    "held": ("held back", "held back"),
    "deletion": ("deletion held back", "deletions held back"),
    "conflict": ("conflict", "conflicts"),
    "declined": ("declined review", "declined reviews"),
    "proposal": ("proposal", "proposals"),
    "doubt": ("doubtful entry", "doubtful entries"),
}
"""One of each kind of item, and several."""


def check_settings(memory: Memory) -> CheckOutcome:
    """Whether config.toml can be read, and says nothing that is unknown."""
    file = memory.places.config_file
    findings = [Finding(warning, "Mend config.toml.", "warning") for warning in memory.settings.warnings]
    if memory.config_error:
        (line,) = of_settings(memory)
        before = f"{memory.places.config_before} is how it was before."
        findings.insert(0, Finding(line, f"Mend it there; {before}"))
    return CheckOutcome("settings", str(file), findings)


def check_remote(memory: Memory, now: datetime) -> CheckOutcome:
    """When the remote last answered, and what keeps it from that until a person does something."""
    if not memory.repository.remote:
        return CheckOutcome("remote", "none: this memory is on this machine only")
    last = last_exchange(memory)
    heard = f"last good exchange {ago(last.fetched, now)}" if last.fetched else "no exchange yet"
    if last.at and last.outcome != "ok":
        heard += f"; one failed {ago(last.at, now)} ({last.outcome})"
    findings = [_finding(fault, now) for fault in standing(memory) if fault.kind == "remote"]
    return CheckOutcome("remote", f"{redact(memory.repository.remote)}, {heard}", findings)


_ELSEWHERE: set[FaultKind] = {"settings", "clone", "remote", "deletion", "proposal"}
"""Faults of which another check tells, and what is none: what was deleted or proposed, as `status` tells."""


def check_faults(memory: Memory, now: datetime) -> CheckOutcome:
    """What else sessions are told is wrong: settings, clone and remote have lines of their own."""
    there = standing(memory)
    findings = [_finding(fault, now) for fault in there if fault.kind not in _ELSEWHERE]
    what = "" if findings else " what is above" if there else " none"
    return CheckOutcome("faults", f"sessions are told of{what}", findings)


def check_decisions(memory: Memory) -> CheckOutcome:
    """What waits for a person, counted; what of it is a fault `check_faults` tells."""
    counts = Counter(item.kind for item in items_to_decide(memory))
    words = [f"{number} {_KINDS[kind][number > 1]}" for kind, number in counts.items()]
    listed = "; `ctxrepo inbox` lists them" if words else ""
    return CheckOutcome("to decide", f"{', '.join(words) or 'nothing'}{listed}")


def _finding(fault: StandingFault, now: datetime) -> Finding:
    since = f" ({ago(datetime.fromisoformat(fault.since), now)})" if fault.since else ""
    level: Level = "warning" if fault.kind == "conflict" else "error"
    return Finding(f"{fault.fault}{since}", fault.remedy, level)


def check_project(memory: Memory, machine: Machine) -> CheckOutcome | None:
    """Whether the notes of this checkout may be those of another project; None where nothing says so."""
    here = find_location(memory, machine.checkout, machine.environment) if machine.checkout else None
    if here is None or here.project is None or not here.hint:
        return None
    problem, _, remedy = here.hint.partition("; ")
    finding = Finding(problem, f"{remedy[:1].upper()}{remedy[1:]}.", "warning")
    return CheckOutcome("project", here.project.id, [finding])


def check_state(memory: Memory) -> CheckOutcome:
    """Whether what ctxrepo keeps on this machine can be used."""
    return CheckOutcome("state", str(memory.state.root), [*_state(memory), *_others(memory)])


def check_worker(memory: Memory, now: datetime) -> CheckOutcome:
    """Whether the worker gets done what it has to do."""
    well = written(memory.state.well)
    at = datetime.fromtimestamp(well, now.tzinfo)
    stands = f"its last good run was {ago(at, now)}" if well else "it had nothing to do yet"
    return CheckOutcome("worker", stands, [*_trouble("the worker", of_worker(memory), now)])


def check_hooks(memory: Memory, machine: Machine, now: datetime) -> CheckOutcome:
    """Whether hooks answer."""
    served = last_served(memory)
    stands = f"the last session was served {ago(served.at, now)}" if served else "no session was served yet"
    findings = [*_trouble("a hook", of_hooks(memory), now)]
    state = machine.places.state
    if fallback(state, machine.environment) is None:
        why = f"{place(state)} is missing, or nothing it knows is there"
        remedy = f"Any command makes it anew; {state} must be writable for that."
        findings.append(Finding(f"hooks have nothing to fall back to: {why}", remedy, "warning"))
    return CheckOutcome("hooks", stands, findings)


_MAY = {"none": "", "read": " (reads without asking)", "write": " (reads and adds without asking)"}
"""What is said of an agent that setup has let run commands of ours."""


def check_agents(machine: Machine) -> CheckOutcome:
    """Whether there is an agent that is given anything."""
    stand = standings(machine)
    findings = [finding for standing in stand for finding in standing.findings]
    absent = [standing.agent for standing in stand if standing.state == "absent"]
    is_served = len(absent) < len(stand)
    level: Level = "warning" if is_served else "error"
    findings += [
        Finding(f"{name} is here and not connected", f"`ctxrepo setup {name}`", level) for name in absent
    ]
    if not stand:
        findings.append(Finding("no agent is connected, so no session is given anything", SETUP_HINT))
    words = [
        f"{AGENTS[standing.agent].title}: {standing.state}{_MAY[standing.choices.permissions]}"
        for standing in stand
    ]
    return CheckOutcome("agents", ", ".join(words) if is_served else "none is connected", findings)


def check_meanings(memory: Memory) -> CheckOutcome | None:
    """Whether entries are found by meaning, where that is wanted."""
    now = readiness(memory)
    findings = []
    if now.missing:
        findings.append(Finding(f"{now.missing}; prompts are answered by words alone", now.remedy, "warning"))
    if now.behind and not is_held(memory.state.lock("warm")):  # else somebody is at it
        problem = f"{now.behind} of {now.texts} texts of entries have no vectors yet"
        remedy = f"They get them in the background after the next commit or prompt; {EMBED} does it now."
        findings.append(Finding(problem, remedy, "note"))
    if not (findings or now.texts):
        return None
    return CheckOutcome("meanings", f"{now.texts - now.behind} of {now.texts} texts have vectors", findings)


def check_delivery(memory: Memory, machine: Machine) -> CheckOutcome | None:
    """Whether settings keep from sessions what they would be given; None where none does."""
    findings = [*settings_that_withhold(memory, machine.checkout or machine.places.user_home)]
    return CheckOutcome("delivery", f"mode {memory.settings.delivery.mode}", findings) if findings else None


_AGAIN = "`ctxrepo file add` with its path puts the packet there again, `ctxrepo file remove` forgets it."
_TAKE_OUT = "Take out what is left of them, then `ctxrepo file add` with its path."

_OF_BLOCKS: Mapping[State, tuple[str, str]] = {
    "stale": ("the packet in {} is older than the memory", "`ctxrepo file refresh`"),
    "damaged": ("the markers of the packet in {} are damaged: {}", _TAKE_OUT),
    "missing": ("{} held the packet and is gone", _AGAIN),
    "without": ("somebody took the packet out of {}", _AGAIN),
    "unusable": ("the packet in {} can't be brought up to date: {}", _AGAIN),
}
"""What is wrong with a file that is to hold the packet, and what helps."""


def check_blocks(memory: Memory) -> CheckOutcome | None:
    """Whether files that hold the packet follow the memory, where there are any."""
    states = states_of_blocks(memory)
    findings = []
    for state in (state for state in states if state.state in _OF_BLOCKS):
        problem, remedy = _OF_BLOCKS[state.state]
        problem = problem.format(shown(str(state.block.path)), state.why)
        findings.append(Finding(problem, remedy, "warning" if state.state == "stale" else "error"))
    return CheckOutcome("files", f"{len(states)} hold the packet", findings) if states else None


def _state(memory: Memory) -> Iterator[Finding]:
    if why := memory.why_read_only:
        way = "in an agent's sandbox, let `ctxrepo` out of it, or hand over what it writes."
        yield Finding(f"nothing can be saved: {why}", f"Free or mount it; {way}")
    if not is_sound(memory.state.cache):
        yield Finding(f"{memory.state.cache} is damaged", f"{FIX} makes it anew.")
    for file in memory.state.files:
        if file.exists() and not file.is_file():
            yield Finding(f"{file} isn't a file, and ctxrepo keeps one there", "Move it away.")
    for file, why in memory.handover.refusals():
        problem = f"what a sandbox handed over in {file} was not taken in: {why}"
        yield Finding(problem, "Look at it, and delete it.", "warning")


def _others(memory: Memory) -> Iterator[Finding]:
    """What other users have put into our places, or could."""
    for folder in (memory.places.state, memory.state.root, memory.clone.own_dir):
        for there in set_aside(folder):
            kind = "link" if there.is_symlink() else "folder" if there.is_dir() else "file"
            problem = f"a {kind} that is not ctxrepo's was in {folder}, and was moved aside"
            yield Finding(problem, f"Look at {there}.", "warning")
    above = {
        folder: (place, why)
        for place in (memory.places.config_file, memory.state.root, memory.root)
        for folder, why in open_above(place)
    }
    for folder, (below, why) in above.items():
        remedy = "Take that right away from them, or keep the memory elsewhere."
        yield Finding(f"{folder} {why}, who could put something else in the place of {below}", remedy)


def _trouble(who: str, trouble: Trouble | None, now: datetime) -> Iterator[Finding]:
    if trouble:
        when = f" {ago(trouble.at, now)}" if trouble.at else ""
        remedy = f"All of them are in {trouble.log}; {FIX} puts that aside once you have read it."
        yield Finding(f"{who} met a problem{when}: {trouble.words}", remedy)
