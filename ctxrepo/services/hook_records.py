"""hook_records: which of our hooks ran in the last sessions, how long, and whether the model was given what
they gave; from what the agents record themselves, and what ctxrepo noted where they record nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.agents import AGENTS, RECORDS
from ctxrepo.agents.records import Call, Given, Recorded, Records
from ctxrepo.domain.jsonl import record, text_of
from ctxrepo.errors import CtxrepoError
from ctxrepo.services.doctor import Finding
from ctxrepo.services.setup import Machine
from ctxrepo.storage import foreign
from ctxrepo.storage.git import redact
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.recent import lines_of, newest, written

SESSIONS = 10
"""How many of the newest sessions are looked at."""

_ANCHORS = {"session/new": "SessionStart", "session/resume": "SessionStart", "session/end": "SessionEnd"}


@dataclass(frozen=True)
class Row:
    """One event over all sessions; `took` are milliseconds in order, `noted` what ctxrepo has of it itself."""

    event: str
    happened: int
    calls: Sequence[Call]
    given: Sequence[Given]
    noted: int
    unrecorded: str
    """What the agent doesn't record about it, or ''."""

    def count(self, outcome: str) -> int:
        """How many calls came out so."""
        return sum(call.outcome == outcome for call in self.calls)

    @property
    def took(self) -> Sequence[int]:
        return sorted(call.took for call in self.calls if call.took is not None)

    def fates(self, fate: str) -> int:
        """How much of what was given came to this."""
        return sum(given.fate == fate for given in self.given)


@dataclass(frozen=True)
class AgentRecords:
    """The newest sessions of one agent, the newest one first, and what is to be said of each event."""

    agent: str
    title: str
    folder: Path
    sessions: Sequence[Recorded]
    rows: Sequence[Row]
    findings: Sequence[Finding]


def hook_records(memory: Memory, machine: Machine) -> list[AgentRecords]:
    """For each agent that is on this machine and whose records can be read."""
    found = []
    for name, records in RECORDS.items():
        home, environment = machine.places.user_home, machine.environment
        if foreign.exists(AGENTS[name].folder(home, environment)):
            found.append(_look(memory, machine, records, records.folder(home, environment)))
    return found


def _look(memory: Memory, machine: Machine, records: Records, folder: Path) -> AgentRecords:
    agent = AGENTS[records.NAME]
    sessions = [s for path in newest(folder, records.PATTERN, SESSIONS) if (s := _read(records, path))]
    noted = _noted(memory, {session.id for session in sessions})
    rows = [_row(event, sessions, noted, records.UNRECORDED) for event in agent.events()]
    findings = [
        *_troubles(agent.TITLE, records.NAME, rows),
        *_silences(machine, records.NAME, sessions, noted),
    ]
    return AgentRecords(records.NAME, agent.TITLE, folder, sessions, rows, findings)


def _read(records: Records, path: Path) -> Recorded | None:
    lines, is_whole = lines_of(path)
    return records.read(lines, is_whole)


def _noted(memory: Memory, sessions: set[str]) -> Counter[tuple[str, str]]:
    """(session, event) -> how often ctxrepo itself wrote down that it was called."""
    found: Counter[tuple[str, str]] = Counter()
    access = memory.state.root / "access.jsonl"
    for path in (access.with_name("access.jsonl.1"), access):
        for line in filter(None, map(record, lines_of(path)[0])):
            found[text_of(line, "session"), "PostToolUse"] += 1
    for path in (memory.state.anchors.with_suffix(".old"), memory.state.anchors):
        for line in filter(None, map(record, lines_of(path)[0])):
            found[text_of(line, "sessionId"), _ANCHORS.get(text_of(line, "name"), "")] += 1
    return Counter({(session, event): n for (session, event), n in found.items() if session in sessions})


def _row(
    event: str,
    sessions: Sequence[Recorded],
    noted: Mapping[tuple[str, str], int],
    unrecorded: Mapping[str, str],
) -> Row:
    return Row(
        event,
        happened=sum(session.happened.get(event, 0) for session in sessions),
        calls=[call for session in sessions for call in session.calls if call.event == event],
        given=[given for session in sessions for given in session.given if given.event == event],
        noted=sum(count for (_, at), count in noted.items() if at == event),
        unrecorded=unrecorded.get(event, ""),
    )


def _troubles(title: str, name: str, rows: Sequence[Row]) -> Iterator[Finding]:
    """What went wrong with calls, and with what was given."""
    for row in rows:
        if failed := [call for call in row.calls if call.outcome == "failed"]:
            last = max(failed, key=lambda call: call.at)
            why = f": {redact(last.words)}" if last.words else ""
            yield Finding(
                f"{title}: the {row.event} hook failed {_times(len(failed))}, last at {last.at or '?'}{why}",
                f"`ctxrepo setup {name}` writes the hooks anew; `ctxrepo doctor` shows what they logged.",
            )
        if ended := [call for call in row.calls if call.outcome == "ended"]:
            last = max(ended, key=lambda call: call.at)
            whose = "" if last.is_surely_ours else " (or another hook of this event: it isn't recorded whose)"
            yield Finding(
                f"{title} ended the {row.event} hook{whose} before it was done, {_times(len(ended))}, "
                f"last at {last.at or '?'}",
                "`ctxrepo doctor` shows what the hooks and the worker logged; a busy machine can be the cause.",
            )
        yield from _undelivered(title, row)


def _undelivered(title: str, row: Row) -> Iterator[Finding]:
    if cut := row.fates("cut"):
        size = max(given.size for given in row.given if given.fate == "cut")
        yield Finding(
            f"{title} cut what the {row.event} hook gave, {_times(cut)}: {size} bytes are left of it",
            "`ctxrepo config set delivery.budget_bytes 9500` keeps it below the limit of all agents.",
        )
    if lost := row.fates("lost"):
        yield Finding(
            f"{title}: what the {row.event} hook gave is in no request to the model, {_times(lost)}",
            "Start a new session and look again; another hook may have stopped the prompt.",
        )


def _silences(
    machine: Machine, name: str, sessions: Sequence[Recorded], noted: Mapping[tuple[str, str], int]
) -> Iterator[Finding]:
    """Events that came about in sessions since setup wrote a hook for them, and no trace of a call.

    What can't be told, because a silent hook leaves no trace anywhere, is left out.
    """
    agent = AGENTS[name]
    settings = agent.settings_path(machine.places.user_home, machine.environment)
    try:
        written_for = agent.lines((foreign.read(settings) or b"").decode("utf-8", "replace"))
    except (CtxrepoError, ValueError):  # which doctor tells by itself
        return
    since = datetime.fromtimestamp(written(settings), UTC).isoformat(timespec="milliseconds")[:23] + "Z"
    later = [session for session in sessions if session.began > since]
    for event in ("SessionStart", "PostToolUse", "Stop"):
        silent = [s for s in later if s.happened.get(event) and not _left_a_trace(s, event, noted)]
        if event in written_for and silent:
            yield Finding(
                f"{agent.TITLE} never called the {event} hook in {len(silent)} of {len(later)} sessions since "
                f"the hooks were written, last in the one of {silent[0].began}",
                f"`ctxrepo setup {name} --check` says whether hooks are switched off; then start a new session.",
            )


def _left_a_trace(session: Recorded, event: str, noted: Mapping[tuple[str, str], int]) -> bool:
    is_recorded = any(call.event == event for call in session.calls)
    return is_recorded or any(g.event == event for g in session.given) or bool(noted.get((session.id, event)))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
