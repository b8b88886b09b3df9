"""pi's transcripts: a file of JSON lines for each session, whose entries are a tree.

The first line says which session it is and, in a fork, the file of the session from which it was made, of
whose entries a copy follows. What extensions tell the model are entries of another kind, and are left out.
Before the end of 2025 entries had no ids and stood in their order, and a fork named its origin
`branchedFrom`. A command that a user runs with `!` has a role of its own."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ctxrepo.agents.documents import (
    Form,
    are_known,
    blocks_of,
    message_in,
    of_type,
    records_in,
    spoken,
    table,
    text_in,
    tool_use,
)
from ctxrepo.agents.pi import install
from ctxrepo.agents.pi.dialect import session_of
from ctxrepo.agents.recorded import Message, SessionHead, typed
from ctxrepo.domain.formats.jsonl import text_of

PATTERN = "**/*.jsonl"
OF_SESSION = "**/*_{session}.jsonl"
SUBAGENTS = QUERY = SESSIONS = TEXTS = FOLDER_FILE = ""
RESUME = "pi --session {session}"
FORMER = (".coding-agent/sessions",)
VARIABLES = ("PI_CODING_AGENT_SESSION_DIR",)

_ROLES = (
    *("user", "assistant", "bashExecution"),
    *("toolResult", "hookMessage", "custom", "branchSummary", "compactionSummary"),
)
"""The roles of messages that are known; what none but the first three wrote isn't told."""

_KINDS = (
    *("custom", "custom_message", "event", "session", "session_info"),
    *("compaction", "branch_summary", "label"),
)
"""The types of entries with words that are no messages."""

_FILES = re.compile(r'\A(?:<file name="[^"\n]{1,4096}">.*?</file>\n)+', re.DOTALL)
"""What pi puts in front of a prompt for each `@file` of its command line."""

_SKILL = re.compile(r'\s*<skill name="[^"]*" location="[^"]*">\n.*?\n</skill>\s*', re.DOTALL)
"""What pi puts in the place of `/skill:NAME`, in front of what was typed behind it."""


folder = install.sessions


def head(lines: Iterable[str], /) -> SessionHead:
    for _, fields in records_in(lines):
        if fields.get("type") == "session":
            return SessionHead(text_of(fields, "id"), text_of(fields, "cwd"))
    return SessionHead()


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said in these lines, in the order in which it was said; what can't be read is left
    out.

    A message's parent is the last one before it on its branch. In a fork, what was said before it was made
    belongs to the session from which it was made."""
    session = origin = start = ""
    above: dict[str, str] = {}
    for number, fields in records_in(lines):
        if fields.get("type") == "session":
            session, start = text_of(fields, "id"), text_of(fields, "timestamp")
            origin = session_of(text_of(fields, "parentSession") or text_of(fields, "branchedFrom"))
            continue
        name, parent = text_of(fields, "id"), text_of(fields, "parentId")
        is_copy = bool(origin) and text_of(fields, "timestamp") < start
        message, parent = message_in(_FORMS, fields), above.get(parent, parent)
        above[name] = name if message else parent
        if message:
            yield replace(message, parent=parent, session=origin if is_copy else session, line=number)


def _message(entry: Mapping[str, Any]) -> Message | None:
    message = table(entry, "message")
    blocks, role = blocks_of(message), message.get("role")
    text = text_in(blocks)
    tools = tuple(tool_use(block, "arguments", "path") for block in blocks if block.get("type") == "toolCall")
    if role == "user":
        skill = _SKILL.match(text)
        text, tools = typed(_FILES.sub("", text[skill.end() :] if skill else text)), ()
    if role == "bashExecution":
        role, text = "user", text_of(message, "command")
    if role not in ("user", "assistant"):
        return None
    return spoken("user" if role == "user" else "agent", text, entry, tools)


def _has_message(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") == "message" and table(entry, "message").get("role") in _ROLES


_FORMS = (Form(_has_message, _message), Form(of_type(*_KINDS)))
is_quiet = partial(are_known, _FORMS)
