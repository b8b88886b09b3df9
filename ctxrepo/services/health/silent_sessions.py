"""Transcripts that have text, and of which no message was understood."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from ctxrepo.agents.documents import records_in
from ctxrepo.agents.known import parts_of, transcripts_of
from ctxrepo.storage.disk.recent import lines_of_rows
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import IndexedSession
from ctxrepo.storage.sessions.transcript_files import first_lines
from ctxrepo.storage.sessions.transcript_lines import is_database, opened_file

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
