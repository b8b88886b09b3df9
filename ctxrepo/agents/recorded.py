"""What agents record of their sessions, whichever agent it is: what was said, and what our hooks did."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache, reduce
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath
from typing import Literal

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.lazy import dataclass, lazy_pattern

Fate = Literal["sent", "cut", "lost", "open"]
Speaker = Literal["user", "agent"]


@dataclass(frozen=True)
class HookCall:
    """A hook of ours that was called; `took` is in milliseconds, None where it isn't recorded.

    `ended`: the agent ended it before it was done. `is_surely_ours` is False where the records don't say
    whose hook it was. `words` is the beginning of what it complained of."""

    event: str
    at: str
    outcome: Literal["ran", "failed", "ended"]
    took: int | None = None
    words: str = ""
    is_surely_ours: bool = True


@dataclass(frozen=True)
class Delivery:
    """Something a hook of ours gave the agent for the model, `size` in bytes, and what became of it.

    `sent`: it stands whole in a recorded request. `cut`: the agent shortened it. `lost`: requests came after
    it, and none holds it. `open`: no request after it is recorded."""

    event: str
    at: str
    size: int
    fate: Fate


@dataclass(frozen=True)
class RecordedSession:
    """One session. Moments are as the agent writes them, ISO 8601 in UTC."""

    id: str
    began: str
    last: str
    cwd: str
    happened: Mapping[str, int] = field(default_factory=dict)
    """How often there was cause to call a hook of this event, as far as the conversation shows."""
    calls: tuple[HookCall, ...] = ()
    given: tuple[Delivery, ...] = ()

    def with_part(self, part: "RecordedSession") -> "RecordedSession":
        """The session with what a subagent of it did, which is recorded apart."""
        return replace(
            self,
            last=max(self.last, part.last),
            happened={event: n + part.happened.get(event, 0) for event, n in self.happened.items()},
            calls=self.calls + part.calls,
            given=self.given + part.given,
        )


@dataclass(frozen=True)
class ToolUse:
    """A tool that the agent used, with the files that it named and the command line that it ran."""

    name: str
    paths: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Message:
    """A message of a session. What an agent doesn't record is ''.

    `id` names it in the transcript, and `parent` the message that it follows: together they are a tree where
    a session has branches. `session` is the one in which it was said first: another one's, where a session
    begins with a copy of the conversation from which it was forked. `at` is ISO 8601 in UTC. `line` is the
    number of the line on which it begins, from 0 among those that were given."""

    who: Speaker
    text: str
    id: str = ""
    parent: str = ""
    session: str = ""
    at: str = ""
    tools: tuple[ToolUse, ...] = ()
    line: int = field(default=0, compare=False)

    def joined_with(self, more: "Message") -> "Message":
        """This part of a message and the next; the id is that of the last part, which an answer names."""
        text = "\n".join(filter(None, (self.text, more.text)))
        return replace(self, text=text, id=more.id, tools=(*self.tools, *more.tools))


def joined(parts: Iterable[tuple[str, Message]]) -> Iterator[Message]:
    """The messages whose parts these are: those of one name that follow one another. Without a name a part is
    a whole message."""
    for name, run in groupby(parts, itemgetter(0)):
        messages = [message for _, message in run]
        yield from [reduce(Message.joined_with, messages)] if name else messages


@dataclass(frozen=True)
class SessionHead:
    """A session's id, '' where the file is named after it, and the folder in which it was begun."""

    id: str = ""
    cwd: str = ""


def session_named(file: str, of_session: str) -> str:
    """The session that a transcript at this place is named after, by the agent's patterns `OF_SESSION`: the
    folder that stands there for its id, else the file's name without its ending."""
    return form_of(file, of_session)[1]


def form_of(file: str, of_session: str) -> tuple[int, str]:
    """(which of these patterns a transcript fits, from 0; the session that it is named after)"""
    looks = _looks(of_session)
    number, match = next(((n, m) for n, look in enumerate(looks) if (m := look.fullmatch(file))), (0, None))
    folder = match.groupdict().get("folder") if match else None
    return number, folder or PurePath(file).stem


@cache
def _looks(of_session: str) -> list[re.Pattern[str]]:
    """How paths look that fit these patterns, each with its folder that is named after the session."""
    folders = (pattern.replace("{session}/", "<folder>/") for pattern in of_session.split("|"))
    quoted = (re.escape(_ID.sub("*", pattern)).replace("\\*", "[^/]*") for pattern in folders)
    return [
        re.compile("(?:.*/)?" + look.replace("<folder>", "(?P<folder>[^/]*)"), re.DOTALL) for look in quoted
    ]


_ID = lazy_pattern(r"\{session[^}]*\}")
"""What stands for a session's id in a pattern."""


def prompts(messages: Iterable[Message]) -> Iterator[str]:
    """What the user said, in their own words."""
    return (message.text for message in messages if message.who == "user" and message.text.strip())


def reply(messages: Iterable[Message]) -> str:
    """The agent's last message to its user that says something; '' without one."""
    return next((m.text for m in reversed([*messages]) if m.who == "agent" and m.text), "")


@cache
def _not_typed() -> re.Pattern[str]:
    """What agents, editors and hooks put among a user's words, by the tags that they have ever used."""
    rows = text_beside(__spec__, "not_typed.tags").splitlines()
    tags = "|".join(row for row in rows if row and row[0] != "#")
    return re.compile(
        rf"<({tags})(?: [^<>]{{0,500}})?>((?:(?!<\1[ >]).)*?)</\1(?: [^<>]{{0,100}})?>\s*", re.DOTALL
    )


_BY_HAND = ("command-args", "bash-input", "user-memory-input", "user_shell_command")
"""The tags among these around what a person typed."""

_COMMAND = lazy_pattern(r"\s*<command>(.*?)</command>.*", re.DOTALL)
"""What a person had run, in front of what came of it."""


def typed(text: str) -> str:
    """What a person typed of a text that stands as theirs, and other tags, which are theirs: of a command of
    the agent's what they gave it."""
    if "<" not in text:
        return text.strip()
    return _not_typed().sub(_by_hand, text).strip()


def _by_hand(tag: re.Match[str]) -> str:
    """What of a block was typed; a blank, where words before and behind it were parted."""
    if tag[1] not in _BY_HAND:
        return " " if tag[0][-1].isspace() and not tag.string[max(0, tag.start() - 1)].isspace() else ""
    command = _COMMAND.fullmatch(tag[2])
    return f"{(command[1] if command else tag[2]).strip()} "


OPENED = lazy_pattern(r'<ctxrepo-memory tag="(\w+)">')
_CLOSED = lazy_pattern(r'</ctxrepo-memory tag="(\w+)">')
MOMENT = lazy_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")

MAX_WORDS = 200
"""Characters of what a hook complained of."""


def whole_blocks(text: str) -> set[str]:
    """The tags of our blocks that stand whole in a text."""
    return set(OPENED.findall(text)) & set(_CLOSED.findall(text))
