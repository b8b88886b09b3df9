"""What was said in a session, as an agent's own transcript tells it, whichever agent it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal

from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class ToolUse:
    """A tool that the agent used: the files that it named, as the agent writes them, and the command line
    that it ran in a shell."""

    name: str
    id: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Message:
    """A message of a session. What an agent doesn't record is ''.

    `id` names it in the transcript, and `parent` the message that it follows: together they are a tree where
    a session has branches. `session` is the one in which it was said first: another one's, where a session
    begins with a copy of the conversation from which it was forked. `at` is ISO 8601 in UTC. `line` is the
    number of the line on which it begins, from 0 among those that were given.
    """

    who: Literal["user", "agent"]
    text: str
    id: str = ""
    parent: str = ""
    session: str = ""
    at: str = ""
    tools: tuple[ToolUse, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class SessionHead:
    """What the first lines of a transcript tell of its session: its id, '' where the file is named after it,
    and the folder in which it was begun."""

    id: str = ""
    cwd: str = ""


def prompts(messages: Iterable[Message]) -> Iterator[str]:
    """What the user said, in their own words."""
    return (message.text for message in messages if message.who == "user" and message.text.strip())


def reply(messages: Iterable[Message]) -> str:
    """The agent's last message to its user that says something; '' without one."""
    return next((m.text for m in reversed([*messages]) if m.who == "agent" and m.text), "")
