"""What was said in agents' sessions is found by its words, and shown with what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ctxrepo.agents.transcript import Message
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.project.paths import visible
from ctxrepo.domain.secrets.part import mask_part
from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.domain.tape.conversation import SessionMessage
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.passages import PassageReader
from ctxrepo.services.sessions.points import Points, last_before, points_of
from ctxrepo.services.sessions.query import expression, first_hit, holds, terms_of
from ctxrepo.services.sessions.said import shown_text
from ctxrepo.services.sessions.where import is_of_project, project_names, resume_command, why_no_command
from ctxrepo.services.transcripts.conversations import message_of, shown
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.index import IndexedSession, SessionIndex, index_file
from ctxrepo.storage.sessions.search import IndexQuery, MessageRow, beside, best

BEFORE, AFTER = 80, 120
"""Characters that are shown before and from the first hit."""

_LOOKED_BACK, _LOOKED_AHEAD = 128 * 1024, 4096
"""Characters before and from a hit that are looked at for secrets, before they are cut to what is shown: a
private key is known by its first line, thousands of characters before its last."""

_NEAR, _READ = 200, 4096
"""Characters that are shown of a message beside a hit, and that are read of it."""

_PATIENCE = 20.0
"""Seconds for which transcripts may let a search wait."""

_SPARE = 3
"""Times the hits that are wanted are asked for: some are no longer there, and some say the same."""


@dataclass(frozen=True)
class SessionQuery:
    """What is looked for. `text`: words, each in any of its forms, and `"…"` together; all must be there.

    `project` is a folder of the memory, an id, or the name of a checkout; `file` a path or its end; `since`
    unix seconds. `context` counts the messages that are shown on either side of a hit. `here` is the session
    that asks: what was said in it comes last, for whoever asks has it before them.
    """

    text: str
    agent: str = ""
    project: str = ""
    since: int = 0
    is_by_user: bool = False
    file: str = ""
    context: int = 1
    limit: int = 10
    here: str = ""


@dataclass(frozen=True)
class SessionHit:
    """A message that holds what was looked for. `resume` is the command that goes on with its session,
    `no_resume` why there is none, `anchor` what was left before it. All of its messages are
    without secrets, and cut to what is shown."""

    agent: str
    session: str
    project: str
    cwd: str
    path: str
    resume: str
    said: SessionMessage
    anchor: Anchor | None = None
    before: Sequence[SessionMessage] = ()
    after: Sequence[SessionMessage] = ()
    no_resume: str = ""


class _Found(NamedTuple):
    """A message that was found, when in Unix seconds (0: nothing tells), and those on either side of it."""

    session: IndexedSession
    hit: SessionMessage
    at: int
    before: Sequence[SessionMessage]
    after: Sequence[SessionMessage]


def search_sessions(memory: Memory, asked: SessionQuery) -> list[SessionHit]:
    """At most `limit` hits, the best first, and of equally good ones the newest; NotFound when there is none.

    The index must have been brought up to date.
    """
    terms = terms_of(asked.text)
    if not (terms or asked.file or asked.is_by_user):
        raise UsageError("there is nothing to search for", "Give a word, or --file, or --user.")
    words = expression(terms)
    if terms and not words:
        raise UsageError(f"{asked.text!r} has no word in it", "--raw finds signs, too.")
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        sessions = {one.number: one for one in index.sessions().values()}
        names = project_names(memory)
        wanted = _wanted(sessions.values(), asked, names)
        query = IndexQuery(
            words, asked.limit * _SPARE + 20, wanted, asked.since, asked.file, asked.is_by_user
        )
        rows = [row for row in best(index.db, query) if row.session in sessions]
        rows.sort(key=lambda row: bool(asked.here) and sessions[row.session].id == asked.here)
    if not rows:
        raise _nothing(asked)
    place = Path(sessions[rows[0].session].path).parent
    look = partial(_found, index.path, sessions, rows, terms, asked)
    found = memory.outside.ask(place, look, _PATIENCE)  # files of others, which may hang
    if not found:
        raise _nothing(asked)
    points = points_of(memory, frozenset(one.session.id for one in found))
    return [_hit(one, terms, names, points) for one in _with_sides_shown(found)]


def _nothing(asked: SessionQuery) -> NotFound:
    return NotFound(f"nothing found for {asked.text or asked.file!r} in agents' sessions")


def _wanted(
    sessions: Iterable[IndexedSession], asked: SessionQuery, names: Callable[[str], tuple[str, ...]]
) -> list[int] | None:
    """The numbers of the sessions of the agent and the project that are asked for; None for all."""
    if not (asked.agent or asked.project):
        return None
    of_agent = (one for one in sessions if asked.agent in ("", one.agent))
    return [one.number for one in of_agent if is_of_project(names(one.cwd), asked.project)]


def _found(
    file: Path,
    sessions: Mapping[int, IndexedSession],
    rows: Sequence[MessageRow],
    terms: Sequence[str],
    asked: SessionQuery,
) -> list[_Found]:
    """The messages that are still in their transcripts; of those that say the same only the first.

    Secrets are masked by whoever asks: in a process of its own this would load the rules each time.
    """
    found: list[_Found] = []
    told = set[str]()
    with SessionIndex.opened(file) as index, closing(PassageReader()) as reader:
        for row in rows:
            session = sessions[row.session]
            sides = beside(index.db, row, asked.context)
            read = reader.messages_at(session, [*sides[0], row, *sides[1]])
            message = read.get(row.number)
            text = shown_text(message) if message else ""
            if message is None or text in told or not holds(text, terms):
                continue
            told.add(text)
            before, after = (
                [_read(session, one, read[one.number], _READ) for one in side if one.number in read]
                for side in sides
            )
            found.append(_Found(session, _read(session, row, message), row.at, before, after))
            if len(found) == asked.limit:
                break
    return found


def _read(
    session: IndexedSession, row: MessageRow, message: Message, most: int | None = None
) -> SessionMessage:
    """A message with all of its text that is searched, or the beginning of that."""
    when = second(datetime.fromtimestamp(row.at, UTC)) if row.at else ""
    found = message_of(session.agent, message)
    return replace(found, session=session.id, when=when, text=shown_text(message)[:most])


def _with_sides_shown(found: Sequence[_Found]) -> list[_Found]:
    """The same with the messages on either side as they are shown. Secrets are looked for in all of them at
    once: most are short, and each search costs something before it reads."""
    sides = iter(shown([said for one in found for said in (*one.before, *one.after)], _NEAR, _READ))
    return [
        one._replace(before=[*islice(sides, len(one.before))], after=[*islice(sides, len(one.after))])
        for one in found
    ]


def _hit(
    one: _Found, terms: Sequence[str], names: Callable[[str], tuple[str, ...]], points: Points
) -> SessionHit:
    session = one.session
    return SessionHit(
        session.agent,
        session.id,
        next(iter(names(session.cwd)), ""),
        session.cwd,
        session.path,
        resume_command(session),
        replace(one.hit, text=snippet(one.hit.text, terms), details=()),
        last_before(points, session.id, one.at),
        one.before,
        one.after,
        why_no_command(session),
    )


def snippet(text: str, terms: Sequence[str]) -> str:
    """What stands around the first of the terms, on one line, without secrets and what acts on terminals."""
    at = first_hit(text, terms)
    first, last = max(0, at - _LOOKED_BACK), at + _LOOKED_AHEAD
    clean = " ".join(mask_part(text[first:last]).split())
    there = first_hit(clean, terms)
    begin, end = max(0, there - BEFORE), there + AFTER
    head = "…" if first or begin else ""
    tail = "…" if last < len(text) or end < len(clean) else ""
    return f"{head}{visible(clean[begin:end])}{tail}"
