"""Claude Code's records: a file of JSON lines for each session, one for each subagent, and what they say
about our hooks.

A hook that fails or is ended leaves an `attachment`, one that gives something another; one that says nothing
leaves none, but for Stop, whose every call is in a `stop_hook_summary`. What went to the model is in the
messages of `api-request-blob`. The user's words are counted and not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from ctxrepo.agents.claude.settings import SETTINGS
from ctxrepo.agents.claude.transcript import is_own_words
from ctxrepo.agents.hook_line import is_ours
from ctxrepo.agents.recorded import Delivery, Fate, HookCall, RecordedSession
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.lazy import lazy_pattern

NAME = SETTINGS.name

UNRECORDED: Mapping[str, str] = {
    "UserPromptSubmit": "Claude Code doesn't record one that gives nothing, nor how long one takes",
    "PostToolUse": "Claude Code doesn't record one that says nothing",
    "PostToolUseFailure": "Claude Code doesn't record one that says nothing",
    "SubagentStart": "Claude Code doesn't record one that says nothing",
    "PreCompact": "Claude Code records it after /compact only, and without a time",
    "SessionEnd": "Claude Code records nothing about it",
}

_STARTERS = frozenset(("Agent", "Task"))
"""The tool that starts a subagent, as it is called and once was."""
_OF_SUBAGENT = ("PostToolUse", "PostToolUseFailure", "SubagentStart")
"""What hooks are called for on behalf of a subagent: it has no prompts, and its end is no turn's."""
_TOOLS = frozenset(SETTINGS.matchers["PostToolUse"].split("|"))
_SHELL = SETTINGS.matchers["PostToolUseFailure"]
_RUNNER = lazy_pattern(r"""hooks/run['"]?\s+(\w+)(?=\s|$)""")
_OPENED = lazy_pattern(r'<ctxrepo-memory tag="(\w+)">')
_CLOSED = lazy_pattern(r'</ctxrepo-memory tag="(\w+)">')
_MOMENT = lazy_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
_COMPACTED = lazy_pattern(
    r"^(?:<local-command-stdout>Compacted )?PreCompact \[(.*?)\] (completed|failed)(?:: (.*))?", re.MULTILINE
)
_WORDS = 200
_ENDED = "Hook cancelled"
_CHATTER = "Failed with non-blocking status code: "


def read(lines: Iterable[str], is_whole: bool = True, is_subagent: bool = False) -> RecordedSession | None:
    """The session in these lines, or the part of it that a subagent played; None when they hold none."""
    known = [r for r in map(record, lines) if r is not None]
    found = [r for r in known if is_subagent or r.get("isSidechain") is not True]
    moments = sorted(filter(None, map(_moment, found)))
    session, cwd = (_first(found, key) for key in ("sessionId", "cwd"))
    if not moments or not session:
        return None
    happened = _happened(found)
    ended = {_who(a, a) for a in map(_attachment, found) if a.get("type") == "hook_cancelled"}
    return RecordedSession(
        id=session,
        began=moments[0],
        last=moments[-1],
        cwd=cwd,
        happened={event: happened[event] for event in _OF_SUBAGENT} if is_subagent else happened,
        calls=tuple(call for r in found for call in _calls(r, ended)),
        given=tuple(_given(found, is_whole)),
    )


def _calls(line: Mapping[str, Any], ended: Set[tuple[str, str]]) -> Iterator[HookCall]:
    """Calls of our hooks that a line tells of; those `ended` have a line of their own, as failed ones do."""
    at = _moment(line)
    if line.get("subtype") == "stop_hook_summary":
        failed = _list(line, "failedHookErrorIndexes")
        for index, info in enumerate(_list(line, "hookInfos")):
            is_told = index in failed or not isinstance(info, dict) or _who(line, info) in ended
            if not is_told and _is_ours(info.get("command")):
                yield HookCall("Stop", at, "ran", _milliseconds(info))
        return
    for command, how, words in _COMPACTED.findall(_text(line).removesuffix("</local-command-stdout>")):
        if _is_ours(command) and how == "completed":
            yield HookCall("PreCompact", at, "ran")
        elif _is_ours(command):
            yield HookCall("PreCompact", at, "ended" if words == _ENDED else "failed", words=words[:_WORDS])
    yield from _attached(_attachment(line), at)


def _attached(said: Mapping[str, Any], at: str) -> Iterator[HookCall]:
    event, kind = text_of(said, "hookEvent"), text_of(said, "type")
    command = said.get("command")
    if event not in SETTINGS.matchers or (command is not None and not _is_ours(command)):
        return
    if kind == "hook_success" and event != "Stop":
        yield HookCall(event, at, "ran", _milliseconds(said))
    elif kind == "hook_cancelled":
        yield HookCall(event, at, "ended", _milliseconds(said), is_surely_ours=command is not None)
    elif kind.startswith("hook_") and kind.endswith("error") and command is not None:
        words = " ".join(text_of(said, "stderr").removeprefix(_CHATTER).split())
        words = words or f"it ended with {said.get('exitCode')}"
        yield HookCall(event, at, "failed", _milliseconds(said), words[:_WORDS])


def _given(found: list[dict[str, Any]], is_whole: bool) -> Iterator[Delivery]:
    """What our hooks gave, each with what became of it."""
    requests = [(n, _closed_in(r)) for n, r in enumerate(found) if r.get("type") == "api-request-blob"]
    for number, line in enumerate(found):
        said = _attachment(line)
        if said.get("type") != "hook_additional_context":
            continue
        text = "\n".join(part for part in _list(said, "content") if isinstance(part, str))
        tags = set(_OPENED.findall(text))
        if not tags:
            continue
        later = [closed for at, closed in requests if at > number]
        fate: Fate = "lost" if later and is_whole else "open"
        if not tags <= set(_CLOSED.findall(text)):
            fate = "cut"
        elif any(tags <= closed for closed in later):
            fate = "sent"
        size = len(text.encode("utf-8", "replace"))
        yield Delivery(text_of(said, "hookEvent")[:40], _moment(line), size, fate)


def _happened(found: list[dict[str, Any]]) -> dict[str, int]:
    """How often each event came about, counted from the conversation itself."""
    tools: dict[str, str] = {}
    turns: set[str] = set()
    counted = dict.fromkeys(
        ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStart", "PreCompact"), 0
    )
    for line in found:
        message = line.get("message")
        blocks = [b for b in _list(message, "content") if isinstance(b, dict)]
        if line.get("type") == "assistant" and isinstance(message, dict):
            tools |= {text_of(b, "id"): text_of(b, "name") for b in blocks if b.get("type") == "tool_use"}
            if message.get("stop_reason") == "end_turn":
                turns.add(text_of(message, "id"))
        elif line.get("type") == "user":
            done = [b for b in blocks if b.get("type") == "tool_result"]
            failed = [b for b in done if b.get("is_error") is True]
            names = [tools.get(text_of(b, "tool_use_id")) for b in done if b not in failed]
            counted["PostToolUseFailure"] += sum(
                tools.get(text_of(b, "tool_use_id")) == _SHELL for b in failed
            )
            counted["PostToolUse"] += sum(name in _TOOLS for name in names)
            counted["SubagentStart"] += sum(name in _STARTERS for name in names)
            counted["UserPromptSubmit"] += not done and is_own_words(line, _text(line))
        counted["PreCompact"] += line.get("subtype") == "compact_boundary"
    return {"SessionStart": 1, **counted, "Stop": len(turns), "SessionEnd": 1}


def _closed_in(line: Mapping[str, Any]) -> set[str]:
    """The tags of our blocks that stand whole in a message of a request."""
    text = "\n".join(_texts(line.get("message")))
    return set(_OPENED.findall(text)) & set(_CLOSED.findall(text))


def _texts(node: object) -> Iterator[str]:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, list | dict):
            waiting += reversed([*(node.values() if isinstance(node, dict) else node)])


def _is_ours(command: object) -> bool:
    match = _RUNNER.search(command) if isinstance(command, str) else None
    return is_ours(command, NAME) or bool(match and match[1] == NAME)


def _who(call: Mapping[str, Any], hook: Mapping[str, Any]) -> tuple[str, str]:
    """Which hook of which call: several hooks of one event share the id of its call."""
    return text_of(call, "toolUseID"), text_of(hook, "command")


def _moment(line: Mapping[str, Any]) -> str:
    at = text_of(line, "timestamp")
    return at if _MOMENT.fullmatch(at) else ""


def _first(found: list[dict[str, Any]], key: str) -> str:
    return next(filter(None, (text_of(line, key)[:_WORDS] for line in found)), "")


def _attachment(line: Mapping[str, Any]) -> Mapping[str, Any]:
    said = line.get("attachment")
    return said if isinstance(said, dict) else {}


def _text(line: Mapping[str, Any]) -> str:
    message = line.get("message")
    said = message.get("content") if isinstance(message, dict) else None
    return said if isinstance(said, str) else ""


def _list(node: object, key: str) -> list[Any]:
    found = node.get(key) if isinstance(node, dict) else None
    return found if isinstance(found, list) else []


def _milliseconds(said: Mapping[str, Any]) -> int | None:
    took = said.get("durationMs")
    return int(took) if isinstance(took, int | float) and 0 <= took < 10**9 else None
