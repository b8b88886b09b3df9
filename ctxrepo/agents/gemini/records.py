"""Gemini CLI's transcripts: a file of JSON lines for each session, and one for each of its subagents;
in older versions one JSON document, indented.

A line is a message, and of those with one id the last counts. `$set` changes what is known of the session:
with `messages` the conversation as the model is told it, which may be a summary; what was said has lines of
its own. `$rewindTo` goes back to before a message. What Gemini CLI and hooks tell the model stands among
the user's parts, in angle brackets, and is left out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.gemini import install
from ctxrepo.agents.gemini.dialect import DIALECT, without_context
from ctxrepo.agents.recorded import Message, SessionHead, tables, tool_use
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "*/chats/session-*.jsonl|*/chats/session-*.json"
OF_SESSION = "*/chats/session-*-{session:.8}.jsonl|*/chats/session-*-{session:.8}.json"
SUBAGENTS = ""  # they are in a folder named by the whole id, and no file of the session has that name
QUERY = SESSIONS = TEXTS = ""
FOLDER_FILE = "../.project_root"
RESUME = "gemini --resume {session}"

_CHANGE = ('{"$set"', '{ "$set"')
"""How lines begin that say nothing new, some of them with all that was said so far."""

_SESSION_CONTEXT = "<session_context>"
"""How the part begins in which Gemini CLI tells the model where it is."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are; ConfigError when the environment names an unusable place."""
    return install.folder(user_home, environment) / "tmp"


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session: its folder stands elsewhere."""
    names = (text_of(fields, "sessionId") for _, fields in _records(lines))
    return SessionHead(next(filter(None, names), ""))


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; what can't be read is left out."""
    last_lines: dict[str, tuple[int, dict[str, Any]]] = {}
    parents: dict[str, str] = {}
    session = last = ""
    for number, fields in _records(lines):
        session = session or text_of(fields, "sessionId")
        if to := text_of(fields, "$rewindTo"):
            last = parents.get(to, "")
        elif (name := text_of(fields, "id")) and fields.get("type") in ("user", "gemini"):
            if name not in last_lines:
                parents[name] = last
            last_lines[name], last = (number, fields), name
    read = {
        name: replace(message, line=number)
        for name, (number, fields) in last_lines.items()
        if (message := _message(fields, session))
    }
    for name, message in read.items():
        parent = parents[name]
        while parent and parent not in read:
            parent = parents[parent]
        yield replace(message, parent=parent)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records, with the numbers of their lines: lines of JSON, or the parts of an indented document, in
    which a message begins and ends with a brace that stands by itself four columns from the edge."""
    opened: list[str] = []
    for number, line in enumerate(lines):
        bare = line.rstrip().rstrip(",")
        if opened or line.rstrip() == "    {":
            opened.append(line)
            if bare == "    }":
                yield number - len(opened) + 1, record("".join([*opened[:-1], bare])) or {}
                opened = []
        elif line.startswith('  "'):
            yield number, record(f"{{{bare.strip()}}}") or {}
        elif not line.startswith(_CHANGE) and (fields := record(line)):
            yield number, fields
            yield from ((number, message) for message in tables(fields.get("messages")))


def _message(fields: Mapping[str, Any], session: str) -> Message | None:
    """A message, None where it says nothing and uses no tool."""
    is_users = fields.get("type") == "user"
    content = fields.get("displayContent") or fields.get("content")
    parts = [content] if isinstance(content, str) else [text_of(part, "text") for part in tables(content)]
    if is_users:
        parts = [without_context(part) for part in parts if not part.startswith(_SESSION_CONTEXT)]
    text = "\n".join(part for part in parts if part.strip())
    text = DIALECT.words(text) if is_users else text
    tools = tuple(tool_use(call, "args", "file_path", "dir_path") for call in tables(fields.get("toolCalls")))
    if not text.strip() and not tools:
        return None
    return Message(
        "user" if is_users else "agent",
        text,
        id=text_of(fields, "id"),
        session=session,
        at=text_of(fields, "timestamp"),
        tools=tools,
    )
