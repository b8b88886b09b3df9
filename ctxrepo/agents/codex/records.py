"""Codex' transcripts: a file of JSON lines for each session, which it calls a rollout.

What user and agent said, and what tools did, are `item_completed` events; the messages of `response_item`
hold what Codex and hooks told the model as well. A fork's file begins where it was forked, and its
`session_meta` names the other session."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.agents.codex import install
from ctxrepo.agents.codex.dialect import files_of
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, table, tables
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
    for fields in filter(None, map(record, lines)):
        if fields.get("type") == "session_meta" and (payload := table(fields, "payload")):
            return SessionHead(text_of(payload, "id"), text_of(payload, "cwd"))
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said, oldest first, with the tools that the agent used before it said something."""
    tools: list[ToolUse] = []
    before, first = "", -1
    for number, line in enumerate(lines):
        fields = record(line) if any(kind in line for kind in _SAYING) else None
        payload = table(fields or {}, "payload")
        if fields is None or not payload:
            continue
        calls = [*_tools(payload)]
        first = number if calls and not tools else first
        tools += calls
        item = table(payload, "item")
        kind = text_of(item, "type")
        if text_of(payload, "type") != "item_completed" or kind not in ("UserMessage", "AgentMessage"):
            continue
        parts = tables(item.get("content"))
        text = "\n".join(text_of(part, "text") for part in parts if text_of(part, "type").lower() == "text")
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
            at=text_of(fields, "timestamp"),
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
        arguments = record(text_of(payload, "arguments")) or {}
        yield ToolUse(name, call, (), text_of(arguments, "cmd") or text_of(arguments, "command"))
