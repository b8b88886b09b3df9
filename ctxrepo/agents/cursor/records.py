"""Cursor's transcripts: a file of JSON lines for each conversation, `{"role", "message": {"content"}}`.

A line names neither itself nor a moment, so messages have no id, and stand in their order. What the user
typed is in `<user_query>` tags; what Cursor says to the model besides stands in tags of other names. The form
is undocumented, and known from those who publish readers of it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ctxrepo.agents.cursor import install
from ctxrepo.agents.recorded import Message, SessionHead, blocks_of, table, text_in, tool_use, typed
from ctxrepo.domain.formats.jsonl import record
from ctxrepo.lazy import lazy_pattern

PATTERN = "*/agent-transcripts/*/*.jsonl"
OF_SESSION = "*/agent-transcripts/{session}/{session}.jsonl"
SUBAGENTS = ""  # they are in `subagents/` beside the session's file, and nothing of ours is recorded in them
QUERY = SESSIONS = TEXTS = FOLDER_FILE = ""
RESUME = "cursor-agent --resume {session}"

_PATHS = ("path", "file_path", "target_file", "target_notebook")
_QUERY = lazy_pattern(r"<user_query>((?:(?!<user_query>).)*?)</user_query>", re.DOTALL)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where the transcripts are."""
    return install.folder(user_home, environment) / "projects"


def head(_: Iterable[str], /) -> SessionHead:
    """Nothing: the file is named after the session, and its folder isn't told."""
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, oldest first; what can't be read is left out."""
    for number, line in enumerate(lines):
        fields = record(line) or {}
        blocks = blocks_of(table(fields, "message"))
        text = text_in(blocks)
        if fields.get("role") == "user":
            # All of it, where nothing is in tags.
            if words := "\n".join(map(str.strip, _QUERY.findall(text))) or typed(text):
                yield Message("user", words, line=number)
        elif fields.get("role") == "assistant":
            uses = (block for block in blocks if block.get("type") == "tool_use")
            tools = tuple(tool_use(block, "input", *_PATHS) for block in uses)
            if text.strip() or tools:
                yield Message("agent", text.strip(), tools=tools, line=number)
