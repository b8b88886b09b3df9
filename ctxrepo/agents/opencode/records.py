"""OpenCode's transcripts: a database of sessions, whose messages have parts; a line here is one part. Until
January 2026 session, messages and parts were a file each, in folders that tell what belongs together, and in
the first versions, until July 2025, the parts stood in their messages; a line here is such a file. Version 2
has tables of its own beside those of version 1, whose rows the query tells as those of 1.

What OpenCode or a plugin put beside the user's words is marked as synthetic, and is left out. A fork holds
copies of the other session's messages, which are older than it; only what our bridge put beside them names
that session."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.documents import at_millisecond, spoken, table, tables
from ctxrepo.agents.opencode.dialect import DIALECT
from ctxrepo.agents.protocol import named_folder
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, joined, typed
from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "opencode*.db|storage/session/*/ses_*.json|project/*/storage/session/info/ses_*.json"
OF_SESSION = "|".join(
    ("opencode*.db", "storage/session/*/{session}.json", "project/*/storage/session/info/{session}.json")
)
SUBAGENTS = ""
PARTS = (
    ("../../message/{session}", "../../part/{message}"),
    ("../message/{session}", "../part/{session}/{message}"),
)
"""Where the messages of a session's file are, and the parts of each, seen from the file's folder."""

_SQL = texts_beside(__spec__, "records.sql")
QUERY = _SQL["query"]
"""Messages come first (a cross join keeps that order): where few are asked for, SQLite would otherwise read
all parts of the session."""

SESSIONS = _SQL["sessions"]
TEXTS = _SQL["texts"]
FOLDER_FILE = ""
RESUME = "opencode --session {session}"
VARIABLES = ("XDG_DATA_HOME",)

_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the databases are; ConfigError when the environment names an unusable place."""
    return (named_folder("XDG_DATA_HOME", environment) or user_home / ".local/share") / "opencode"


def head(lines: Iterable[str], /) -> SessionHead:
    """What a session's own file tells of it; nothing of a database, which has many."""
    fields = record(next(iter(lines), "")) or {}
    return SessionHead(text_of(fields, "id"), text_of(fields, "directory"))


def is_quiet(records: Sequence[Mapping[str, Any]], /) -> bool:
    is_subagents = any("parentID" in fields and "role" not in fields for fields in records)
    return is_subagents or all(map(_is_no_message, records))


def _is_no_message(fields: Mapping[str, Any]) -> bool:
    part = table(fields, "part") or fields
    is_head = "directory" in fields or "title" in fields
    return is_head or part.get("type") in _KINDS or ("role" in fields and "parts" not in fields)


_KINDS = (
    *("text", "tool", "file", "reasoning", "step-start", "step-finish", "snapshot", "patch", "compaction"),
    *("agent", "subtask", "retry"),
)
"""The types of parts."""


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first. Each follows the one before: `parentID` names,
    for all that the agent said in a turn, what the user had said."""
    before = ""
    for message in joined(_parts(lines)):
        text = typed(DIALECT.words(message.text)) if message.who == "user" else message.text
        yield replace(message, text=text, parent=before)
        before = message.id


def _parts(lines: Iterable[str]) -> Iterator[tuple[str, Message]]:
    """(name of the message, a part of it), of each line that says something."""
    origin = ""
    for number, line in _lines(lines):
        part = table(line, "part")
        origin = text_of(table(part, "metadata"), "ctxrepo") or origin
        if message := _message(line, part, origin):
            yield message.id, replace(message, line=number)


def _lines(lines: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """What the query selects of a database, and the same made of files: each part with its message, and the
    number of the line of that. Nothing of a subagent's session."""
    message: dict[str, Any] = {}
    began: object = 0
    begins = 0
    for number, text in enumerate(lines):
        line = record(text) or {}
        if "part" in line:
            yield number, line
        elif "directory" in line or "projectID" in line:
            if text_of(line, "parentID"):
                return
            began = table(line, "time").get("created")
        elif "role" in line:
            message, begins = _as_selected(line, began), number
            yield from ((number, {**message, "part": part}) for part in tables(line.get("parts")))
        elif message and "messageID" in line:
            yield begins, {**message, "part": line}


def _as_selected(file: Mapping[str, Any], began: object) -> dict[str, Any]:
    """A message's own file as the query selects it; `began` is when its session was made."""
    of_first = table(file, "metadata")
    at = (table(file, "time") or table(of_first, "time")).get("created")
    is_copy = isinstance(at, int | float) and isinstance(began, int | float) and at < began
    return {
        "message": file.get("id"),
        "session": file.get("sessionID") or of_first.get("sessionID"),
        "is_copy": int(is_copy),
        "role": file.get("role"),
        "at": at,
        "is_summary": int(file.get("summary") is True),
    }


def _message(line: Mapping[str, Any], part: Mapping[str, Any], origin: str) -> Message | None:
    """What this part holds of its message; None where nobody said it."""
    kind, is_agents = text_of(part, "type"), line.get("role") == "assistant"
    if line.get("role") not in ("user", "assistant") or line.get("is_summary") == 1:
        return None
    text = text_of(part, "text") if kind == "text" and part.get("synthetic") is not True else ""
    tools = (_tool(part),) if kind in ("tool", "tool-invocation") and is_agents else ()
    session = origin if line.get("is_copy") == 1 else text_of(line, "session")
    names = {"id": text_of(line, "message"), "session": session, "at": at_millisecond(line.get("at"))}
    return spoken("agent" if is_agents else "user", text, line, tools, **names)


def _tool(part: Mapping[str, Any]) -> ToolUse:
    of_first = table(part, "toolInvocation")
    values = table(table(part, "state"), "input") or table(of_first, "args")
    patch = [line for line in text_of(values, "patchText").split("\n") if line.startswith(_PATCHED)]
    paths = [text_of(values, "filePath"), text_of(values, "path"), *(p.partition(": ")[2] for p in patch)]
    name = text_of(part, "tool") or text_of(part, "name") or text_of(of_first, "toolName")
    return ToolUse(name, tuple(filter(None, paths)), text_of(values, "command"))
