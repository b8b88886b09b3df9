"""pi's transcripts: a file of JSON lines for each session, whose entries are a tree.

The first line says which session it is and, in a fork, the file of the session from which it was made, of
whose entries a copy follows. What extensions tell the model are entries of another kind, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.pi import install
from ctxrepo.agents.pi.dialect import session_of
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "**/*.jsonl"
OF_SESSION = "**/*_{session}.jsonl"
SUBAGENTS = ""
QUERY = ""
SESSIONS = ""
TEXTS = ""
FOLDER_FILE = ""
RESUME = "pi --session {session}"

_SKILL = re.compile(r'<skill name="[^"]*" location="[^"]*">\n.*?\n</skill>\s*', re.DOTALL)
"""What pi puts in the place of `/skill:NAME`, in front of what was typed behind it."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.sessions(user_home, environment)


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session."""
    for said in filter(None, map(record, lines)):
        if said.get("type") == "session":
            return SessionHead(text_of(said, "id"), text_of(said, "cwd"))
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, in the order in which it was said; what can't be read is left
    out.

    A message's parent is the last one before it on its branch. In a fork, what was said before it was made
    belongs to the session from which it was made.
    """
    session = origin = made = ""
    above: dict[str, str] = {}
    for number, line in enumerate(lines):
        said = record(line)
        if said is None:
            continue
        if said.get("type") == "session":
            session, made = text_of(said, "id"), text_of(said, "timestamp")
            origin = session_of(text_of(said, "parentSession"))
            continue
        name, parent = text_of(said, "id"), text_of(said, "parentId")
        is_copy = bool(origin) and text_of(said, "timestamp") < made
        found = _message(said, above.get(parent, parent), origin if is_copy else session)
        above[name] = name if found else above.get(parent, parent)
        if found:
            yield replace(found, line=number)


def _message(entry: Mapping[str, Any], parent: str, session: str) -> Message | None:
    message = entry.get("message")
    if entry.get("type") != "message" or not isinstance(message, dict):
        return None
    blocks, role = _blocks(message), message.get("role")
    text = "\n".join(text_of(block, "text") for block in blocks if block.get("type") == "text")
    tools = tuple(_tool(block) for block in blocks if block.get("type") == "toolCall")
    if role == "user":
        text, tools = _SKILL.sub("", text, count=1), ()
    if role not in ("user", "assistant") or not (text.strip() or tools):
        return None
    return Message(
        "user" if role == "user" else "agent",
        text,
        id=text_of(entry, "id"),
        parent=parent,
        session=session,
        at=text_of(entry, "timestamp"),
        tools=tools,
    )


def _tool(block: Mapping[str, Any]) -> ToolUse:
    given = block.get("arguments")
    given = given if isinstance(given, dict) else {}
    paths = tuple(filter(None, [text_of(given, "path")]))
    return ToolUse(text_of(block, "name"), text_of(block, "id"), paths, text_of(given, "command"))


def _blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message; a mere text is a block of text."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
