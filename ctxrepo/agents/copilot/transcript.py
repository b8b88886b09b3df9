"""Copilot CLI's transcripts: a folder for each session, and in it a file of events, a line of JSON each.

What its subagents say and are told stands among the session's own events, each with an `agentId`, and is left
out. A user's message is recorded twice, as it was typed (`content`) and with what was added to it. What a
hook gave at the start isn't recorded as said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.agents.copilot import install
from ctxrepo.agents.transcript import Message, SessionHead, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "*/events.jsonl"
OF_SESSION = "{session}/events.jsonl"
SUBAGENTS = ""
QUERY = ""
SESSIONS = ""
TEXTS = ""
FOLDER_FILE = ""
RESUME = "copilot --resume={session}"

_SAYING = ('"session.start"', '"user.message"', '"assistant.message"')
"""What stands, in bare quotes, in the lines that are parsed: most of a file is what tools gave back."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.folder(user_home, environment) / "session-state"


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session."""
    for event in filter(None, map(record, lines)):
        data = event.get("data")
        if event.get("type") == "session.start" and isinstance(data, dict):
            around = data.get("context")
            return SessionHead(
                text_of(data, "sessionId"), text_of(around, "cwd") if isinstance(around, dict) else ""
            )
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; subagents and what can't be read are left
    out."""
    session, parent = "", ""
    for number, line in enumerate(lines):
        event = record(line) if any(kind in line for kind in _SAYING) else None
        data = event.get("data") if event else None
        if event is None or not isinstance(data, dict) or text_of(event, "agentId"):
            continue
        kind = event.get("type")
        if kind == "session.start":
            session = text_of(data, "sessionId")
        text = text_of(data, "content")
        tools = _tools(data) if kind == "assistant.message" else ()
        is_users = kind == "user.message" and _is_own_words(data)
        if (is_users and text.strip()) or (kind == "assistant.message" and (text or tools)):
            made = Message(
                "user" if is_users else "agent",
                text,
                id=text_of(event, "id"),
                parent=parent,
                session=session,
                at=text_of(event, "timestamp"),
                tools=tools,
                line=number,
            )
            parent = made.id
            yield made


def _is_own_words(data: Mapping[str, Any]) -> bool:
    """Whether a person wrote the message: where somebody else did, its `source` says who."""
    return text_of(data, "source") in ("", "user")


def _tools(data: Mapping[str, Any]) -> tuple[ToolUse, ...]:
    asked = data.get("toolRequests")
    return tuple(_tool(one) for one in asked if isinstance(one, dict)) if isinstance(asked, list) else ()


def _tool(asked: Mapping[str, Any]) -> ToolUse:
    given = asked.get("arguments")
    path, command = (text_of(given, key) if isinstance(given, dict) else "" for key in ("path", "command"))
    return ToolUse(
        text_of(asked, "name"), text_of(asked, "toolCallId"), tuple(filter(None, (path,))), command
    )
