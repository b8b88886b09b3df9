"""Claude Code's transcripts: a file of JSON lines for each session, and one for each of its subagents.

Each part of an agent's message is a line of its own. What Claude Code itself says to the model stands among
the user's messages, marked or in angle brackets, and is left out. A fork's file begins with a copy of the
other session's lines, which name that session in `forkedFrom`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.claude import install
from ctxrepo.agents.transcript import Message, SessionHead, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "*/*.jsonl"
OF_SESSION = "*/{session}.jsonl"
SUBAGENTS = "subagents/agent-*.jsonl"
QUERY = ""
SESSIONS = ""
TEXTS = ""
FOLDER_FILE = ""
RESUME = "claude --resume {session}"

_NOBODY = ("<", "[Request interrupted", "Caveat: The messages below", "This session is being continued")
"""How texts begin that stand as the user's and which nobody typed."""

_BY_AGENT = ('"type":"assistant"', '"type": "assistant"')
_BY_USER = ('"type":"user"', '"type": "user"')


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.folder(user_home, environment) / "projects"


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session."""
    folders = (text_of(said, "cwd") for said in map(record, lines) if said)
    return SessionHead(cwd=next(filter(None, folders), ""))


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; subagents and what can't be read are left
    out."""
    part_of, waiting = "", None
    for number, line in enumerate(lines):
        said = record(line) if _may_say_something(line) else None
        if said is None or said.get("isSidechain") is True:
            continue
        found = _by_agent(said) if said.get("type") == "assistant" else _by_user(said)
        if found is None:
            continue
        found = replace(found, line=number)
        name = _text(said.get("message"), "id") if found.who == "agent" else ""
        if waiting and name and name == part_of:
            waiting = _joined(waiting, found)
            continue
        if waiting:
            yield waiting
        part_of, waiting = name, found
    if waiting:
        yield waiting


def is_own_words(line: Mapping[str, Any], text: str) -> bool:
    """Whether a person wrote this text of a line: not Claude Code itself."""
    is_its_own = line.get("isMeta") is True or line.get("isCompactSummary") is True
    return not is_its_own and not text.lstrip().startswith("<")


def _may_say_something(line: str) -> bool:
    """Whether to parse the line. Most of a file is requests, and what tools gave back. No text holds these
    words in bare quotes: a quote within a text is escaped."""
    return any(kind in line for kind in _BY_AGENT) or (
        '"tool_result"' not in line and any(kind in line for kind in _BY_USER)
    )


def _by_agent(line: Mapping[str, Any]) -> Message | None:
    blocks = _blocks(line)
    text = "\n".join(text_of(block, "text") for block in blocks if block.get("type") == "text")
    tools = tuple(_tool(block) for block in blocks if block.get("type") == "tool_use")
    return _message(line, "agent", text, tools) if text or tools else None


def _by_user(line: Mapping[str, Any]) -> Message | None:
    blocks = _blocks(line)
    if line.get("type") != "user" or any(block.get("type") == "tool_result" for block in blocks):
        return None
    text = "\n".join(text_of(block, "text") for block in blocks if block.get("type") == "text")
    is_theirs = is_own_words(line, text) and not text.lstrip().startswith(_NOBODY)
    return _message(line, "user", text, ()) if text.strip() and is_theirs else None


def _message(line: Mapping[str, Any], who: Any, text: str, tools: tuple[ToolUse, ...]) -> Message:
    return Message(
        who,
        text,
        id=text_of(line, "uuid"),
        parent=text_of(line, "parentUuid"),
        session=_text(line.get("forkedFrom"), "sessionId") or text_of(line, "sessionId"),
        at=text_of(line, "timestamp"),
        tools=tools,
    )


def _joined(message: Message, more: Message) -> Message:
    """Two parts of one message; it has the id of the last, which the next message names as its parent."""
    text = "\n".join(filter(None, (message.text, more.text)))
    return replace(message, text=text, id=more.id, tools=(*message.tools, *more.tools))


def _tool(block: Mapping[str, Any]) -> ToolUse:
    given = block.get("input")
    paths = filter(None, (_text(given, name) for name in ("file_path", "notebook_path", "path")))
    return ToolUse(text_of(block, "name"), text_of(block, "id"), tuple(paths), _text(given, "command"))


def _blocks(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of its message; a mere text is a block of text."""
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(node: object, key: str) -> str:
    return text_of(node, key) if isinstance(node, dict) else ""
