"""The words of a message by which it is found and shown: what was said, and what tools were given."""

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
    TELLING_BITS,
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
"""Text that our hooks gave to the agent, and that it recorded as part of a message."""

_SHORT = 120
"""Most characters of a message that may be nothing but a question, or the answer that nothing was found."""

_SEARCH = lazy_pattern(r"\bctxrepo['\"]?(?: +--?\S+)* +(?:search|recall|tape +search)\b")
"""A command line in which the memory or past sessions are searched."""


def _finds_nothing(text: str) -> bool:
    """Whether an agent says in a short message that it found nothing. Most messages have none of the words,
    which is cheaper to test than the patterns."""
    any_of, patterns = _nothing()
    low = text.lower()
    return any(word in low for word in any_of) and bool(patterns.search(low))


@cache
def _nothing() -> tuple[Sequence[str], re.Pattern[str]]:
    """Words of which each message that says so has one, and a pattern that matches it."""
    words, *patterns = [
        line for line in text_beside(__spec__, "nothing.patterns").splitlines() if not line.startswith("#")
    ]
    return words.split("|"), re.compile("|".join(patterns))


def spoken_text(message: Message) -> str:
    """What was said, without what our hooks gave."""
    return _BLOCK.sub("", message.text).strip() if "<" in message.text else message.text.strip()


def searchable_text(message: Message) -> str:
    """What was said, and a line for each tool with what it was given."""
    lines = [f"[{tool.name}] {' '.join((tool.command, *tool.paths)).strip()}" for tool in message.tools]
    return "\n".join(filter(None, (spoken_text(message), *lines)))


def given_to_tools(message: Message) -> str:
    """The commands and files that tools were given."""
    return "\n".join(word for tool in message.tools for word in (tool.command, *tool.paths) if word)


def words_of(message: Message) -> str:
    """What was said, and what tools were given."""
    return "\n".join(filter(None, (spoken_text(message), given_to_tools(message))))[:MOST_CHARACTERS]


class PlacedMessage(NamedTuple):
    """A message at its place in a transcript. `key` is computed from the whole message, even where secrets in
    `message` are masked; `name` is its id, in a database where messages are read by id."""

    key: int
    place: int
    name: str
    message: Message


def new_messages(
    messages: Iterable[PlacedMessage], session: IndexedSession, mtime: int, traits: int = 0
) -> Iterator[NewMessage]:
    """The messages of a session for the index, without empty ones; all of them have these `traits`. A message
    without a moment gets `mtime`, when the transcript was written, in nanoseconds."""
    for placed in messages:
        if new := _new_message(placed, session, mtime // 1_000_000_000, traits):
            yield new


def _new_message(placed: PlacedMessage, session: IndexedSession, at: int, traits: int) -> NewMessage | None:
    """None for an empty message. Words for which a tool searched the memory are left out: a later search
    would find that question instead of its answer."""
    message = placed.message
    text, tool_input = spoken_text(message)[:MOST_CHARACTERS], given_to_tools(message)[:MOST_CHARACTERS]
    if not (text or tool_input.strip()):
        return None
    searches = any("ctxrepo" in tool.command and _SEARCH.search(tool.command) for tool in message.tools)
    is_by_agent = message.who == "agent"
    tool_input = "" if searches else tool_input
    traits |= (BY_AGENT if is_by_agent else 0) | (USED_TOOLS if message.tools else 0)
    traits |= IS_COPY if message.session and message.session != session.id else 0
    traits |= (0 if text else IS_SILENT) | (SEARCHES if searches else 0)
    if len(text) <= _SHORT and is_by_agent:
        traits |= FINDS_NOTHING if _finds_nothing(text) else 0
    elif len(text) <= _SHORT:
        count = telling_runs(text) if text.isascii() else len(question_terms(text))
        traits |= count << TELLING_BITS
    when = int(seconds_of(message.at) or at)
    row = MessageRow(0, 0, placed.key, traits, when, placed.place, placed.name, len(text), 0)
    paths = tuple(dict.fromkeys(path for tool in message.tools for path in tool.paths if path))
    return NewMessage(row, _with_parts(text), _with_parts(tool_input), paths)


def _with_parts(text: str) -> str:
    """A text with the parts of its compound words behind it, such as `get` and `name` of `getName`."""
    spelled = spelled_out(text)
    return f"{text}\n{spelled}" if spelled else text


def placed_messages(
    messages: Iterable[Message], places: Sequence[int], session: IndexedSession, *, is_named: bool
) -> list[PlacedMessage]:
    """Messages of a session, at the places of their lines; if `is_named`, they are read by their ids."""
    return [
        PlacedMessage(key_of(m, session.agent, session.id, place), place, m.id if is_named else "", m)
        for m in messages
        for place in (places[m.line],)
    ]


def key_of(message: Message, agent: str, session: str, place: int) -> int:
    """A 64-bit number that a message shares with its copies only. A fork's copies keep their moment, which
    agents record in milliseconds, but not always their id. A message without such a moment has no copies."""
    where = () if "." in message.at else (session, str(place))
    parts = (agent, message.who, message.at, *where, words_of(message))
    data = "\0".join(parts).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)
