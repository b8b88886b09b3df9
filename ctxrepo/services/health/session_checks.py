"""Whether what was said in agents' sessions is found, and for how long: `doctor` asks."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from ctxrepo.agents.documents import records_in
from ctxrepo.agents.known import AGENTS, agent_named, parts_of, transcripts_of
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import KeptUnusable
from ctxrepo.services.faults.finding import CheckOutcome, Finding
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.session_deletion import deletion_of, remedy
from ctxrepo.storage.disk.recent import lines_of_rows
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import is_sound
from ctxrepo.storage.sessions.kept_file import damaged_files, kept_file
from ctxrepo.storage.sessions.kept_sessions import KeptSessions
from ctxrepo.storage.sessions.session_index import IndexedSession, size_of_index
from ctxrepo.storage.sessions.transcript_files import first_lines
from ctxrepo.storage.sessions.transcript_lines import is_database, opened_file

_RECOVER = "`sqlite3 FILE .recover` gets out of it what can be read; move it away when you don't want it."


def check_sessions(memory: Memory) -> CheckOutcome:
    """How much of agents' sessions is indexed and kept; the next search or worker builds a damaged index
    again, and what was kept can't be built again."""
    now = size_of_index(memory.state.root)
    clause, findings = _kept(memory)
    if now is None or not now.sessions:
        words = "none is indexed yet; `ctxrepo search --in sessions` does it"
        return CheckOutcome("sessions", f"{words}{clause}", findings)
    size = f"{counted(now.messages, 'message')}, {now.bytes / 1e6:.1f} MB"
    strange = not_understood(memory, now.silent)
    findings += [
        Finding(
            f"in {counted(len(of_agent), 'transcript')} of {AGENTS[agent].title} nothing was understood, "
            f"such as {shown(of_agent[0].path)}",
            "Install `zstd`, which unpacks it."
            if of_agent[0].path.endswith(".zst")
            else "`ctxrepo search --in sessions --raw TEXT` finds text in it. A newer ctxrepo may read it.",
            "note",
        )
        for agent in AGENTS
        if (of_agent := [transcript for transcript in strange if transcript.agent == agent])
    ]
    return CheckOutcome("sessions", f"{now.sessions} indexed, {size}{clause}", findings)


def _kept(memory: Memory) -> tuple[str, list[Finding]]:
    """How much is kept, as the end of a sentence, and what is wrong with that."""
    file, words = kept_file(memory.state.root), ""
    findings = [
        Finding(f"sessions that were kept are damaged, and lie in {aside}", _RECOVER)
        for aside in damaged_files(memory.state.root)
    ]
    if file.is_file():
        try:
            with KeptSessions.opened(file) as store:
                size = store.size()
            words = f"; {size.sessions} kept, {counted(size.messages, 'message')}, {size.bytes / 1e6:.1f} MB"
            problem = "" if is_sound(file) else f"{file}, where sessions are kept, is damaged"
        except KeptUnusable as error:
            problem = error.message
        findings += [Finding(problem, _RECOVER)] if problem else []
    return words, findings


def check_retention(memory: Memory, machine: Machine, agent: str) -> CheckOutcome | None:
    """What an agent deletes of its sessions, and what keeps them; None where it deletes nothing. It is no
    finding: most agents of this kind do so as they come."""
    deletion = deletion_of(agent_named(agent), machine)
    if deletion is None:
        return None
    keep = memory.settings.sessions.keep
    helps = remedy(deletion) if keep == "off" else f"sessions.keep is {keep}"
    return CheckOutcome("retention", f"{deletion.sentence}; {helps}")


_MOST = 500
"""Transcripts that are looked at: in most of those without a message nobody said anything."""

_ROWS = 100


def not_understood(memory: Memory, silent: Sequence[IndexedSession]) -> list[IndexedSession]:
    """Those of these transcripts whose beginning has something that is neither a message nor known to be
    none. What can't be read is one of them; a folder that hangs is passed over."""
    looked_at = silent[:_MOST]
    answers = memory.outside.ask_each(looked_at, _is_strange, lambda session: Path(session.path).parent)
    return [session for session, is_strange in answers if is_strange]


def _is_strange(session: IndexedSession) -> bool:
    transcripts = transcripts_of(session.agent)
    if transcripts is None:
        return False
    try:
        if is_database(Path(session.path)):
            lines = [*islice(lines_of_rows(Path(session.path), transcripts.QUERY, session.id), _ROWS)]
            is_blank = session.name != session.path and not lines
        else:
            with opened_file(session.path, parts_of(transcripts)) as handle:
                lines = first_lines(handle)
            is_blank = not "".join(lines).strip("\ufeff\r\n\t {}[],")
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    records = [fields for _, fields in records_in(lines)]
    return not is_blank and not (records and transcripts.is_quiet(records))
