"""Cursor's transcripts: a file of JSON lines for each conversation, `{"role", "message": {"content"}}`.

A line names neither itself nor a moment, so messages have no id, and stand in their order. What the user
typed is in `<user_query>` tags; what Cursor says to the model besides stands in tags of other names. Until
early 2026 it was a text, in which `user:` or `assistant:` stands on a line above what each said. The command
line also has a database for each conversation, of which the messages are rows; it is read where there is no
transcript. The forms are undocumented, and known from those who publish readers of them."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import md5
from pathlib import Path
from typing import Any

from ctxrepo.agents.cursor import install
from ctxrepo.agents.recorded import (
    Message,
    SessionHead,
    ToolUse,
    at_millisecond,
    blocks_of,
    may_be_message,
    table,
    text_in,
    tool_use,
    typed,
)
from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.formats.jsonl import record, text_of
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


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are."""
    return install.folder(user_home, environment)


def folder_names(top: str) -> Sequence[str]:
    """What the folders are called in which the transcripts and databases of sessions in this folder are."""
    return _NO_LETTERS.sub("-", top).strip("-"), md5(os.fsencode(top), usedforsecurity=False).hexdigest()


def head(_: Iterable[str], /) -> SessionHead:
    """Nothing: the file is named after the session, and its folder isn't told."""
    return SessionHead()


def is_quiet(records: Sequence[Mapping[str, Any]], /) -> bool:
    """Whether nobody said anything in a file with these records."""
    roles = (fields.get("role") or table(fields, "message").get("role") for fields in records)
    known = ("user", "assistant", "system", "tool")
    return all(
        role in known or not may_be_message(fields) for role, fields in zip(roles, records, strict=True)
    )


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; what can't be read is left out."""
    speech: list[str] = []
    begins = 0
    for number, line in enumerate(lines):
        line = line.removeprefix("\ufeff").rstrip()
        if line in _SPEAKERS:
            yield from _spoken(speech, begins)
            speech, begins = [line], number
        elif speech:
            speech.append(line)
        elif message := _message(record(line) or {}, number):
            yield message
    yield from _spoken(speech, begins)


def _message(fields: Mapping[str, Any], number: int) -> Message | None:
    """What a line says, be it of a transcript or a row of the database."""
    message = table(fields, "message")
    role, blocks = fields.get("role") or message.get("role"), blocks_of(message)
    text, id_, at = text_in(blocks), text_of(fields, "id"), at_millisecond(message.get("createdAt"))
    if role == "user" and (words := _query_in(text)):
        return Message("user", words, id=id_, at=at, line=number)
    if role == "assistant":
        uses = (block for block in blocks if block.get("type") in ("tool_use", "tool-call"))
        tools = tuple(map(_tool, uses))
        if text.strip() or tools:
            return Message("agent", text.strip(), id=id_, at=at, tools=tools, line=number)
    return None


def _tool(block: Mapping[str, Any]) -> ToolUse:
    if block.get("type") == "tool-call":
        block = {"name": block.get("toolName"), "input": block.get("args")}
    return tool_use(block, "input", *_PATHS)


def _query_in(text: str) -> str:
    """What the user typed: all of it, where nothing is in tags."""
    return "\n".join(map(str.strip, _QUERY.findall(text))) or typed(text)


def _spoken(speech: Sequence[str], begins: int) -> Iterator[Message]:
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
