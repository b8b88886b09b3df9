"""A message of a session as it is searched and shown: what was said, and what tools were given."""

import re

from ctxrepo.agents.recorded import Message
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.cache.layout import spelled_out
from ctxrepo.storage.sessions.session_index import (
    BY_AGENT,
    IS_COPY,
    USED_TOOLS,
    IndexedSession,
    NewMessage,
)

MOST_CHARACTERS = 100_000
"""Of a longer message the rest isn't searched."""

_BLOCK = lazy_pattern(r'<ctxrepo-memory tag="(\w+)">.*?(?:</ctxrepo-memory tag="\1">|\Z)', re.DOTALL)
"""What our hooks give, where an agent repeats it."""


def said(message: Message) -> str:
    """What was said, without what our hooks gave."""
    return _BLOCK.sub("", message.text).strip() if "<" in message.text else message.text.strip()


def shown_text(message: Message) -> str:
    """What was said, and a line for each tool with what it was given."""
    lines = [f"[{tool.name}] {' '.join((tool.command, *tool.paths)).strip()}" for tool in message.tools]
    return "\n".join(filter(None, (said(message), *lines)))


def words_of(message: Message) -> str:
    """What a message is found by."""
    given = [word for tool in message.tools for word in (tool.command, *tool.paths)]
    return "\n".join(filter(None, (said(message), *given)))[:MOST_CHARACTERS]


def new_message(
    message: Message, session: IndexedSession, place: int, key: int, *, is_named: bool = False, at: int = 0
) -> NewMessage | None:
    """The message for the index, at `place` in the transcript of `session`; None where nothing can be found
    in it. `at` is when, for an agent that doesn't record that."""
    words = words_of(message)
    if not words.strip():
        return None
    is_copy = bool(message.session) and message.session != session.id
    traits = (BY_AGENT if message.who == "agent" else 0) | (IS_COPY if is_copy else 0)
    traits |= USED_TOOLS if message.tools else 0
    spelled = spelled_out(words)
    return NewMessage(
        key,
        traits,
        int(seconds_of(message.at) or at),
        place,
        message.id if is_named else "",
        len(words),
        f"{words}\n{spelled}" if spelled else words,
        tuple(dict.fromkeys(path for tool in message.tools for path in tool.paths if path)),
    )


def key_of(message: Message, agent: str, session: str, place: int) -> int:
    """A number that a message shares with its copies only. A fork's copies keep their moment, which agents
    record in milliseconds, and not always their id; a message without a moment counts as one without
    copies."""
    where = () if "." in message.at else (session, str(place))
    parts = (agent, message.who, message.at, *where, words_of(message))
    data = "\0".join(parts).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)
