"""Copilot CLI's records: a folder for each session, and in it a file of events, a line of JSON each.

What its subagents say and are told stands among the session's own events, each with an `agentId`, and is left
out. A user's message is recorded twice, as it was typed (`content`) and with what was added to it. What a
hook gave at the start isn't recorded as said. The first versions had a file of events without a folder, and
before, until November 2025, one indented document: `chatMessages` as the model has them, and a `timeline` of
what was shown, with moments.

Hooks leave a line where those of an event start and one where they end, with what they were told and what
they gave. The lines are about all hooks of an event together, ours and others: only what was given tells
whose it was. It stands in the messages and results behind it, but for that of a start, which is in no record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ctxrepo.agents.copilot import install
from ctxrepo.agents.copilot.dialect import DIALECT
from ctxrepo.agents.documents import Form, are_known, message_in, records_in, spoken, table, tables, tool_use
from ctxrepo.agents.recorded import (
    MAX_WORDS,
    MOMENT,
    OPENED,
    Delivery,
    Fate,
    HookCall,
    Message,
    RecordedSession,
    SessionHead,
    ToolUse,
    typed,
    whole_blocks,
)
from ctxrepo.domain.formats.jsonl import record, text_of

_LEGACY = "history-session-state"
PATTERN = f"session-state/*/events.jsonl|session-state/*.jsonl|{_LEGACY}/*.json*"
OF_SESSION = "session-state/{session}/events.jsonl|session-state/{session}.jsonl|" + (
    f"{_LEGACY}/session_{{session}}_*.json|{_LEGACY}/{{session}}.json"
)
SUBAGENTS = QUERY = SESSIONS = TEXTS = FOLDER_FILE = ""
RESUME = "copilot --resume={session}"

NOT_RESUMED = (f"{_LEGACY}/*",)

_SAYING = ('.message"', '"session.start"', '"chatMessages"', '"timeline"')
"""What stands, with a bare quote, in the lines that are parsed: most of a file is what tools gave back."""


folder = install.folder


def head(lines: Iterable[str], /) -> SessionHead:
    session = ""
    for _, fields in records_in(lines):
        data = table(fields, "data")
        if fields.get("type") == "session.start":
            return SessionHead(text_of(data, "sessionId"), text_of(table(data, "context"), "cwd"))
        session = session or text_of(fields, "sessionId")
    return SessionHead(session)


_QUIET = ("session.", "system.", "hook.", "tool.", "subagent.", "assistant.reasoning", "info")
_BY_USER, _BY_AGENT = ("user.message", "user", "human"), ("assistant.message", "assistant", "copilot")


def messages(lines: Iterable[str]) -> Iterator[Message]:
    session, parent, has_roles = "", "", None
    for number, fields in _items(lines):
        session = session or text_of(table(fields, "data") or fields, "sessionId")
        if text_of(fields, "agentId") or _kind(fields) not in (*_BY_USER, *_BY_AGENT):
            continue
        has_roles = "role" in fields if has_roles is None else has_roles
        if has_roles != ("role" in fields):  # a document tells all twice
            continue
        if message := message_in(_FORMS, fields):
            yield replace(message, parent=parent, session=session, line=number)
            parent = message.id


def _kind(fields: Mapping[str, Any]) -> str:
    """The type of an event, or the role of a message in a document."""
    return text_of(fields, "type") or text_of(fields, "role")


def _by_user(fields: Mapping[str, Any]) -> Message | None:
    data = table(fields, "data") or fields
    # Where somebody else than a person wrote the message, its `source` says who.
    if text_of(data, "source") not in ("", "user") or data.get("isAutopilotContinuation"):
        return None
    return spoken("user", typed(text_of(data, "content") or text_of(data, "text")), fields)


def _by_agent(fields: Mapping[str, Any]) -> Message | None:
    data = table(fields, "data") or fields
    return spoken("agent", text_of(data, "content") or text_of(data, "text"), fields, _tools(data))


_FORMS = (
    Form(lambda fields: _kind(fields) in _BY_USER, _by_user),
    Form(lambda fields: _kind(fields) in _BY_AGENT, _by_agent),
    Form(lambda fields: _kind(fields).startswith(_QUIET)),
)
is_quiet = partial(are_known, _FORMS)


def _items(lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Events and messages, with the numbers of their lines, those of a document on one line, too."""
    for number, fields in records_in(lines, _SAYING):
        yield number, fields
        for item in tables(fields.get("chatMessages")) or tables(fields.get("timeline")):
            yield number, item


def _tools(data: Mapping[str, Any]) -> Iterator[ToolUse]:
    for call in tables(data.get("toolRequests")):
        yield tool_use(call, "arguments", "path")
    for call in (table(call, "function") for call in tables(data.get("tool_calls"))):
        arguments = record(text_of(call, "arguments")) or {}
        yield tool_use({"name": call.get("name"), "arguments": arguments}, "arguments", "path")


UNRECORDED: Mapping[str, str] = {"sessionStart": "Copilot doesn't record what of it came to the model"}

_CAUSES = {
    "session.start": "sessionStart",
    "session.resume": "sessionStart",
    "user.message": "userPromptSubmitted",
    "subagent.started": "subagentStart",
    "session.compaction_start": "preCompact",
    "session.shutdown": "sessionEnd",
}
"""The event whose hooks a line of this type gives cause to call."""

_RECORDED = ("userPromptSubmitted", "postToolUse")
"""The events of which Copilot records what of it came to the model, and soon."""

_Line = tuple[str, str, Mapping[str, Any]]
"""What is read of a line: its type, its moment and its data."""


def read(lines: Iterable[str], is_whole: bool = True, is_subagent: bool = False) -> RecordedSession | None:
    """The session in these lines, its subagents included; None when they hold none."""
    events = [*filter(None, map(_line, lines))]
    session = next((text_of(data, "sessionId") for kind, _, data in events if kind == "session.start"), "")
    moments = sorted(at for _, at, _ in events)
    if is_subagent or not session or not moments:
        return None
    places = (table(data, "context") for kind, _, data in events if kind == "session.start")
    return RecordedSession(
        id=session,
        began=moments[0],
        last=moments[-1],
        cwd=next((text_of(place, "cwd") for place in places if place), ""),
        happened=_happened(events),
        calls=tuple(_calls(events)),
        given=tuple(_deliveries(events, is_whole)),
    )


def _line(line: str) -> _Line | None:
    event = record(line)
    data = event.get("data") if event else None
    if event is None or not isinstance(data, dict):
        return None
    at = text_of(event, "timestamp")
    return (text_of(event, "type"), at, data) if MOMENT.fullmatch(at) else None


def _happened(events: Sequence[_Line]) -> dict[str, int]:
    """How often there was cause to call a hook of ours."""
    counts = dict.fromkeys((*_CAUSES.values(), "preToolUse", "postToolUse", "agentStop"), 0)
    tools: dict[str, str] = {}
    for kind, _, data in events:
        if kind in _CAUSES:
            counts[_CAUSES[kind]] += 1
        elif kind == "assistant.message" and not data.get("toolRequests"):
            counts["agentStop"] += 1
        elif kind == "tool.execution_start":
            tools[text_of(data, "toolCallId")] = text_of(data, "toolName")
            counts["preToolUse"] += 1
        elif kind == "tool.execution_complete" and data.get("success") is True:
            counts["postToolUse"] += tools.get(text_of(data, "toolCallId")) in install.TOOLS
    return counts


def _calls(lines: Sequence[_Line]) -> Iterator[HookCall]:
    """The calls of hooks that have ended. One that failed is ours only where its error names us."""
    began = {text_of(data, "hookInvocationId"): at for kind, at, data in lines if kind == "hook.start"}
    events = DIALECT.event_names(enforces=True)
    for kind, at, data in lines:
        event = text_of(data, "hookType")
        if kind != "hook.end" or event not in events:
            continue
        start = began.get(text_of(data, "hookInvocationId"), "")
        seconds = (datetime.fromisoformat(at) - datetime.fromisoformat(start or at)).total_seconds()
        took = round(seconds * 1000) if start else None
        error = " ".join(str(data.get("error", "")).split())
        if data.get("success") is True:
            yield HookCall(event, at, "ran", took, is_surely_ours=bool(OPENED.search(_context_of(data))))
        elif "ctxrepo" in error:
            yield HookCall(event, at, "failed", took, error[:MAX_WORDS])


def _deliveries(lines: Sequence[_Line], is_whole: bool) -> Iterator[Delivery]:
    for number, (kind, at, data) in enumerate(lines):
        event, text = text_of(data, "hookType"), _context_of(data)
        tags = set(OPENED.findall(text))
        if kind != "hook.end" or not tags:
            continue
        later = lines[number + 1 :]
        fate: Fate = "open"
        if any(tags <= whole_blocks(_conversation_of(line)) for line in later):
            fate = "sent"
        elif event in _RECORDED and is_whole and any(kind == "assistant.message" for kind, _, _ in later):
            fate = "lost"
        yield Delivery(event, at, len(text.encode("utf-8", "replace")), fate)


def _context_of(data: Mapping[str, Any]) -> str:
    """What the hooks of an event gave."""
    return text_of(table(data, "output"), "additionalContext")


def _conversation_of(line: _Line) -> str:
    """What a line records of the conversation."""
    kind, _, data = line
    if kind == "tool.execution_complete":
        return text_of(table(data, "result"), "content")
    return text_of(data, "transformedContent") if kind == "user.message" else ""
