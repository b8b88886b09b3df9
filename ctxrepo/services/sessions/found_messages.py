"""Messages of sessions, found by the index and read from transcripts, or from what is kept of them: what all
searches ask."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxrepo.agents.known import parts_of, transcripts_of
from ctxrepo.agents.recorded import Message
from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.question.question_terms import expression, holds, terms_of
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.domain.words.prompt_terms import SOCIAL, words
from ctxrepo.errors import UsageError
from ctxrepo.hooks.known.cached import spans_of
from ctxrepo.hooks.recall.prompt_query import postings
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import note_paths, read_note, search_order
from ctxrepo.services.sessions.conversations import message_of
from ctxrepo.services.sessions.keeping import KeptReader
from ctxrepo.services.sessions.message_words import key_of, said, shown_text
from ctxrepo.storage.disk.recent import RowReader
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.session_index import (
    IndexedSession,
    MessageFilter,
    MessageRow,
    SessionIndex,
    index_file,
    matching,
)
from ctxrepo.storage.sessions.transcript_files import first_line, read_piece
from ctxrepo.storage.sessions.transcript_lines import opened_file

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts


_WINDOWS = (16 * 1024, 128 * 1024, 4 * 1024 * 1024)
"""Bytes from where a message begins, in which it ends: mostly, nearly always, or not at all."""

_PARTS = 1000
"""Parts of messages in a database that are looked at."""


class PassageReader:
    """Reads messages from transcripts, and from `kept` what these have no more; to be closed. A database of
    many sessions stays open until then."""

    def __init__(self, kept: Path) -> None:
        self._databases: dict[str, RowReader] = {}
        self._kept = KeptReader(kept)

    def messages_at(self, session: IndexedSession, rows: Sequence[MessageRow]) -> dict[int, Message]:
        """The messages of a session by number, as far as they can be read; `rows` are neighbours."""
        there = [] if session.is_gone else [row for row in rows if row.place >= 0]
        messages = self._in_transcript(session, there)
        kept = self._kept.messages([row.key for row in rows if row.number not in messages])
        return {**{row.number: kept[row.key] for row in rows if row.key in kept}, **messages}

    def _in_transcript(self, session: IndexedSession, rows: Sequence[MessageRow]) -> dict[int, Message]:
        transcripts = transcripts_of(session.agent)
        if transcripts is None or not rows:
            return {}
        try:
            pairs = [*(self._of_rows if rows[0].name else _of_file)(transcripts, session, rows)]
        except (OSError, ValueError):
            return {}
        return {row.number: message for row, message in pairs if _is_it(message, session, row)}

    def _of_rows(
        self, transcripts: "Transcripts", session: IndexedSession, rows: Sequence[MessageRow]
    ) -> Iterator[tuple[MessageRow, Message]]:
        if session.path not in self._databases:
            self._databases[session.path] = RowReader(Path(session.path))
        database = self._databases[session.path]
        lines = database.lines(transcripts.QUERY, session.id, rows[0].name, rows[-1].name)
        messages = {m.id: m for m in transcripts.messages([*islice(lines, _PARTS)])}
        yield from ((row, messages[row.name]) for row in rows if row.name in messages)

    def close(self) -> None:
        self._kept.close()
        for database in self._databases.values():
            database.close()


def _of_file(
    transcripts: "Transcripts", session: IndexedSession, rows: Sequence[MessageRow]
) -> Iterator[tuple[MessageRow, Message]]:
    with opened_file(session.path, parts_of(transcripts)) as handle:
        first = first_line(handle)
        for row in rows:
            head = [first] if row.place else []
            for message in _beginning_at(transcripts, handle, head, row.place):
                yield row, message
                if _is_it(message, session, row):
                    break


def _is_it(message: Message, session: IndexedSession, row: MessageRow) -> bool:
    return key_of(message, session.agent, session.id, row.place) == row.key


def _beginning_at(
    transcripts: "Transcripts", handle: int, head: Sequence[str], place: int
) -> Iterator[Message]:
    """What may be the message at a place, of all lines read or of ever fewer: a further part may have come
    later."""
    size = os.fstat(handle).st_size
    for most in _WINDOWS:
        lines = read_piece(handle, place, most).lines
        count = len(lines)
        while count:
            messages = transcripts.messages([*head, *lines[:count]])
            begun = [m for m in messages if m.line == len(head)]  # one, or all of a document on one line
            if not begun:  # it ends farther on
                break
            yield from begun
            count //= 2
        if place + most >= size:
            return


NEIGHBOUR_CHARS = 4096
"""Characters that are read of a message beside one that was found."""

_PATIENCE = 20.0
"""Seconds for which transcripts may let a search wait."""

_SPARE = 3
"""Times the wanted number of messages that the index is asked for at first: some are gone, or don't fit."""

_PROMPTS, _COMMON, _TELLING = 30, 200, 12
"""Prompts in which telling words are looked for, messages that have a common word, and words at most."""

_MOST_ROWS = 5000
"""Messages of the index that are read for one search."""


def is_any(_: object) -> bool:
    return True


@dataclass(frozen=True)
class MessageQuery(MessageFilter):
    """What messages must have. `text`: words, each in any of its forms, and `"…"` together; '' is any text.
    `wants_session` and `fits` judge a session and a message that was read. What was said in the session
    `here`, which asks and has it, comes last among sessions."""

    text: str = ""
    wants_session: Callable[[IndexedSession], bool] = is_any
    fits: Callable[[SessionMessage], bool] = is_any
    """Asked in another process, so that it must be possible to pickle it."""
    here: str = ""
    limit: int = 10


class FoundMessage(NamedTuple):
    """A message and its session. `text` is all that it is found by: what was said, and what tools were given;
    so have those `before` and `after`, cut to NEIGHBOUR_CHARS. `at` is in Unix seconds (0: unknown). Nothing
    is masked yet."""

    session: IndexedSession
    message: SessionMessage
    text: str
    at: int
    before: Sequence[SessionMessage]
    after: Sequence[SessionMessage]


def find_messages(memory: Memory, query: MessageQuery) -> list[FoundMessage]:
    """At most `limit` messages. UsageError for a text without a word. Bring the index up to date first."""
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
        read = partial(_read_candidates, file, sessions, rows, terms, replace(query, wants_session=is_any))
        messages = memory.outside.ask(folder, read, _PATIENCE)  # files of others, which may hang
        if len(messages) >= query.limit or len(rows) < most or most >= _MOST_ROWS:
            return messages
        most = min(most * 8, _MOST_ROWS)


def indexed_sessions(memory: Memory) -> list[IndexedSession]:
    """All sessions whose transcripts are in the index, the newest first."""
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        return sorted(index.sessions().values(), key=lambda session: -session.mtime)


def telling_words(memory: Memory, project: Project | None) -> list[str]:
    """Words of the newest prompts, or of the notes in view where nobody prompted, that lead to an entry in
    view or to messages of two sessions: first those that lead to an entry, of each kind the rarest first. One
    with digits may be a secret of a new kind."""
    folders = search_order(memory, project)
    prompts = find_messages(memory, MessageQuery(types=("user",), limit=_PROMPTS))
    notes = (read_note(memory, path) for path in ([] if prompts else note_paths(memory, folders)))
    texts = [found.message.text for found in prompts] or [note.body for note in notes if note]
    told: dict[str, tuple[bool, int]] = {}
    cache, file = memory.hook_cache(), index_file(memory.state.root)
    with closing(cache) if cache else nullcontext(), SessionIndex.opened(file) as index:
        spans = spans_of(cache, folders) if cache else []
        for word in dict.fromkeys(word for text in texts for word in words(mask(text)) if word.isalpha()):
            entries = sum(len(at) for _, at in postings(cache, {word: 1.0}, spans)) if cache else 0
            rows = matching(index.db, MessageFilter(), expression([word]), _COMMON, None)
            is_known = entries or len({row.session for row in rows}) > 1
            if is_known and len(word) > 3 and word not in SOCIAL and len(rows) < _COMMON:
                told[word] = not entries, entries + len(rows)
    return sorted(told, key=told.__getitem__)[:_TELLING]


def _candidates(
    file: Path, query: MessageQuery, words: str, most: int
) -> tuple[Mapping[int, IndexedSession], Sequence[MessageRow]]:
    """All sessions by number, and messages of the wanted ones that may fit. What a fork copied stands with
    the other one."""
    with SessionIndex.opened(file) as index:
        sessions = {session.number: session for session in index.sessions().values()}
        wanted = [number for number, session in sessions.items() if query.wants_session(session)]
        found = matching(index.db, query, words, most, wanted if len(wanted) < len(sessions) else None)
        rows = [row for row in found if row.session in sessions]
    return sessions, rows


def _read_candidates(
    file: Path,
    sessions: Mapping[int, IndexedSession],
    rows: Sequence[MessageRow],
    terms: Sequence[str],
    query: MessageQuery,
) -> list[FoundMessage]:
    """The messages that are still in their transcripts and fit. Whoever asks masks secrets: in a process of
    its own this would load the rules each time."""
    matches: list[FoundMessage] = []
    with closing(PassageReader(kept_file(file.parent))) as reader:
        for row in rows:
            session = sessions[row.session]
            messages = reader.messages_at(session, [row])
            if row.number in messages:
                match = message_found(session, row, messages[row.number])
                if holds(match.text, terms) and query.fits(match.message):
                    matches.append(match)
            if len(matches) == query.limit:
                break
    return matches


def message_found(session: IndexedSession, row: MessageRow, message: Message) -> FoundMessage:
    """The message with its session and moment, also where its agent records neither beside each message."""
    whole = message_of(session.agent, message)
    when, origin = whole.when or second_at(row.at), whole.session or session.id
    found = replace(whole, session=origin, when=when, text=said(message))
    return FoundMessage(session, found, shown_text(message), row.at, (), ())


def neighbours_in(
    session: IndexedSession, rows: Sequence[MessageRow], messages: Mapping[int, Message]
) -> list[SessionMessage]:
    """Those of these messages that were read, cut to NEIGHBOUR_CHARS."""
    return [
        replace(
            message_of(session.agent, messages[row.number]),
            session=session.id,
            when=second_at(row.at),
            text=shown_text(messages[row.number])[:NEIGHBOUR_CHARS],
        )
        for row in rows
        if row.number in messages
    ]
