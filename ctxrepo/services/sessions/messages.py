"""Messages of agents' sessions, found by the index and read from the agents' own transcripts.

All searching of what was said goes through here: `search --in sessions` ranks, `tape search` goes by time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxrepo.agents.recorded import Message
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.tape.conversation import SessionMessage
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.passages import PassageReader
from ctxrepo.services.sessions.query import expression, holds, terms_of
from ctxrepo.services.sessions.said import said, shown_text
from ctxrepo.services.transcripts.conversations import message_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.index import IndexedSession, SessionIndex, index_file
from ctxrepo.storage.sessions.search import IndexQuery, MessageRow, beside, matching

NEIGHBOUR_CHARS = 4096
"""Characters that are read of a message beside one that was found."""

_PATIENCE = 20.0
"""Seconds for which transcripts may let a search wait."""

_SPARE = 3
"""Times the wanted number of messages that the index is asked for at first: some are gone, or don't fit."""

_MOST_ROWS = 5000
"""Messages of the index that are read for one search."""


@dataclass(frozen=True)
class MessageQuery:
    """What messages must have.

    `text`: words, each in any of its forms, and `"…"` together; all must be there, and '' is any text.
    `wants_session` and `fits` say yes to a session and to a message that was read. `types` are of `user`,
    `agent` and `tool`; one is enough, and () is any. `file` is a path, or its end, that a tool was given.
    `since` and `until` are Unix seconds, 0 for no bound. `here` is the session that asks: its messages come
    last, for whoever asks has them at hand. `context` counts the messages that are read on either side.
    """

    text: str = ""
    wants_session: Callable[[IndexedSession], bool] = field(default=lambda _: True)
    fits: Callable[[SessionMessage], bool] = field(default=lambda _: True)
    types: Sequence[str] = ()
    file: str = ""
    since: int = 0
    until: int = 0
    here: str = ""
    context: int = 0
    limit: int = 10
    is_newest_first: bool = False
    """Else the best come first, and of those that say the same only the first."""


class FoundMessage(NamedTuple):
    """A message, and the session in whose transcript it stands.

    `text` is all that it can be found by: what was said, and what tools were given. `at` is when, in Unix
    seconds (0: unknown). The messages `before` and `after` it have such texts, cut to NEIGHBOUR_CHARS.
    Nothing is masked yet.
    """

    session: IndexedSession
    message: SessionMessage
    text: str
    at: int
    before: Sequence[SessionMessage]
    after: Sequence[SessionMessage]


def find_messages(memory: Memory, query: MessageQuery) -> list[FoundMessage]:
    """At most `limit` messages; [] where none fits. UsageError for a text without a word.

    The index must have been brought up to date.
    """
    terms = terms_of(query.text)
    words = expression(terms)
    if terms and not words:
        raise UsageError(
            f"{query.text!r} has no word in it", "`ctxrepo search --in sessions --raw` finds signs, too."
        )
    file = index_file(memory.state.root)
    most = query.limit * _SPARE + 20
    while True:
        sessions, rows = _candidates(file, query, words, most)
        if not rows:
            return []
        folder = Path(sessions[rows[0].session].path).parent
        read = partial(_read_candidates, file, sessions, rows, terms, query)
        messages = memory.outside.ask(folder, read, _PATIENCE)  # files of others, which may hang
        if len(messages) >= query.limit or len(rows) < most or most >= _MOST_ROWS:
            return messages
        most = min(most * 8, _MOST_ROWS)


def indexed_sessions(memory: Memory) -> set[str]:
    """The ids of all sessions whose transcripts are in the index."""
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        return {session.id for session in index.sessions().values()}


def _candidates(
    file: Path, query: MessageQuery, words: str, most: int
) -> tuple[Mapping[int, IndexedSession], Sequence[MessageRow]]:
    """All sessions by their numbers, and the messages of the wanted ones that may be what is asked for.

    What a session copied, when it was forked from another one, stands with that other one.
    """
    with SessionIndex.opened(file) as index:
        sessions = {session.number: session for session in index.sessions().values()}
        wanted_sessions = [number for number, session in sessions.items() if query.wants_session(session)]
        wanted = IndexQuery(
            words,
            most,
            None if len(wanted_sessions) == len(sessions) else wanted_sessions,
            query.since,
            query.until,
            query.file,
            query.types,
            query.is_newest_first,
        )
        rows = [row for row in matching(index.db, wanted) if row.session in sessions]
    rows.sort(key=lambda row: bool(query.here) and sessions[row.session].id == query.here)
    return sessions, rows


def _read_candidates(
    file: Path,
    sessions: Mapping[int, IndexedSession],
    rows: Sequence[MessageRow],
    terms: Sequence[str],
    query: MessageQuery,
) -> list[FoundMessage]:
    """The messages that are still in their transcripts, and have all that is asked for.

    Secrets are masked by whoever asks: in a process of its own this would load the rules each time.
    """
    matches: list[FoundMessage] = []
    texts = set[str]()
    with SessionIndex.opened(file) as index, closing(PassageReader()) as reader:
        for row in rows:
            session = sessions[row.session]
            before, after = beside(index.db, row, query.context) if query.context else ((), ())
            messages = reader.messages_at(session, [*before, row, *after])
            if row.number not in messages:
                continue
            match = _found(session, row, messages[row.number])
            is_repeated = match.text in texts and not query.is_newest_first
            if is_repeated or not (holds(match.text, terms) and query.fits(match.message)):
                continue
            texts.add(match.text)
            neighbours = (
                [
                    _neighbour(session, other, messages[other.number])
                    for other in side
                    if other.number in messages
                ]
                for side in (before, after)
            )
            matches.append(FoundMessage(*match[:4], *neighbours))
            if len(matches) == query.limit:
                break
    return matches


def _found(session: IndexedSession, row: MessageRow, message: Message) -> FoundMessage:
    """The message with its session and moment, also where its agent records neither beside each message."""
    known = message_of(session.agent, message)
    when, origin = known.when or moment_of(row.at), known.session or session.id
    found = replace(known, session=origin, when=when, text=said(message))
    return FoundMessage(session, found, shown_text(message), row.at, (), ())


def _neighbour(session: IndexedSession, row: MessageRow, message: Message) -> SessionMessage:
    text = shown_text(message)[:NEIGHBOUR_CHARS]
    return replace(message_of(session.agent, message), session=session.id, when=moment_of(row.at), text=text)


def moment_of(at: int) -> str:
    """Unix seconds as a message has them, '' for 0."""
    return second(datetime.fromtimestamp(at, UTC)) if at else ""
