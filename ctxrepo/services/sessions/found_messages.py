"""Messages of sessions, found by the index, and read from transcripts or from what is kept of them."""

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
from ctxrepo.domain.question.message_traits import BY_AGENT
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
from ctxrepo.services.sessions.message_words import key_of, searchable_text, spoken_text
from ctxrepo.storage.disk.recent import RowReader
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.session_index import (
    IndexedSession,
    MessageFilter,
    MessageRow,
    SessionIndex,
    index_file,
)
from ctxrepo.storage.sessions.transcript_files import first_line, read_piece
from ctxrepo.storage.sessions.transcript_lines import opened_file

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts


_SPANS = (16 * 1024, 128 * 1024, 4 * 1024 * 1024)
"""Bytes that are read from where a message begins: most messages end in the first, nearly all in the second,
and what doesn't end in the third isn't read."""

_PARTS = 1000
"""Rows of a database that are read for neighbouring messages."""


class PassageReader:
    """Reads messages from transcripts, and from the store `kept` those that are no longer there. Databases of
    many sessions stay open until it is closed."""

    def __init__(self, file: Path) -> None:
        self._databases: dict[str, RowReader] = {}
        self._kept = KeptReader(file)

    def messages_at(self, session: IndexedSession, rows: Sequence[MessageRow]) -> dict[int, Message]:
        """number -> message, of those of these neighbouring messages of a session that can be read."""
        messages = {} if session.is_gone else self._in_transcript(session, [r for r in rows if r.place >= 0])
        copies = self._kept.messages([row.key for row in rows if row.number not in messages])
        return {**{row.number: copies[row.key] for row in rows if row.key in copies}, **messages}

    def _in_transcript(self, session: IndexedSession, rows: Sequence[MessageRow]) -> dict[int, Message]:
        transcripts = transcripts_of(session.agent)
        if transcripts is None or not rows:
            return {}
        read = self._from_database if rows[0].name else _from_file
        try:
            pairs = [*read(transcripts, session, rows)]
        except (OSError, ValueError):
            return {}
        return {row.number: message for row, message in pairs if _is_it(message, session, row)}

    def _from_database(
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


def _from_file(
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
    """Candidates for the message at a place, read from ever more bytes, and of these from ever fewer lines: a
    part of the message may have been added after it was indexed."""
    size = os.fstat(handle).st_size
    for most in _SPANS:
        lines = read_piece(handle, place, most).lines
        count = len(lines)
        while count:
            messages = transcripts.messages([*head, *lines[:count]])
            candidates = [m for m in messages if m.line == len(head)]  # many if a document is on one line
            if not candidates:  # it ends farther on
                break
            yield from candidates
            count //= 2
        if place + most >= size:
            return


NEIGHBOUR_CHARS = 4096
"""Characters that are read of a message beside one that was found."""

WIDE = 5
"""Windows that are shown with all their messages."""

AFTER_QUESTION, AROUND_ANSWER, AROUND = (1, 4), (2, 3), (1, 1)
"""How many messages before and after the match are read of these windows, where the match is the user's and
where it is the agent's; and of the other windows."""

PATIENCE = 20.0
"""Seconds that a search waits for transcripts."""

_SPARE = 3
"""How many times as many messages as are wanted are read from the index first: some are gone or don't fit."""

_PROMPTS, _COMMON, _TELLING = 30, 200, 12
"""Prompts in which telling words are looked for, messages from which on a word is common, most words."""

_MOST_ROWS = 5000
"""Messages of the index that are read for one search."""


def is_any(_: object) -> bool:
    return True


@dataclass(frozen=True)
class MessageQuery(MessageFilter):
    """What messages must have. `text`: all of these words, each in any of its forms, and each `"…"` as it is;
    '' is any text. `wants_session` and `fits` judge a session, and a message that was read."""

    text: str = ""
    wants_session: Callable[[IndexedSession], bool] = is_any
    fits: Callable[[SessionMessage], bool] = is_any
    """Called in another process, so it must be picklable."""
    limit: int = 10


class FoundMessage(NamedTuple):
    """A message and its session. `text` is all that it is found by: what was said, and what tools were given.
    The texts of the messages `before` and `after` are of that kind too, cut to NEIGHBOUR_CHARS. `at` is in
    Unix seconds (0: unknown), `missing` are words of the question that none of these has. Secrets are not
    masked yet."""

    session: IndexedSession
    message: SessionMessage
    text: str
    at: int
    before: Sequence[SessionMessage] = ()
    after: Sequence[SessionMessage] = ()
    missing: Sequence[str] = ()


class Candidate(NamedTuple):
    """A message that may be a match, and the words of the question that its window doesn't have."""

    session: IndexedSession
    row: MessageRow
    missing: Sequence[str] = ()


def find_messages(memory: Memory, query: MessageQuery) -> list[FoundMessage]:
    """At most `limit` messages, the newest first. Bring the index up to date before. UsageError for a text
    without a word."""
    terms = terms_of(query.text)
    words = expression(terms)
    if terms and not words:
        raise no_word_in(query.text)
    file = index_file(memory.state.root)
    most = query.limit * _SPARE + 20
    while True:
        candidates = _candidates(file, query, words, most)
        if not candidates:
            return []
        folder = Path(candidates[0].session.path).parent
        read = partial(read_matches, file, candidates, terms, query.limit, 0, query.fits)
        messages = memory.outside.ask(folder, read, PATIENCE)  # files of others, which may hang
        if len(messages) >= query.limit or len(candidates) < most or most >= _MOST_ROWS:
            return messages
        most = min(most * 8, _MOST_ROWS)


def no_word_in(text: str) -> UsageError:
    return UsageError(f"{text!r} has no word in it", "`ctxrepo search --in sessions --raw` finds signs, too.")


def indexed_sessions(memory: Memory) -> list[IndexedSession]:
    """All sessions whose transcripts are in the index, the newest first."""
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        return sorted(index.sessions().values(), key=lambda session: -session.mtime)


def telling_words(memory: Memory, project: Project | None) -> list[str]:
    """Words that a search finds something for: words of the newest prompts, or where there are none of the
    notes in view, that an entry in view or messages of two sessions have. Those of entries come first, and of
    equals the rarest. Words with digits are left out, as they may be secrets of an unknown kind."""
    folders = search_order(memory, project)
    prompts = find_messages(memory, MessageQuery(types=("user",), limit=_PROMPTS))
    notes = (read_note(memory, path) for path in ([] if prompts else note_paths(memory, folders)))
    texts = [prompt.message.text for prompt in prompts] or [note.body for note in notes if note]
    ranks: dict[str, tuple[bool, int]] = {}
    cache, file = memory.hook_cache(), index_file(memory.state.root)
    with closing(cache) if cache else nullcontext(), SessionIndex.opened(file) as index:
        spans = spans_of(cache, folders) if cache else []
        for word in dict.fromkeys(word for text in texts for word in words(mask(text)) if word.isalpha()):
            entries = sum(len(at) for _, at in postings(cache, {word: 1.0}, spans)) if cache else 0
            rows = index.rows(MessageFilter(), expression([word]), _COMMON)
            is_known = entries or len({row.session for row in rows}) > 1
            if is_known and len(word) > 3 and word not in SOCIAL and len(rows) < _COMMON:
                ranks[word] = not entries, entries + len(rows)
    return sorted(ranks, key=ranks.__getitem__)[:_TELLING]


def _candidates(file: Path, query: MessageQuery, words: str, most: int) -> list[Candidate]:
    """Messages that may fit. What a fork copied belongs to the session that it was forked from."""
    with SessionIndex.opened(file) as index:
        sessions, numbers = sessions_to_search(index, query.wants_session)
        rows = index.rows(replace(query, sessions=numbers), words, most)
    return [Candidate(sessions[row.session], row) for row in rows if row.session in sessions]


def sessions_to_search(
    index: SessionIndex, wants: Callable[[IndexedSession], bool]
) -> tuple[Mapping[int, IndexedSession], Sequence[int] | None]:
    """All sessions by number, and the numbers of those that are wanted; None where all are."""
    sessions = {session.number: session for session in index.sessions().values()}
    numbers = [number for number, session in sessions.items() if wants(session)]
    return sessions, numbers if len(numbers) < len(sessions) else None


def read_matches(
    file: Path,
    candidates: Sequence[Candidate],
    required: Sequence[str],
    limit: int,
    context: int | None,
    fits: Callable[[SessionMessage], bool] = is_any,
) -> list[FoundMessage]:
    """Those candidates that can still be read, fit, and have the `required` terms in them or around them,
    with the messages around each: `context` on either side, None: as many as a window has. Runs in a process
    of its own. The caller masks secrets: here the rules would be loaded again for each search."""
    matches: list[FoundMessage] = []
    with SessionIndex.opened(file) as index, closing(PassageReader(kept_file(file.parent))) as reader:
        for session, row, missing in candidates:
            if context is not None:
                counts = (context, context)
            elif len(matches) >= WIDE:
                counts = AROUND
            else:
                counts = AROUND_ANSWER if row.traits & BY_AGENT else AFTER_QUESTION
            before, after = index.spoken_around(row, *counts) if any(counts) else ([], [])
            messages = reader.messages_at(session, [*before, row, *after])
            if row.number not in messages:
                continue
            match = _message_found(session, row, messages[row.number])
            sides = [_neighbours(session, side, messages) for side in (before, after)]
            text = "\n".join((match.text, *(message.text for side in sides for message in side)))
            if holds(text, required) and fits(match.message):
                matches.append(match._replace(before=sides[0], after=sides[1], missing=missing))
            if len(matches) == limit:
                break
    return matches


def _message_found(session: IndexedSession, row: MessageRow, message: Message) -> FoundMessage:
    """The message with its session and moment, which come from the index if the agent doesn't record them
    with each message."""
    as_recorded = message_of(session.agent, message)
    when, origin = as_recorded.when or second_at(row.at), as_recorded.session or session.id
    as_said = replace(as_recorded, session=origin, when=when, text=spoken_text(message))
    return FoundMessage(session, as_said, searchable_text(message), row.at)


def _neighbours(
    session: IndexedSession, rows: Sequence[MessageRow], messages: Mapping[int, Message]
) -> list[SessionMessage]:
    """Those of these messages that could be read, cut to NEIGHBOUR_CHARS."""
    return [
        replace(
            message_of(session.agent, messages[row.number]),
            session=session.id,
            when=second_at(row.at),
            text=searchable_text(messages[row.number])[:NEIGHBOUR_CHARS],
        )
        for row in rows
        if row.number in messages
    ]
