"""Cursor's transcripts: a file of JSON lines for each conversation, `{"role", "message": {"content"}}`.

A line names neither itself nor a moment, so messages have no id, and stand in their order. What the user
typed is in `<user_query>` tags; what Cursor says to the model besides stands in tags of other names. Until
early 2026 it was a text, in which `user:` or `assistant:` stands on a line above what each said. The command
line also has a database for each conversation, of which the messages are rows; it is read where there is no
transcript. The forms are undocumented, and known from those who publish readers of them."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import md5
from typing import Any

from ctxrepo.agents.cursor import install
from ctxrepo.agents.documents import (
    Form,
    are_known,
    at_millisecond,
    blocks_of,
    message_in,
    spoken,
    table,
    text_in,
    tool_use,
)
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, typed
from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.formats.jsonl import record
from ctxrepo.lazy import lazy_pattern

_LOGS = "projects/*/agent-transcripts"
PATTERN = "|".join(
    (*(f"{_LOGS}/{place}" for place in ("*/*.jsonl", "*.jsonl", "*/*.txt", "*.txt")), "chats/*/*/store.db")
)
OF_SESSION = "|".join(
    (
        *(
            f"{_LOGS}/{{session}}{place}"
            for place in ("/{session}.jsonl", ".jsonl", "/{session}.txt", ".txt")
        ),
        "chats/*/{session}/store.db",
    )
)
SUBAGENTS = ""  # they are in `subagents/` beside the session's file, and nothing of ours is recorded in them
_SQL = texts_beside(__spec__, "records.sql")
QUERY, SESSIONS, TEXTS = _SQL["query"], _SQL["sessions"], _SQL["texts"]
FOLDER_FILE = ""
RESUME = "cursor-agent --resume {session}"
FORMER = (".config/cursor",)
"""Where the command line has its databases on Linux, below the home."""

_PATHS = ("path", "file_path", "target_file", "target_notebook")
_QUERY = lazy_pattern(r"<user_query>((?:(?!<user_query>).)*?)</user_query>", re.DOTALL)
_NO_LETTERS = lazy_pattern(r"[^A-Za-z0-9]+")
_SPEAKERS = ("user:", "assistant:")
_STEPS = ("[Thinking]", "[Tool call] ", "[Tool result]")
"""How lines begin of what stands between an agent's words; what belongs to them is indented behind it."""


folder = install.folder


def folder_names(top: str) -> Sequence[str]:
    """What the folders are called in which the transcripts and databases of sessions in this folder are."""
    return _NO_LETTERS.sub("-", top).strip("-"), md5(os.fsencode(top), usedforsecurity=False).hexdigest()


def head(_: Iterable[str], /) -> SessionHead:
    """Nothing: the file is named after the session, and its folder isn't told."""
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    speech: list[str] = []
    begins = 0
    for number, line in enumerate(lines):
        line = line.removeprefix("\ufeff").rstrip()
        if line in _SPEAKERS:
            yield from _messages_of(speech, begins)
            speech, begins = [line], number
        elif speech:
            speech.append(line)
        elif message := message_in(_FORMS, record(line) or {}):
            yield replace(message, line=number)
    yield from _messages_of(speech, begins)


def _role(fields: Mapping[str, Any]) -> object:
    """Who speaks in a line, be it of a transcript or a row of the database."""
    return fields.get("role") or table(fields, "message").get("role")


def _by_user(fields: Mapping[str, Any]) -> Message | None:
    message = table(fields, "message")
    at = at_millisecond(message.get("createdAt"))
    return spoken("user", _query_in(text_in(blocks_of(message))), fields, at=at)


def _by_agent(fields: Mapping[str, Any]) -> Message | None:
    message = table(fields, "message")
    blocks, at = blocks_of(message), at_millisecond(message.get("createdAt"))
    uses = (block for block in blocks if block.get("type") in ("tool_use", "tool-call"))
    return spoken("agent", text_in(blocks).strip(), fields, map(_tool, uses), at=at)


_FORMS = (
    Form(lambda fields: _role(fields) == "user", _by_user),
    Form(lambda fields: _role(fields) == "assistant", _by_agent),
    Form(lambda fields: _role(fields) in ("system", "tool")),
)
is_quiet = partial(are_known, _FORMS)


def _tool(block: Mapping[str, Any]) -> ToolUse:
    if block.get("type") == "tool-call":
        block = {"name": block.get("toolName"), "input": block.get("args")}
    return tool_use(block, "input", *_PATHS)


def _query_in(text: str) -> str:
    """What the user typed: all of it, where nothing is in tags."""
    return "\n".join(map(str.strip, _QUERY.findall(text))) or typed(text)


def _messages_of(speech: Sequence[str], begins: int) -> Iterator[Message]:
    """The message that these lines of a text are, the first of which says whose."""
    if not speech:
        return
    if speech[0] == "user:":
        if query := _query_in("\n".join(speech[1:])):
            yield Message("user", query, line=begins)
        return
    words: list[str] = []
    calls: list[dict[str, str]] = []
    is_step = False
    for line in speech[1:]:
        is_step = line.startswith(_STEPS) or (is_step and line[:1] in ("", " ", "\t"))
        argument, _, value = line.partition(": ")
        if not is_step:
            words.append(line)
        elif name := line.partition("[Tool call] ")[2]:
            calls.append({"name": name})
        elif calls:
            calls[-1][argument.strip()] = value
    tools = tuple(tool_use({"name": call["name"], "input": call}, "input", *_PATHS) for call in calls)
    if (text := "\n".join(words).strip()) or tools:
        yield Message("agent", text, tools=tools, line=begins)
