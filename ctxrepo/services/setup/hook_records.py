"""Which of our hooks ran in the last sessions, how long, and whether the model was given what they gave: from
what the agents record themselves, and what ctxrepo noted where they record nothing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.agents.known import AGENTS, Agent
from ctxrepo.agents.protocol import Records, Transcripts
from ctxrepo.agents.recorded import Delivery, HookCall, RecordedSession
from ctxrepo.agents.wanted import GrantedFolder, SkillsFolder
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.formats.moment import stamp, times
from ctxrepo.domain.secrets import redact
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.finding import Finding
from ctxrepo.services.setup.connection import Connection, Machine, wanted_of
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.recent import lines_of, newest, written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import ledgers
from ctxrepo.storage.state.usage import MEMORY_WRITE, AccessLog

SESSIONS = 10
"""How many of the newest sessions are looked at."""

SUBAGENTS = 20
"""How many of a session's subagents are, the newest."""

_ANCHORS = {
    **dict.fromkeys(("session/new", "session/resume", "session/fork", "session/clear"), "start"),
    "session/compact": "compact",
    "session/end": "end",
}
"""The moment at which a session's anchor of this name is left."""


@dataclass(frozen=True)
class Row:
    """One event over all sessions; `noted` is how often ctxrepo itself wrote down that it was called."""

    event: str
    happened: int
    calls: Sequence[HookCall]
    given: Sequence[Delivery]
    noted: int
    unrecorded: str
    """What the agent doesn't record about it, or ''."""

    def count(self, outcome: str) -> int:
        """How many calls came out so."""
        return sum(call.outcome == outcome for call in self.calls)

    @property
    def took(self) -> Sequence[int]:
        """Milliseconds of the calls whose time is recorded, in order."""
        return sorted(call.took for call in self.calls if call.took is not None)

    def fates(self, fate: str) -> int:
        """How much of what was given came to this."""
        return sum(delivery.fate == fate for delivery in self.given)


@dataclass(frozen=True)
class AgentRecords:
    """The newest sessions of one agent, the newest one first, and what is to be said of each event."""

    agent: str
    title: str
    folder: Path
    sessions: Sequence[RecordedSession]
    rows: Sequence[Row]
    findings: Sequence[Finding]


def hook_records(memory: Memory, machine: Machine) -> list[AgentRecords]:
    """For each agent that is on this machine and whose records can be read."""
    there = [agent for agent in AGENTS.values() if foreign.exists(machine.folder_of(agent))]
    return [
        _look(memory, machine, agent, agent.records, agent.transcripts)
        for agent in there
        if agent.records and agent.transcripts
    ]


def _look(
    memory: Memory, machine: Machine, agent: Agent, records: Records, transcripts: Transcripts
) -> AgentRecords:
    folder = transcripts.folder(machine.places.user_home, machine.environment)
    parts = wanted_of(agent, machine, machine.choices)
    files = [part for part in parts if not isinstance(part, SkillsFolder | GrantedFolder)]
    events = [event for file in files for event in file.hooks]
    paths = newest(folder, transcripts.PATTERN, SESSIONS)
    sessions = [session for path in paths if (session := _read(records, path, transcripts.SUBAGENTS))]
    noted = _noted(memory, {session.id for session in sessions})
    rows = [
        Row(
            event,
            happened=sum(session.happened.get(event, 0) for session in sessions),
            calls=[call for session in sessions for call in session.calls if call.event == event],
            given=[delivery for session in sessions for delivery in session.given if delivery.event == event],
            noted=sum(count for (_, at), count in noted.items() if at == agent.moments[event]),
            unrecorded=records.UNRECORDED.get(event, ""),
        )
        for event in events
    ]
    since = stamp(datetime.fromtimestamp(max(written(file.path) for file in files if file.hooks), UTC))
    later = [session for session in sessions if session.began > since]
    findings = [
        *_troubles(agent.title, agent.name, rows, since),
        *_silences(agent, _hooked(agent.name, machine), later, noted),
    ]
    return AgentRecords(agent.name, agent.title, folder, sessions, rows, findings)


def _read(records: Records, path: Path, subagents: str) -> RecordedSession | None:
    """The session whose file is at `path`, with what its subagents did, whose files have this pattern."""
    session = records.read(*lines_of(path))
    for beside in newest(path.with_suffix(""), subagents, SUBAGENTS) if session and subagents else ():
        part = records.read(*lines_of(beside), is_subagent=True)
        session = session.with_part(part) if session and part else session
    return session


def _noted(memory: Memory, sessions: set[str]) -> Counter[tuple[str, str]]:
    """(session, moment) -> how often ctxrepo itself wrote down that a hook was called."""
    counts: Counter[tuple[str, str]] = Counter()
    for access in AccessLog(memory.state.access).newest():
        counts[access.session, "tool"] += access.tool != MEMORY_WRITE  # which no hook of a tool notes
    for path in (memory.state.anchors.with_suffix(".old"), memory.state.anchors):
        for line in filter(None, map(record, lines_of(path)[0])):
            counts[text_of(line, "sessionId"), _ANCHORS.get(text_of(line, "name"), "")] += 1
    for ledger in ledgers(memory.places.sessions, memory.state.id):
        if ledger.parent:
            counts[ledger.parent, "sub"] += 1
    return Counter({(session, at): n for (session, at), n in counts.items() if session in sessions})


def _troubles(title: str, name: str, rows: Sequence[Row], since: str) -> Iterator[Finding]:
    """What went wrong since the hooks were written: calls, each cause once, and what was given."""
    calls = [call for row in rows for call in row.calls if call.at > since]
    failed = [call for call in calls if call.outcome == "failed"]
    for words in dict.fromkeys(call.words for call in failed):
        why = f": {redact(words)}" if words else ", and it isn't recorded why"
        yield Finding(
            f"{title}: {_which([call for call in failed if call.words == words])} failed{why}",
            f"`ctxrepo setup {name}` writes the hooks anew; `ctxrepo doctor` shows what they logged.",
        )
    for is_ours, whose in ((True, ""), (False, ", or another hook there: it isn't recorded whose")):
        ended = [call for call in calls if call.outcome == "ended" and call.is_surely_ours == is_ours]
        if ended:
            yield Finding(
                f"{title} ended {_which(ended)} before it was done{whose}",
                "`ctxrepo doctor` shows what they logged; a busy machine, or a turn broken off, can be why.",
            )
    for row in rows:
        event, deliveries = row.event, [delivery for delivery in row.given if delivery.at > since]
        if cut := [delivery.size for delivery in deliveries if delivery.fate == "cut"]:
            yield Finding(
                f"{title} cut what the hook of {event} gave, {times(len(cut))}: {max(cut)} bytes were left",
                "`ctxrepo config set delivery.budget_bytes 9500` keeps it below the limit of all agents.",
            )
        if lost := [delivery for delivery in deliveries if delivery.fate == "lost"]:
            yield Finding(
                f"{title}: what the hook of {event} gave is in no request to the model, {times(len(lost))}",
                "Start a new session and look again; another hook may have stopped the prompt.",
            )


def _which(calls: Sequence[HookCall]) -> str:
    """The events of these calls, how many there were, and when the last one was."""
    events = ", ".join(dict.fromkeys(call.event for call in calls))
    return f"the hook of {events} ({times(len(calls))}, last {max(call.at for call in calls)})"


def _hooked(name: str, machine: Machine) -> Sequence[str]:
    """The events that there is a hook of ours for; doctor tells what is wrong with them."""
    try:
        return [event for file in Connection.of(name, machine).files for event in file.lines()]
    except CtxrepoError:
        return ()


def _silences(
    agent: Agent,
    hooked: Sequence[str],
    sessions: Sequence[RecordedSession],
    noted: Mapping[tuple[str, str], int],
) -> Iterator[Finding]:
    """Hooks of which there is no trace though sessions since they were written had cause to call them; none
    that may well be silent."""
    for event in (e for e in hooked if agent.moments.get(e) in ("start", "tool", "stop")):
        at = agent.moments[event]
        silent = [
            session
            for session in sessions
            if session.happened.get(event)
            and not noted.get((session.id, at))
            and event not in {call.event for call in session.calls}
            and event not in {delivery.event for delivery in session.given}
        ]
        if silent:
            yield Finding(
                f"{agent.title}: no trace of the hook of {event} in {len(silent)} of {len(sessions)} "
                f"sessions since it was written, last in the one of {silent[0].began}",
                f"It wasn't called, or was silent: `ctxrepo setup {agent.name} --check` and `ctxrepo doctor` "
                "look for a reason. CTXREPO_OFF in the session's environment is one.",
            )
