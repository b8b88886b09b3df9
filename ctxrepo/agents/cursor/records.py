"""Cursor's transcripts: a file of JSON lines for each conversation, `{"role", "message": {"content"}}`.

A line names neither itself nor a moment, so messages have no id, and stand in their order. What the user
typed is in `<user_query>` tags; what Cursor says to the model besides stands in tags of other names. The form
is undocumented, and known from those who publish readers of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.agents.cursor import install
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.lazy import lazy_pattern

PATTERN = "*/agent-transcripts/*/*.jsonl"
OF_SESSION = "*/agent-transcripts/{session}/{session}.jsonl"
SUBAGENTS = ""  # they are in `subagents/` beside the session's file, and nothing of ours is recorded in them
QUERY = ""
SESSIONS = ""
TEXTS = ""
FOLDER_FILE = ""
RESUME = "cursor-agent --resume {session}"

_TYPED = lazy_pattern(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are."""
    return install.folder(user_home, environment) / "projects"


def head(_: Iterable[str], /) -> SessionHead:
    """Nothing: the file is named after the session, and its folder isn't told."""
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; what can't be read is left out."""
    for number, line in enumerate(lines):
        said = record(line) or {}
        blocks = _blocks(said)
        text = "\n".join(text_of(block, "text") for block in blocks if block.get("type") == "text")
        if said.get("role") == "user" and (words := _typed(text)):
            yield Message("user", words, line=number)
        elif said.get("role") == "assistant":
            tools = tuple(_tool(block) for block in blocks if block.get("type") == "tool_use")
            if text.strip() or tools:
                yield Message("agent", text.strip(), tools=tools, line=number)


def _typed(text: str) -> str:
    """What a person typed of a user's message: all of it, where nothing is in tags."""
    found = "\n".join(_TYPED.findall(text))
    return found or ("" if text.lstrip().startswith("<") else text.strip())


def _tool(block: Mapping[str, Any]) -> ToolUse:
    given = block.get("input")
    given = given if isinstance(given, dict) else {}
    names = ("path", "file_path", "target_file", "target_notebook")
    paths = tuple(filter(None, (text_of(given, name) for name in names)))
    return ToolUse(text_of(block, "name"), text_of(block, "id"), paths, text_of(given, "command"))


def _blocks(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of its message; a mere text is a block of text."""
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
