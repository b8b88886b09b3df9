"""Codex' transcripts: a file of JSON lines for each session, which it calls a rollout.

What user and agent said are `item_completed` events, in versions before 0.147 `user_message` and
`agent_message`. The messages for the model, which are `response_item`s, in 2025 without an envelope, hold
what Codex and hooks told it as well: they count where no event tells what was said. A fork's file begins
where it was forked, and its `session_meta` names the other session."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.codex import install
from ctxrepo.agents.codex.dialect import files_of
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, blocks_of, table, typed
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.lazy import lazy_pattern

PATTERN = "sessions/*/*/*/rollout-*.jsonl|archived_sessions/**/rollout-*.jsonl"
OF_SESSION = "sessions/*/*/*/rollout-*-{session}.jsonl|archived_sessions/**/rollout-*-{session}.jsonl"
SUBAGENTS = QUERY = SESSIONS = TEXTS = FOLDER_FILE = ""
RESUME = "codex resume {session}"
ARCHIVE = ("archived_sessions", "codex unarchive {session}")
"""The folder of sessions that were put away, and what brings one back first."""

_PATCH = "apply_patch"

_SAYING = (
    *('"UserMessage"', '"AgentMessage"', '"user_message"', '"agent_message"', '"message"'),
    *('"function_call"', '"custom_tool_call"'),
)
"""What stands, in bare quotes, in the lines that are parsed: most of a file is what tools gave back."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.folder(user_home, environment)


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session; of one of 2025 the first message names the folder."""
    session = ""
    for line in lines:
        fields = record(line) or {}
        if fields.get("type") == "session_meta" and (payload := table(fields, "payload")):
            return SessionHead(text_of(payload, "id"), text_of(payload, "cwd"))
        session = session or ("" if "type" in fields else text_of(fields, "id"))
        if session and (place := _CWD.search(line)):
            return SessionHead(session, place[1])
    return SessionHead(session)


_CWD = lazy_pattern(r"<cwd>([^<\\]{1,4096})</cwd>")
_EDITOR, _REQUEST = "# Context from my IDE", "## My request for Codex:"
"""How an editor's words begin in front of the user's, and what parts the two."""

_NOBODY = ("# AGENTS.md instructions for ", "<skill>")
_BY_USER = ("UserMessage", "user_message", "user")
_BY_AGENT = ("AgentMessage", "agent_message", "assistant")
_FOR_MODEL = "message"


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said, oldest first, with the tools that the agent used before it said something."""
    spoken = [*_spoken(lines)]
    events = [n for n, (kind, message) in enumerate(spoken) if kind != _FOR_MODEL and message.text]
    told = {_key(spoken[n][1]) for n in events}
    # A session may go on in a newer version: what stands before the first event counts as far as the agent
    # answers, for behind that are the messages for the model which the events will repeat.
    other = [n for n, (_, m) in enumerate(spoken[: events[0]] if events else spoken) if _key(m) not in told]
    if events:
        other = other[: max((at for at, n in enumerate(other, 1) if spoken[n][1].who == "agent"), default=0)]
    counted, tools, before, latest = {*events, *other}, list[ToolUse](), "", ("", ("", ""))
    begins = 0
    for number, (kind, message) in enumerate(spoken):
        begins = begins if tools else message.line
        tools += message.tools
        is_again = latest[1] == _key(message) and latest[0] != kind  # one message, in two forms
        if number not in counted or not message.text or is_again:
            continue
        latest = kind, _key(message)
        used, tools = (tuple(tools), []) if message.who == "agent" else ((), tools)
        yield replace(message, parent=before, tools=used, line=begins if used else message.line)
        before = message.id


def _key(message: Message) -> tuple[str, str]:
    return message.who, " ".join(message.text.split())


def _spoken(lines: Iterable[str]) -> Iterator[tuple[str, Message]]:
    """(form, message) of each line that says something, or that uses a tool."""
    for number, line in enumerate(lines):
        fields = record(line) if any(kind in line for kind in _SAYING) else None
        payload = table(fields or {}, "payload") or fields or {}
        kind, item = text_of(payload, "type"), table(payload, "item")
        spoke = text_of(item, "type") or (text_of(payload, "role") if kind == _FOR_MODEL else kind)
        who: Any = "user" if spoke in _BY_USER else "agent" if spoke in _BY_AGENT else ""
        text = (_text_in(item or payload) or text_of(payload, "message")) if who else ""
        if who == "user":
            text = text.partition(_REQUEST)[2] if text.startswith(_EDITOR) else text
            text = "" if (text := typed(text)).startswith(_NOBODY) else text
        tools = tuple(_tools(payload))
        if text.strip() or tools:
            said = Message(
                who or "agent", text, at=text_of(fields or {}, "timestamp"), tools=tools, line=number
            )
            yield kind, replace(said, id=text_of(item, "id"), session=text_of(payload, "thread_id"))


def _text_in(message: Mapping[str, Any]) -> str:
    """The text of a message, whatever its blocks are called: `text`, `Text`, `input_text`, `output_text`."""
    parts = (part for part in blocks_of(message) if text_of(part, "type").lower().endswith("text"))
    return "\n".join(text_of(part, "text") for part in parts)


def _tools(payload: Mapping[str, Any]) -> Iterator[ToolUse]:
    """The tool that the model asked for in this line of a rollout."""
    kind, name = text_of(payload, "type"), text_of(payload, "name")
    if kind == "custom_tool_call" and name == _PATCH:
        yield ToolUse(name, tuple(file.path for file in files_of(text_of(payload, "input"))))
    elif kind in ("custom_tool_call", "function_call"):
        arguments = record(text_of(payload, "arguments")) or {}
        yield ToolUse(name, (), text_of(arguments, "cmd") or text_of(arguments, "command"))
