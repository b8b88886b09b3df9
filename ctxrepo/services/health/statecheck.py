"""What doctor looks at on this machine outside the clone."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from ctxrepo.agents.known import SETUP_HINT, agent_named
from ctxrepo.domain.formats.moment import ago, counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.records.decision import Kind
from ctxrepo.domain.secrets import redact
from ctxrepo.services.delivery.file_blocks import BlockState, states_of_blocks
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
from ctxrepo.services.health.clonecheck import FIX
from ctxrepo.services.meaning.ready import EMBED, readiness
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import standings
from ctxrepo.storage.cache.layout import FaultKind
from ctxrepo.storage.disk.private import open_above, set_aside
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import is_sound
from ctxrepo.storage.processes.lock import is_held
from ctxrepo.storage.sessions.session_index import size_of_index
from ctxrepo.storage.user.assets import fallback, place

_KINDS: Mapping[Kind, tuple[str, str]] = {
    "held": ("held back", "held back"),
    "deletion": ("deletion held back", "deletions held back"),
    "conflict": ("conflict", "conflicts"),
    "declined": ("declined review", "declined reviews"),
    "proposal": ("proposal", "proposals"),
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
    findings = [_told(fault, now) for fault in standing(memory) if fault.kind == "remote"]
    return CheckOutcome("remote", f"{redact(memory.repository.remote)}, {heard}", findings)


_ELSEWHERE: set[FaultKind] = {"settings", "clone", "remote", "deletion"}
"""Faults of which another check tells, and what isn't one: what somebody deleted, of which `status` tells."""


def check_faults(memory: Memory, now: datetime) -> CheckOutcome:
    """What else sessions are told is wrong: settings, clone and remote have lines of their own."""
    there = standing(memory)
    findings = [_told(fault, now) for fault in there if fault.kind not in _ELSEWHERE]
    what = "" if findings else " what is above" if there else " none"
    return CheckOutcome("faults", f"sessions are told of{what}", findings)


def check_decisions(memory: Memory) -> CheckOutcome:
    """What waits for a person, counted; what of it is a fault `check_faults` tells."""
    counts = Counter(item.kind for item in items_to_decide(memory))
    words = [f"{number} {_KINDS[kind][number > 1]}" for kind, number in counts.items()]
    listed = "; `ctxrepo status --json` has each" if words else ""
    return CheckOutcome("to decide", f"{', '.join(words) or 'nothing'}{listed}")


def _told(fault: StandingFault, now: datetime) -> Finding:
    since = f" ({ago(datetime.fromisoformat(fault.since), now)})" if fault.since else ""
    level: Level = "warning" if fault.kind == "conflict" else "error"
    return Finding(f"{fault.fault}{since}", fault.remedy, level)


def check_state(memory: Memory) -> CheckOutcome:
    """Whether what ctxrepo keeps on this machine can be used."""
    return CheckOutcome("state", str(memory.state.root), [*_state(memory)])


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
        findings.append(
            Finding(
                f"hooks have nothing to fall back to: {place(state)} is missing, or nothing it knows "
                "is there",
                f"Any command makes it anew; {state} must be writable for that.",
                "warning",
            )
        )
    return CheckOutcome("hooks", stands, findings)


_MAY = {"none": "", "read": " (reads without asking)", "write": " (reads and adds without asking)"}
"""What is said of an agent that setup has let run commands of ours."""


def check_agents(machine: Machine) -> CheckOutcome:
    """Whether there is an agent that is given anything."""
    stand = standings(machine)
    findings = [finding for one in stand for finding in one.findings]
    absent = [one.agent for one in stand if one.state == "absent"]
    is_served = len(absent) < len(stand)
    level: Level = "warning" if is_served else "error"
    findings += [
        Finding(f"{name} is here and not connected", f"`ctxrepo setup {name}`", level) for name in absent
    ]
    if not stand:
        findings.append(Finding("no agent is connected, so no session is given anything", SETUP_HINT))
    words = ", ".join(f"{agent_named(one.agent).title}: {one.state}{_MAY[one.permissions]}" for one in stand)
    return CheckOutcome("agents", words if is_served else "none is connected", findings)


def check_meanings(memory: Memory) -> CheckOutcome | None:
    """Whether entries are found by meaning, where that is wanted."""
    now = readiness(memory)
    findings = []
    if now.missing:
        findings.append(Finding(f"{now.missing}; prompts are answered by words alone", now.remedy, "warning"))
    if now.behind and not is_held(memory.state.lock("warm")):  # else somebody is at it
        findings.append(
            Finding(
                f"{now.behind} of {now.texts} texts of entries have no vectors yet",
                f"They get them in the background after the next commit or prompt; {EMBED} does it now.",
                "note",
            )
        )
    if not (findings or now.texts):
        return None
    return CheckOutcome("meanings", f"{now.texts - now.behind} of {now.texts} texts have vectors", findings)


def check_sessions(memory: Memory) -> CheckOutcome:
    """How much of agents' sessions is indexed; the next search or worker builds a damaged index again."""
    now = size_of_index(memory.state.root)
    if now is None or not now.sessions:
        return CheckOutcome("sessions", "none is indexed yet; `ctxrepo search --in sessions` does it")
    size = f"{counted(now.messages, 'message')}, {now.bytes / 1e6:.1f} MB"
    count = len(now.silent)
    silent = f"; in {count} no message was understood, such as {shown(now.silent[0])}" if count else ""
    return CheckOutcome("sessions", f"{now.sessions} indexed, {size}{silent}")


def check_blocks(memory: Memory) -> CheckOutcome | None:
    """Whether files that hold the packet follow the memory, where there are any."""
    found = list(states_of_blocks(memory))
    return CheckOutcome("files", f"{len(found)} hold the packet", [*_blocks(found)]) if found else None


def _state(memory: Memory) -> Iterator[Finding]:
    if why := memory.why_read_only:
        hint = (
            "Free or mount it; in an agent's sandbox, let `ctxrepo` out of it, or hand over what it writes."
        )
        yield Finding(f"nothing can be saved: {why}", hint)
    if not is_sound(memory.state.cache):
        yield Finding(f"{memory.state.cache} is damaged", f"{FIX} makes it anew.")
    for file in memory.state.files:
        if file.exists() and not file.is_file():
            yield Finding(f"{file} isn't a file, and ctxrepo keeps one there", "Move it away.")
    for file, why in memory.handover.refusals():
        problem = f"what a sandbox handed over in {file} was not taken in: {why}"
        yield Finding(problem, "Look at it, and delete it.", "warning")
    yield from _others(memory)


def _others(memory: Memory) -> Iterator[Finding]:
    """What other users have put into our places, or could."""
    for folder in (memory.places.state, memory.state.root, memory.clone.own_dir):
        for there in set_aside(folder):
            kind = "link" if there.is_symlink() else "folder" if there.is_dir() else "file"
            yield Finding(
                f"a {kind} that is not ctxrepo's was in {folder}, and was moved aside",
                f"Look at {there}.",
                "warning",
            )
    above = {
        folder: (place, why)
        for place in (memory.places.config_file, memory.state.root, memory.root)
        for folder, why in open_above(place)
    }
    for folder, (below, why) in above.items():
        yield Finding(
            f"{folder} {why}, who could put something else in the place of {below}",
            "Take that right away from them, or keep the memory elsewhere.",
        )


def _trouble(who: str, trouble: Trouble | None, now: datetime) -> Iterator[Finding]:
    if trouble:
        when = f" {ago(trouble.at, now)}" if trouble.at else ""
        yield Finding(
            f"{who} met a problem{when}: {trouble.words}",
            f"All of them are in {trouble.log}; {FIX} puts that aside once you have read it.",
        )


def _blocks(found: Iterable[BlockState]) -> Iterator[Finding]:
    again = "`ctxrepo file add` with its path puts the packet there again, `ctxrepo file remove` forgets it."
    for one in found:
        path = shown(str(one.block.path))
        if one.state == "stale":
            yield Finding(
                f"the packet in {path} is older than the memory", "`ctxrepo file refresh`", "warning"
            )
        elif one.state == "damaged":
            remedy = "Take out what is left of them, then `ctxrepo file add` with its path."
            yield Finding(f"the markers of the packet in {path} are damaged: {one.why}", remedy)
        elif one.state == "missing":
            yield Finding(f"{path} held the packet and is gone", again)
        elif one.state == "without":
            yield Finding(f"somebody took the packet out of {path}", again)
        elif one.state == "unusable":
            yield Finding(f"the packet in {path} can't be brought up to date: {one.why}", again)
