"""Copilot CLI's records: a folder for each session, and in it a file of events, a line of JSON each.

What its subagents say and are told stands among the session's own events, each with an `agentId`, and is left
out. A user's message is recorded twice, as it was typed (`content`) and with what was added to it. What a
hook gave at the start isn't recorded as said.

Hooks leave a line where those of an event start and one where they end, with what they were told and what
they gave. The lines are about all hooks of an event together, ours and others: only what was given tells
whose it was. It stands in the messages and results behind it, but for that of a start, which is in no record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ctxrepo.agents.copilot import install
from ctxrepo.agents.recorded import Delivery, Fate, HookCall, Message, RecordedSession, SessionHead, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.lazy import lazy_pattern

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


UNRECORDED: Mapping[str, str] = {
    "sessionStart": "Copilot doesn't record what of it came to the model",
}

_CAUSES = {
    "session.start": "sessionStart",
    "session.resume": "sessionStart",
    "user.message": "userPromptSubmitted",
    "subagent.started": "subagentStart",
    "session.compaction_start": "preCompact",
    "session.shutdown": "sessionEnd",
}
"""The event whose hooks a line of this type gives cause to call."""

_KEPT = ("userPromptSubmitted", "postToolUse")
"""The events of which Copilot records what of it came to the model, and soon."""

_OPENED = lazy_pattern(r'<ctxrepo-memory tag="(\w+)">')
_CLOSED = lazy_pattern(r'</ctxrepo-memory tag="(\w+)">')
_MOMENT = lazy_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
_WORDS = 200

_Line = tuple[str, str, Mapping[str, Any]]
"""What is read of a line: its type, its moment and its data."""


def read(lines: Iterable[str], is_whole: bool = True, is_subagent: bool = False) -> RecordedSession | None:
    """The session in these lines, its subagents included; None when they hold none."""
    found = [*filter(None, map(_line, lines))]
    session = next((text_of(data, "sessionId") for kind, _, data in found if kind == "session.start"), "")
    moments = sorted(at for _, at, _ in found)
    if is_subagent or not session or not moments:
        return None
    places = (data.get("context") for kind, _, data in found if kind == "session.start")
    return RecordedSession(
        id=session,
        began=moments[0],
        last=moments[-1],
        cwd=next((text_of(place, "cwd") for place in places if isinstance(place, dict)), ""),
        happened=_happened(found),
        calls=tuple(_calls(found)),
        given=tuple(_given(found, is_whole)),
    )


def _line(line: str) -> _Line | None:
    event = record(line)
    data = event.get("data") if event else None
    if event is None or not isinstance(data, dict):
        return None
    at = text_of(event, "timestamp")
    return (text_of(event, "type"), at, data) if _MOMENT.fullmatch(at) else None


def _happened(found: Sequence[_Line]) -> dict[str, int]:
    """How often there was cause to call a hook of ours."""
    counted = dict.fromkeys((*_CAUSES.values(), "postToolUse", "agentStop"), 0)
    tools: dict[str, str] = {}
    for kind, _, data in found:
        if kind in _CAUSES:
            counted[_CAUSES[kind]] += 1
        elif kind == "assistant.message" and not data.get("toolRequests"):
            counted["agentStop"] += 1
        elif kind == "tool.execution_start":
            tools[text_of(data, "toolCallId")] = text_of(data, "toolName")
        elif kind == "tool.execution_complete" and data.get("success") is True:
            counted["postToolUse"] += tools.get(text_of(data, "toolCallId")) in install.TOOLS
    return counted


def _calls(found: Sequence[_Line]) -> Iterator[HookCall]:
    """The calls of hooks that have ended. One that failed is ours only where its error names us."""
    began = {text_of(data, "hookInvocationId"): at for kind, at, data in found if kind == "hook.start"}
    for event, at, data in _ends(found):
        start = began.get(text_of(data, "hookInvocationId"), "")
        took = _milliseconds(start, at) if start else None
        error = " ".join(str(data.get("error", "")).split())
        if data.get("success") is True:
            yield HookCall(event, at, "ran", took, is_surely_ours=bool(_OPENED.search(_text_given(data))))
        elif "ctxrepo" in error:
            yield HookCall(event, at, "failed", took, error[:_WORDS])


def _given(found: Sequence[_Line], is_whole: bool) -> Iterator[Delivery]:
    """What our hooks gave, each with what became of it."""
    for number, (kind, at, data) in enumerate(found):
        event, text = text_of(data, "hookType"), _text_given(data)
        tags = set(_OPENED.findall(text))
        if kind != "hook.end" or not tags:
            continue
        later = found[number + 1 :]
        fate: Fate = "open"
        if any(tags <= _closed_in(line) for line in later):
            fate = "sent"
        elif event in _KEPT and is_whole and any(kind == "assistant.message" for kind, _, _ in later):
            fate = "lost"
        yield Delivery(event, at, len(text.encode("utf-8", "replace")), fate)


def _ends(found: Sequence[_Line]) -> Iterator[_Line]:
    """(event, moment, data) of each line that tells of the end of hooks of an event of ours."""
    known = install.events()
    for kind, at, data in found:
        if kind == "hook.end" and text_of(data, "hookType") in known:
            yield text_of(data, "hookType"), at, data


def _text_given(data: Mapping[str, Any]) -> str:
    output = data.get("output")
    return text_of(output, "additionalContext") if isinstance(output, dict) else ""


def _closed_in(line: _Line) -> set[str]:
    """The tags of our blocks that stand whole in what a line records of the conversation."""
    kind, _, data = line
    result = data.get("result")
    text = text_of(data, "transformedContent") if kind == "user.message" else ""
    if kind == "tool.execution_complete" and isinstance(result, dict):
        text = text_of(result, "content")
    return set(_OPENED.findall(text)) & set(_CLOSED.findall(text))


def _milliseconds(start: str, end: str) -> int:
    return round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() * 1000)
