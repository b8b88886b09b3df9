"""pi's transcripts: a file of JSON lines for each session, whose entries are a tree.

The first line says which session it is and, in a fork, the file of the session from which it was made, of
whose entries a copy follows. What extensions tell the model are entries of another kind, and are left out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.pi import install
from ctxrepo.agents.pi.dialect import session_of
from ctxrepo.agents.recorded import Message, SessionHead, blocks_of, table, text_in, tool_use
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "**/*.jsonl"
OF_SESSION = "**/*_{session}.jsonl"
SUBAGENTS = QUERY = SESSIONS = TEXTS = FOLDER_FILE = ""
RESUME = "pi --session {session}"

_SKILL = re.compile(r'\s*<skill name="[^"]*" location="[^"]*">\n.*?\n</skill>\s*', re.DOTALL)
"""What pi puts in the place of `/skill:NAME`, in front of what was typed behind it."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.sessions(user_home, environment)


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session."""
    for fields in filter(None, map(record, lines)):
        if fields.get("type") == "session":
            return SessionHead(text_of(fields, "id"), text_of(fields, "cwd"))
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, in the order in which it was said; what can't be read is left
    out.

    A message's parent is the last one before it on its branch. In a fork, what was said before it was made
    belongs to the session from which it was made."""
    session = origin = made = ""
    above: dict[str, str] = {}
    for number, line in enumerate(lines):
        fields = record(line)
        if fields is None:
            continue
        if fields.get("type") == "session":
            session, made = text_of(fields, "id"), text_of(fields, "timestamp")
            origin = session_of(text_of(fields, "parentSession"))
            continue
        name, parent = text_of(fields, "id"), text_of(fields, "parentId")
        is_copy = bool(origin) and text_of(fields, "timestamp") < made
        message = _message(fields, above.get(parent, parent), origin if is_copy else session)
        above[name] = name if message else above.get(parent, parent)
        if message:
            yield replace(message, line=number)


def _message(entry: Mapping[str, Any], parent: str, session: str) -> Message | None:
    message = table(entry, "message")
    if entry.get("type") != "message":
        return None
    blocks, role = blocks_of(message), message.get("role")
    text = text_in(blocks)
    tools = tuple(tool_use(block, "arguments", "path") for block in blocks if block.get("type") == "toolCall")
    if role == "user":
        skill = _SKILL.match(text)
        text, tools = text[skill.end() :] if skill else text, ()
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
