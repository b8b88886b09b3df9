"""Codex' transcripts: a file of JSON lines for each session, which it calls a rollout.

What user and agent said, and what tools did, are `item_completed` events; the messages of `response_item`
hold what Codex and hooks told the model as well. A fork's file begins where it was forked, and its
`session_meta` names the other session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.agents.codex import install
from ctxrepo.agents.codex.dialect import files_of
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "*/*/*/rollout-*.jsonl"
OF_SESSION = "*/*/*/rollout-*-{session}.jsonl"
SUBAGENTS = ""
QUERY = ""
SESSIONS = ""
TEXTS = ""
FOLDER_FILE = ""
RESUME = "codex resume {session}"

_PATCH = "apply_patch"

_SAYING = ('"UserMessage"', '"AgentMessage"', '"function_call"', '"custom_tool_call"')
"""What stands, in bare quotes, in the lines that are parsed: most of a file is what tools gave back."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.folder(user_home, environment) / "sessions"


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session."""
    for said in filter(None, map(record, lines)):
        payload = said.get("payload")
        if said.get("type") == "session_meta" and isinstance(payload, dict):
            return SessionHead(text_of(payload, "id"), text_of(payload, "cwd"))
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first, with the tools that the agent used before it
    said something."""
    tools: list[ToolUse] = []
    before, first = "", -1
    for number, line in enumerate(lines):
        said = record(line) if any(kind in line for kind in _SAYING) else None
        payload = said.get("payload") if said else None
        if said is None or not isinstance(payload, dict):
            continue
        asked = [*_tools(payload)]
        first = number if asked and not tools else first
        tools += asked
        item = payload.get("item")
        if not isinstance(item, dict):
            continue
        kind = text_of(item, "type")
        if text_of(payload, "type") != "item_completed" or kind not in ("UserMessage", "AgentMessage"):
            continue
        text = "\n".join(_texts(item))
        if not text.strip():
            continue
        begins = first if kind == "AgentMessage" and tools else number
        used, tools = (tuple(tools), []) if kind == "AgentMessage" else ((), tools)
        yield Message(
            "agent" if kind == "AgentMessage" else "user",
            text,
            id=text_of(item, "id"),
            parent=before,
            session=text_of(payload, "thread_id"),
            at=text_of(said, "timestamp"),
            tools=used,
            line=begins,
        )
        before = text_of(item, "id")


def _tools(payload: Mapping[str, Any]) -> Iterator[ToolUse]:
    """The tool that the model asked for in this line of a rollout."""
    kind, name, call = (text_of(payload, key) for key in ("type", "name", "call_id"))
    if kind == "custom_tool_call" and name == _PATCH:
        paths = tuple(file.path for file in files_of(text_of(payload, "input")))
        yield ToolUse(name, call, paths)
    elif kind in ("custom_tool_call", "function_call"):
        given = record(text_of(payload, "arguments")) or {}
        yield ToolUse(name, call, (), text_of(given, "cmd") or text_of(given, "command"))


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    content = item.get("content")
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and text_of(part, "type").lower() == "text":
            yield text_of(part, "text")
