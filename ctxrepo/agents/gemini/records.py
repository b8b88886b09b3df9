"""Gemini CLI's transcripts: a file of JSON lines for each session, and one for each of its subagents;
in older versions one JSON document, indented.

A line is a message, and of those with one id the last counts. `$set` changes what is known of the session:
with `messages` the conversation as the model is told it, which may be a summary; what was said has lines of
its own. `$rewindTo` goes back to before a message. What Gemini CLI and hooks tell the model stands among
the user's parts, in angle brackets, and is left out.

`/chat save` writes a checkpoint: turns as the model has them, without a name or a moment. `logs.json` has
what was typed in all sessions of a project, and is all that is left of those before August 2025."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from ctxrepo.agents.documents import (
    Form,
    are_known,
    message_in,
    of_type,
    records_in,
    spoken,
    table,
    tables,
    tool_use,
)
from ctxrepo.agents.gemini import install
from ctxrepo.agents.gemini.dialect import DIALECT, without_context
from ctxrepo.agents.recorded import Message, SessionHead, typed
from ctxrepo.domain.formats.jsonl import text_of

PATTERN = "*/chats/session-*.jsonl|*/chats/session-*.json|*/checkpoint*.json|*/logs.json"
OF_SESSION = "*/chats/session-*-{session:.8}.jsonl|*/chats/session-*-{session:.8}.json"
SUBAGENTS = ""  # they are in a folder named by the whole id, and no file of the session has that name
QUERY = SESSIONS = TEXTS = ""
FOLDER_FILE = "../.project_root"
RESUME = "gemini --resume {session}"
NOT_RESUMED = ("checkpoint*.json", "logs.json")

_CHANGE = ('{"$set"', '{ "$set"')
"""How lines begin that say nothing new, some of them with all that was said so far."""

_TOLD = (
    "<session_context>",
    "This is the Gemini CLI. We are setting up",
    "Okay, just setting up the context",
)
"""How a part begins in which Gemini CLI tells the model where it is."""

_ANSWER = "Got it. Thanks for the context!"
"""What Gemini CLI itself lets the model answer to that."""

_RAN, _RAN_END = "I ran the following shell command:\n```sh\n", "\n```\n"
"""What stands around a command that the user ran, in front of what it printed."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.folder(user_home, environment) / "tmp"


def folder_names(top: str) -> Sequence[str]:
    """What the folder is called in which versions before 2026 have the transcripts of sessions in `top`."""
    return (sha256(os.fsencode(top)).hexdigest(),)


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session: its folder stands elsewhere."""
    heads = (fields for _, fields in records_in(lines) if "messageId" not in fields)
    names = (text_of(fields, "sessionId") for fields in heads)
    return SessionHead(next(filter(None, names), ""))


def is_quiet(records: Sequence[Mapping[str, Any]], /) -> bool:
    return any(fields.get("kind") == "subagent" for fields in records) or are_known(_FORMS, records)


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; what can't be read is left out. Nothing of what
    a subagent was told: some versions had its file among the others."""
    by_name: dict[str, Message | None] = {}
    parents: dict[str, str] = {}
    unnamed: list[Message] = []
    session = last = ""
    for number, fields in _records(lines):
        if fields.get("kind") == "subagent":
            return
        session = session or text_of(fields, "sessionId")
        message, name = message_in(_FORMS, fields), text_of(fields, "id")
        message = replace(message, line=number) if message else None
        if to := text_of(fields, "$rewindTo"):
            last = parents.get(to, "")
        elif _is_message(fields):
            parents.setdefault(name, last)
            by_name[name], last = message, name
        elif message:
            unnamed.append(message)
    yield from unnamed
    for name, message in by_name.items():
        parent = parents[name]
        while parent and not by_name[parent]:
            parent = parents[parent]
        if message:
            yield replace(message, session=session, parent=parent)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records with the numbers of their lines, those of a list on one line, too."""
    for number, fields in records_in("" if line.startswith(_CHANGE) else line for line in lines):
        yield number, fields
        listed = (*tables(fields.get("messages")), *tables(fields.get("history")))
        yield from ((number, item) for item in listed)


def _typed(fields: Mapping[str, Any]) -> Message | None:
    """What an entry of `logs.json` says, with the session in which it was typed."""
    text = text_of(fields, "message") if fields.get("type") == "user" else ""
    return spoken("user", text, fields, session=text_of(fields, "sessionId"))


def _turn(fields: Mapping[str, Any]) -> Message | None:
    """A turn of a checkpoint."""
    parts = [part for part in tables(fields.get("parts")) if not part.get("thought")]
    called = [table(part, "functionCall") for part in parts if "functionCall" in part]
    kind = "user" if fields.get("role") == "user" else "gemini"
    return _message({"type": kind, "content": parts, "toolCalls": called})


def _command_in(text: str) -> str:
    """The command of a text that tells of one that the user ran; any other text as it is."""
    return text.removeprefix(_RAN).partition(_RAN_END)[0] if text.startswith(_RAN) else text


def _is_message(fields: Mapping[str, Any]) -> bool:
    return fields.get("type") in ("user", "gemini") and bool(text_of(fields, "id"))


def _message(fields: Mapping[str, Any]) -> Message | None:
    is_users = fields.get("type") == "user"
    content = fields.get("displayContent") or fields.get("content")
    parts = [content] if isinstance(content, str) else [text_of(part, "text") for part in tables(content)]
    if is_users:
        parts = [without_context(part) for part in parts if not part.startswith(_TOLD)]
    text = "\n".join(part for part in parts if part.strip())
    text = typed(_command_in(DIALECT.words(text))) if is_users else text
    tools = tuple(tool_use(call, "args", "file_path", "dir_path") for call in tables(fields.get("toolCalls")))
    return spoken("user" if is_users else "agent", "" if text == _ANSWER else text, fields, tools)


_FORMS = (
    Form(lambda fields: "messageId" in fields, _typed),
    Form(lambda fields: fields.get("role") in ("user", "model"), _turn),
    Form(_is_message, _message),
    Form(of_type("user", "gemini", "info", "error", "warning")),
    Form(lambda fields: "$set" in fields),
)
