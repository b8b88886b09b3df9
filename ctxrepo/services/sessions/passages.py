"""The text of a message that the index has found, read from the agent's own transcript."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.agents.known import transcripts_of
from ctxrepo.services.sessions.said import key_of
from ctxrepo.storage.disk.rows import rows_of
from ctxrepo.storage.sessions.index import IndexedSession
from ctxrepo.storage.sessions.lines import first_line, opened_file, read_piece
from ctxrepo.storage.sessions.search import MessageRow

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts
    from ctxrepo.agents.transcript import Message

_WINDOWS = (8 * 1024, 128 * 1024, 4 * 1024 * 1024)
"""Bytes from where a message begins, in which it ends: mostly, nearly always, or not at all."""

_PARTS = 200
"""Parts of a message in a database."""


def message_at(session: IndexedSession, row: MessageRow) -> Message | None:
    """The message; None where the transcript is gone, or doesn't hold it there any more."""
    transcripts = transcripts_of(session.agent)
    if transcripts is None:
        return None
    found = _of_rows(transcripts, session, row) if row.name else _of_file(transcripts, session, row)
    try:
        return next((m for m in found if key_of(m, session.agent, session.id, row.place) == row.key), None)
    except (OSError, ValueError):
        return None


def _of_file(transcripts: Transcripts, session: IndexedSession, row: MessageRow) -> Iterator[Message]:
    """What may be the message: as all lines have it that are read, then as ever fewer do, since it may have
    got a further part after it was indexed."""
    with opened_file(session.path) as handle:
        head = [first_line(handle)] if row.place else []
        size = os.fstat(handle).st_size
        for most in _WINDOWS:
            lines = read_piece(handle, row.place, False, most).lines
            count = len(lines)
            while count:
                found = transcripts.messages([*head, *lines[:count]])
                yield from islice((m for m in found if m.line == len(head)), 1)
                count //= 2
            if row.place + most >= size:
                return


def _of_rows(transcripts: Transcripts, session: IndexedSession, row: MessageRow) -> Iterator[Message]:
    asked = {"session": session.id, "since": row.name, "until": row.name}
    parts = islice(rows_of(Path(session.path), transcripts.QUERY, asked), _PARTS)
    yield from transcripts.messages([part[0] for part in parts if isinstance(part[0], str)])
