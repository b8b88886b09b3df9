"""OpenCode's transcripts: a database of sessions, whose messages have parts; a line here is one part.

What OpenCode or a plugin put beside the user's words is marked as synthetic, and is left out. A fork holds
copies of the other session's messages, which are older than it; only what our bridge put beside them names
that session."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ctxrepo.agents.opencode.dialect import DIALECT
from ctxrepo.agents.protocol import named_folder
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, joined, table
from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.formats.moment import stamp

PATTERN = "opencode*.db"
OF_SESSION = PATTERN
SUBAGENTS = ""

_SQL = texts_beside(__spec__, "records.sql")
QUERY = _SQL["query"]
"""Messages come first (a cross join keeps that order): where few are asked for, SQLite would otherwise read
all parts of the session."""

SESSIONS = _SQL["sessions"]
TEXTS = _SQL["texts"]
FOLDER_FILE = ""
RESUME = "opencode --session {session}"

_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the databases are; ConfigError when the environment names an unusable place."""
    return (named_folder("XDG_DATA_HOME", environment) or user_home / ".local/share") / "opencode"


def head(_: Iterable[str], /) -> SessionHead:
    """Nothing: a database has many sessions."""
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first. Each follows the one before: `parentID` names,
    for all that the agent said in a turn, what the user had said."""
    before = ""
    for message in joined(_parts(lines)):
        text = DIALECT.words(message.text) if message.who == "user" else message.text
        yield replace(message, text=text, parent=before)
        before = message.id


def _parts(lines: Iterable[str]) -> Iterator[tuple[str, Message]]:
    """(name of the message, a part of it), of each line that says something."""
    origin = ""
    for number, text in enumerate(lines):
        line = record(text) or {}
        part = table(line, "part")
        origin = text_of(table(part, "metadata"), "ctxrepo") or origin
        if message := _message(line, part, origin):
            yield message.id, replace(message, line=number)


def _message(line: Mapping[str, Any], part: Mapping[str, Any], origin: str) -> Message | None:
    """What this part holds of its message; None where nobody said it."""
    kind, is_agents = text_of(part, "type"), line.get("role") == "assistant"
    if line.get("role") not in ("user", "assistant") or line.get("is_summary") == 1:
        return None
    text = text_of(part, "text") if kind == "text" and part.get("synthetic") is not True else ""
    tools = (_tool(part),) if kind == "tool" and is_agents else ()
    if not text.strip() and not tools:
        return None
    return Message(
        "agent" if is_agents else "user",
        text,
        id=text_of(line, "message"),
        session=origin if line.get("is_copy") == 1 else text_of(line, "session"),
        at=_moment(line.get("at")),
        tools=tools,
    )


def _tool(part: Mapping[str, Any]) -> ToolUse:
    values = table(table(part, "state"), "input")
    patch = [line for line in text_of(values, "patchText").split("\n") if line.startswith(_PATCHED)]
    paths = [text_of(values, "filePath"), text_of(values, "path"), *(p.partition(": ")[2] for p in patch)]
    return ToolUse(text_of(part, "tool"), tuple(filter(None, paths)), text_of(values, "command"))


def _moment(milliseconds: object) -> str:
    if not isinstance(milliseconds, int | float) or not 0 < milliseconds < 10**14:
        return ""
    return stamp(datetime.fromtimestamp(milliseconds / 1000, UTC))
