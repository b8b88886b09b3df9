"""A message of a session as it is searched and shown: what was said, and what tools were given."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ctxrepo.agents.recorded import Message
from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.question.message_traits import (
    BY_AGENT,
    FINDS_NOTHING,
    IS_COPY,
    IS_SILENT,
    SEARCHES,
    TOLD_BITS,
    USED_TOOLS,
)
from ctxrepo.domain.question.question_terms import question_terms, telling_runs
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.cache.layout import spelled_out
from ctxrepo.storage.sessions.session_index import IndexedSession, MessageRow, NewMessage

MOST_CHARACTERS = 100_000
"""Of a longer message the rest isn't searched."""

_BLOCK = lazy_pattern(r'<ctxrepo-memory tag="(\w+)">.*?(?:</ctxrepo-memory tag="\1">|\Z)', re.DOTALL)
"""What our hooks give, where an agent repeats it."""

_SHORT = 120
"""Characters of a message that may be no more than a question."""

_SEARCH = lazy_pattern(r"\bctxrepo['\"]?(?: +--?\S+)* +(?:search|recall|tape +search)\b")
"""A command line in which the memory or past sessions are searched."""


def _finds_nothing(text: str) -> bool:
    """Whether an agent says in a short message that it found nothing. Most have none of the words, which is
    cheaper to see than that none of the patterns is there."""
    begins, patterns = _nothing()
    low = text.lower()
    return any(word in low for word in begins) and bool(patterns.search(low))


@cache
def _nothing() -> tuple[Sequence[str], re.Pattern[str]]:
    """Words of which each such message has one, and patterns."""
    words, *patterns = [
        line for line in text_beside(__spec__, "nothing.patterns").splitlines() if not line.startswith("#")
    ]
    return words.split("|"), re.compile("|".join(patterns))


def searches(message: Message) -> bool:
    """Whether a tool searched the memory or past sessions."""
    return any("ctxrepo" in tool.command and _SEARCH.search(tool.command) for tool in message.tools)


def said(message: Message) -> str:
    """What was said, without what our hooks gave."""
    return _BLOCK.sub("", message.text).strip() if "<" in message.text else message.text.strip()


def shown_text(message: Message) -> str:
    """What was said, and a line for each tool with what it was given."""
    lines = [f"[{tool.name}] {' '.join((tool.command, *tool.paths)).strip()}" for tool in message.tools]
    return "\n".join(filter(None, (said(message), *lines)))


def given_to_tools(message: Message) -> str:
    """The commands and files that tools were given."""
    return "\n".join(word for tool in message.tools for word in (tool.command, *tool.paths) if word)


def words_of(message: Message) -> str:
    """What was said, and what tools were given."""
    return "\n".join(filter(None, (said(message), given_to_tools(message))))[:MOST_CHARACTERS]


class PlacedMessage(NamedTuple):
    """A message at its place in a transcript; `key` is that of what was really said, whatever of the message
    is left out, and `name` its id where it is asked for by that, as in a database."""

    key: int
    place: int
    name: str
    message: Message


def new_messages(
    messages: Iterable[PlacedMessage], session: IndexedSession, mtime: int, traits: int = 0
) -> Iterator[NewMessage]:
    """The messages of a session for the index, but for those in which nothing can be found; all have these
    `traits`. Of an agent that doesn't record when, the transcript was written at `mtime`, in nanoseconds."""
    for one in messages:
        if new := _new_message(one, session, mtime // 1_000_000_000, traits):
            yield new


def _new_message(placed: PlacedMessage, session: IndexedSession, at: int, traits: int) -> NewMessage | None:
    """What a tool searched the memory for is left out: whoever looks for it later would find the question."""
    message = placed.message
    text, given = said(message)[:MOST_CHARACTERS], given_to_tools(message)[:MOST_CHARACTERS]
    if not (text or given.strip()):
        return None
    does_search, is_agents = searches(message), message.who == "agent"
    given = "" if does_search else given
    traits |= (BY_AGENT if is_agents else 0) | (USED_TOOLS if message.tools else 0)
    traits |= IS_COPY if message.session and message.session != session.id else 0
    traits |= (0 if text else IS_SILENT) | (SEARCHES if does_search else 0)
    if len(text) <= _SHORT:
        traits |= _told(text) if not is_agents else FINDS_NOTHING if _finds_nothing(text) else 0
    when = int(seconds_of(message.at) or at)
    row = MessageRow(0, 0, placed.key, traits, when, placed.place, placed.name, len(text), 0)
    paths = tuple(dict.fromkeys(path for tool in message.tools for path in tool.paths if path))
    return NewMessage(row, _spelled(text), _spelled(given), paths)


def _spelled(text: str) -> str:
    spelled = spelled_out(text)
    return f"{text}\n{spelled}" if spelled else text


def _told(text: str) -> int:
    """How many telling words a user's message has, as its traits say it."""
    count = telling_runs(text) if text.isascii() else len(question_terms(text))
    return count << TOLD_BITS


def placed_messages(
    messages: Iterable[Message], places: Sequence[int], session: IndexedSession, *, is_named: bool
) -> list[PlacedMessage]:
    """Messages of a session, whose lines stand at these places; if `is_named` they are asked for by ids."""
    return [
        PlacedMessage(key_of(m, session.agent, session.id, place), place, m.id if is_named else "", m)
        for m in messages
        for place in (places[m.line],)
    ]


def key_of(message: Message, agent: str, session: str, place: int) -> int:
    """A number that a message shares with its copies only. A fork's copies keep their moment, which agents
    record in milliseconds, and not always their id; a message without a moment counts as one without
    copies."""
    where = () if "." in message.at else (session, str(place))
    parts = (agent, message.who, message.at, *where, words_of(message))
    data = "\0".join(parts).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)
