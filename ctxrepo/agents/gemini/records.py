"""Gemini CLI's transcripts: a file of JSON lines for each session, and one for each of its subagents.

A line is a message, and of those with one id the last counts. `$set` changes what is known of the session:
with `messages` the conversation as the model is told it, which may be a summary; what was said has lines of
its own. `$rewindTo` goes back to before a message. What Gemini CLI and hooks tell the model stands among
the user's parts, in angle brackets, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.gemini import install
from ctxrepo.agents.gemini.dialect import DIALECT, without_context
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of

PATTERN = "*/chats/session-*.jsonl"
OF_SESSION = "*/chats/session-*-{session:.8}.jsonl"
SUBAGENTS = ""  # they are in a folder named by the whole id, and no file of the session has that name
QUERY = ""
SESSIONS = ""
TEXTS = ""
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
    names = (text_of(said, "sessionId") for said in map(record, lines) if said)
    return SessionHead(next(filter(None, names), ""))


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; what can't be read is left out."""
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    parents: dict[str, str] = {}
    session = last = ""
    for number, line in enumerate(lines):
        said = None if line.startswith(_CHANGE) else record(line)
        if said is None:
            continue
        session = session or text_of(said, "sessionId")
        if to := text_of(said, "$rewindTo"):
            last = parents.get(to, "")
        elif (name := text_of(said, "id")) and said.get("type") in ("user", "gemini"):
            if name not in found:
                parents[name] = last
            found[name], last = (number, said), name
    read = {
        name: replace(message, line=number)
        for name, (number, said) in found.items()
        if (message := _message(said, session))
    }
    for name, message in read.items():
        parent = parents[name]
        while parent and parent not in read:
            parent = parents[parent]
        yield replace(message, parent=parent)


def _message(said: Mapping[str, Any], session: str) -> Message | None:
    """A message, None where it says nothing and uses no tool."""
    by_user = said.get("type") == "user"
    parts = _parts(said.get("displayContent") or said.get("content"))
    if by_user:
        parts = [without_context(part) for part in parts if not part.startswith(_SESSION_CONTEXT)]
    text = "\n".join(part for part in parts if part.strip())
    text = DIALECT.words(text) if by_user else text
    tools = tuple(_tool(call) for call in _dicts(said.get("toolCalls")))
    if not text.strip() and not tools:
        return None
    return Message(
        "user" if by_user else "agent",
        text,
        id=text_of(said, "id"),
        session=session,
        at=text_of(said, "timestamp"),
        tools=tools,
    )


def _tool(call: Mapping[str, Any]) -> ToolUse:
    args = call.get("args")
    given = args if isinstance(args, dict) else {}
    paths = filter(None, (text_of(given, name) for name in ("file_path", "dir_path")))
    return ToolUse(text_of(call, "name"), text_of(call, "id"), tuple(paths), text_of(given, "command"))


def _parts(content: object) -> list[str]:
    """The texts of a message, whose content is one text or a list of parts."""
    if isinstance(content, str):
        return [content]
    return [text_of(part, "text") for part in _dicts(content)]


def _dicts(node: object) -> list[dict[str, Any]]:
    return [one for one in node if isinstance(one, dict)] if isinstance(node, list) else []
