"""The texts of messages that the index has found, read from the agent's own transcript."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.agents.known import transcripts_of
from ctxrepo.services.sessions.said import key_of
from ctxrepo.storage.disk.recent import RowReader
from ctxrepo.storage.sessions.index import IndexedSession
from ctxrepo.storage.sessions.lines import first_line, opened_file, read_piece
from ctxrepo.storage.sessions.search import MessageRow

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts
    from ctxrepo.agents.recorded import Message

_WINDOWS = (16 * 1024, 128 * 1024, 4 * 1024 * 1024)
"""Bytes from where a message begins, in which it ends: mostly, nearly always, or not at all."""

_PARTS = 1000
"""Parts of messages in a database that are looked at."""


class PassageReader:
    """Reads messages from transcripts; to be closed. A database of many sessions stays open until then."""

    def __init__(self) -> None:
        self._databases: dict[str, RowReader] = {}

    def messages_at(self, session: IndexedSession, rows: Sequence[MessageRow]) -> dict[int, Message]:
        """The messages of a session, by their numbers, without those that its transcript doesn't hold any
        more; `rows` stand side by side there."""
        transcripts = transcripts_of(session.agent)
        if transcripts is None or not rows:
            return {}
        try:
            if rows[0].name:
                found = [*_of_rows(transcripts, self._database(session.path), session, rows)]
            else:
                found = [*_of_file(transcripts, session, rows)]
        except (OSError, ValueError):
            return {}
        return {
            row.number: message
            for row, message in found
            if key_of(message, session.agent, session.id, row.place) == row.key
        }

    def _database(self, path: str) -> RowReader:
        if path not in self._databases:
            self._databases[path] = RowReader(Path(path))
        return self._databases[path]

    def close(self) -> None:
        for database in self._databases.values():
            database.close()


def _of_file(
    transcripts: Transcripts, session: IndexedSession, rows: Sequence[MessageRow]
) -> Iterator[tuple[MessageRow, Message]]:
    with opened_file(session.path) as handle:
        first = first_line(handle)
        for row in rows:
            head = [first] if row.place else []
            for message in _beginning_at(transcripts, handle, head, row.place):
                yield row, message
                if key_of(message, session.agent, session.id, row.place) == row.key:
                    break


def _beginning_at(
    transcripts: Transcripts, handle: int, head: Sequence[str], place: int
) -> Iterator[Message]:
    """What may be the message that begins at a place: as all lines have it that are read, then as ever fewer
    do, since it may have got a further part after it was indexed."""
    size = os.fstat(handle).st_size
    for most in _WINDOWS:
        lines = read_piece(handle, place, False, most).lines
        count = len(lines)
        while count:
            found = transcripts.messages([*head, *lines[:count]])
            message = next((m for m in found if m.line == len(head)), None)
            if message is None:  # it ends farther on
                break
            yield message
            count //= 2
        if place + most >= size:
            return


def _of_rows(
    transcripts: Transcripts, database: RowReader, session: IndexedSession, rows: Sequence[MessageRow]
) -> Iterator[tuple[MessageRow, Message]]:
    asked = {"session": session.id, "since": rows[0].name, "until": rows[-1].name}
    parts = islice(database.select(transcripts.QUERY, asked), _PARTS)
    found = {m.id: m for m in transcripts.messages([part[0] for part in parts if isinstance(part[0], str)])}
    yield from ((row, found[row.name]) for row in rows if row.name in found)
