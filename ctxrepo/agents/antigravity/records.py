"""Antigravity's transcripts: a file of JSON lines for each conversation, in a folder named after it; a
subagent's is a conversation of its own. The command line, the editor and the app have a folder each. Older
versions wrote the same into `overview.txt`. Its own store beside it was encrypted until August 2026.

A line is a step with a number. What a person typed is in `<USER_REQUEST>` tags. What the model says and the
tools that it calls are a `PLANNER_RESPONSE`, in which each argument of a tool is JSON by itself; what a tool
answered is a step of another type, and left out like what Antigravity and hooks say."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ctxrepo.agents.antigravity import install
from ctxrepo.agents.antigravity.dialect import typed_words
from ctxrepo.agents.documents import Form, are_known, message_in, of_type, spoken, table, tables
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, typed
from ctxrepo.domain.formats.jsonl import record, text_of

_LOGS = ("transcript.jsonl", "transcript_full.jsonl", "overview.txt")
PATTERN = "|".join(f"antigravity*/brain/*/.system_generated/logs/{log}" for log in _LOGS)
OF_SESSION = "|".join(f"antigravity*/brain/{{session}}/.system_generated/logs/{log}" for log in _LOGS)
SUBAGENTS = QUERY = SESSIONS = TEXTS = FOLDER_FILE = ""
RESUME = "agy --conversation {session}"

_BY_HAND = "USER_EXPLICIT"
"""The source of steps that a person took."""
_PATHS = ("TargetFile", "AbsolutePath")
_SCRATCH = ("/antigravity/scratch", "/antigravity-cli/scratch")
"""Where commands run that aren't run in the user's folder."""


def folder(user_home: Path, _environment: Mapping[str, str]) -> Path:
    return user_home / install.HOME


def head(lines: Iterable[str], /) -> SessionHead:
    """The folder in which the first command was run, as far as it is the user's: no other line tells it."""
    calls = (call for line in lines for call in tables((record(line) or {}).get("tool_calls")))
    folders = (_argument(call, "Cwd") for call in calls)
    return SessionHead(
        cwd=next((cwd for cwd in folders if cwd and not any(own in cwd for own in _SCRATCH)), "")
    )


def messages(lines: Iterable[str]) -> Iterator[Message]:
    for number, line in enumerate(lines):
        fields = record(line.removeprefix("\ufeff")) or {}
        if message := message_in(_FORMS, fields):
            step, at = str(fields.get("step_index", "")), text_of(fields, "created_at")
            yield replace(message, id=step, at=at, line=number)


def _by_user(fields: Mapping[str, Any]) -> Message | None:
    is_by_hand = fields.get("source", _BY_HAND) == _BY_HAND
    return spoken("user", typed(typed_words(text_of(fields, "content"))), fields) if is_by_hand else None


def _by_agent(fields: Mapping[str, Any]) -> Message | None:
    tools = map(_tool_use, tables(fields.get("tool_calls")))
    return spoken("agent", text_of(fields, "content").strip(), fields, tools)


_FORMS = (
    Form(of_type("USER_INPUT"), _by_user),
    Form(of_type("PLANNER_RESPONSE"), _by_agent),
    Form(lambda fields: "step_index" in fields),  # Antigravity removes the texts of old steps
)
is_quiet = partial(are_known, _FORMS)


def _tool_use(call: Mapping[str, Any]) -> ToolUse:
    paths = tuple(filter(None, (_argument(call, name) for name in _PATHS)))
    return ToolUse(text_of(call, "name"), paths=paths, command=_argument(call, "CommandLine"))


def _argument(call: Mapping[str, Any], name: str) -> str:
    """The text of an argument, which is written as JSON; '' where there is none."""
    text = text_of(table(call, "args"), name)
    with suppress(ValueError):
        value = json.loads(text) if text.startswith('"') else text
        return value if isinstance(value, str) else ""
    return text
