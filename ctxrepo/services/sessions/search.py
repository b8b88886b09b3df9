"""What was said in agents' sessions is found by its words, and shown with what stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from ctxrepo.domain.project.layout import visible
from ctxrepo.domain.secrets import mask_part
from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.domain.tape.conversation import SessionMessage
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.messages import (
    NEIGHBOUR_CHARS,
    FoundMessage,
    MessageQuery,
    find_messages,
    moment_of,
)
from ctxrepo.services.sessions.points import Points, last_before, points_of
from ctxrepo.services.sessions.query import first_hit, terms_of
from ctxrepo.services.sessions.where import Projects, SessionFilter, resume_command, why_no_command
from ctxrepo.services.transcripts.conversations import shown
from ctxrepo.storage.memory import Memory

BEFORE, AFTER = 80, 120
"""Characters that are shown before and from the first hit."""

_LOOKED_BACK, _LOOKED_AHEAD = 128 * 1024, 4096
"""Characters before and from a hit that are looked at for secrets, before they are cut to what is shown: a
private key is known by its first line, thousands of characters before its last."""

_NEIGHBOUR_SHOWN = 200
"""Characters that are shown of a message beside a hit."""


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


def search_sessions(memory: Memory, asked: SessionQuery) -> list[SessionHit]:
    """At most `limit` hits, the best first, and of equally good ones the newest; NotFound when there is none.

    The index must have been brought up to date.
    """
    if not (terms_of(asked.text) or asked.file or asked.is_by_user):
        raise UsageError("there is nothing to search for", "Give a word, or --file, or --user.")
    wanted = SessionFilter(Projects(memory), asked.agent, asked.project)
    messages = find_messages(
        memory,
        MessageQuery(
            text=asked.text,
            wants_session=lambda session: wanted.wants(session.agent, session.cwd),
            types=("user",) if asked.is_by_user else (),
            file=asked.file,
            since=asked.since,
            here=asked.here,
            context=asked.context,
            limit=asked.limit,
        ),
    )
    if not messages:
        raise NotFound(f"nothing found for {asked.text or asked.file!r} in agents' sessions")
    points = points_of(memory, frozenset(found.session.id for found in messages))
    terms = terms_of(asked.text)
    return [_hit(found, terms, wanted.projects, points) for found in _with_neighbours_shown(messages)]


def _with_neighbours_shown(messages: Sequence[FoundMessage]) -> list[FoundMessage]:
    """The same with the messages on either side as they are shown. Secrets are looked for in all of them at
    once: most are short, and each search costs something before it reads."""
    neighbours = [other for found in messages for other in (*found.before, *found.after)]
    sides = iter(shown(neighbours, _NEIGHBOUR_SHOWN, NEIGHBOUR_CHARS))
    return [
        found._replace(before=[*islice(sides, len(found.before))], after=[*islice(sides, len(found.after))])
        for found in messages
    ]


def _hit(found: FoundMessage, terms: Sequence[str], projects: Projects, points: Points) -> SessionHit:
    session = found.session
    message = replace(found.message, session=session.id, when=moment_of(found.at))
    return SessionHit(
        session.agent,
        session.id,
        projects.name_of(session.cwd),
        session.cwd,
        session.path,
        resume_command(session),
        replace(message, text=snippet(found.text, terms), details=()),
        last_before(points, session.id, found.at),
        found.before,
        found.after,
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
