"""Codex' transcripts: a file of JSON lines for each session, which it calls a rollout.

What user and agent said are `item_completed` events, in versions before 0.147 `user_message` and
`agent_message`. The messages for the model, which are `response_item`s, in 2025 without an envelope, hold
what Codex and hooks told it as well: they count where no event tells what was said. The first versions, not
yet in Rust, wrote one indented document of them. A fork's file begins where it was forked, in some versions
with a copy of what was said before, and its `session_meta` names the other session. A subagent, and whoever
reviews on Codex' own behalf, has a file among the others, of which nothing is told. `history.jsonl` has what
was typed in all sessions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxrepo.agents.codex import install
from ctxrepo.agents.codex.dialect import files_of
from ctxrepo.agents.documents import (
    Form,
    are_known,
    at_millisecond,
    blocks_of,
    message_in,
    of_type,
    records_in,
    spoken,
    table,
)
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, typed
from ctxrepo.domain.formats.jsonl import record, text_of, texts_in
from ctxrepo.lazy import lazy_pattern

_PLACES = ("sessions/*/*/*", "sessions", "archived_sessions", "archived_sessions/*/*/*")
PATTERN = "|".join((*(f"{place}/rollout-*.json*" for place in _PLACES), "history.jsonl"))
OF_SESSION = "|".join(f"{place}/rollout-*-{{session}}*.json*" for place in _PLACES)
SUBAGENTS = QUERY = SESSIONS = TEXTS = FOLDER_FILE = ""
RESUME = "codex resume {session}"
ARCHIVE = ("archived_sessions", "codex unarchive {session}")
"""The folder of sessions that were put away, and what brings one back first."""
NOT_RESUMED = ("rollout-*.json", "history.jsonl")

_PATCH = "apply_patch"

_SAYING = ('essage"', '_call"', '"session_meta"', '"ts"')
"""What stands, with a bare quote, in the lines that are parsed: most of a file is what tools gave back."""


folder = install.folder


def head(lines: Iterable[str], /) -> SessionHead:
    """What a file's first lines tell of its session; of one of 2025 the first message names the folder."""
    session = ""
    for _, fields in records_in(lines):
        if fields.get("type") == "session_meta" and (payload := table(fields, "payload")):
            return SessionHead(text_of(payload, "id"), text_of(payload, "cwd"))
        fields = table(fields, "session") or fields
        session = session or ("" if "type" in fields else text_of(fields, "id"))
        if session and (place := _CWD.search(_text_in(fields))):
            return SessionHead(session, place[1])
    return SessionHead(session)


def is_quiet(records: Sequence[Mapping[str, Any]], /) -> bool:
    bare = [*map(_bare, records)]
    return any(map(_is_subagents, bare)) or are_known(_FORMS, bare)


_CWD = lazy_pattern(r"<cwd>([^<\\]{1,4096})</cwd>")
_EDITOR, _REQUEST = "# Context from my IDE", "## My request for Codex:"
"""How an editor's words begin in front of the user's, and what parts the two."""

_NOBODY = (
    *("# AGENTS.md instructions for ", "<skill>", "Warning: apply_patch was requested"),
    "Warning: The maximum number of unified exec processes",
)
_BY_USER = ("UserMessage", "user_message", "user")
_BY_AGENT = (
    *("AgentMessage", "agent_message", "assistant"),
    *("custom_tool_call", "function_call", "local_shell_call"),
)
_FOR_MODEL = "message"


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """What user and agent said, oldest first, with the tools that the agent used before it said something."""
    spoken = _spoken(lines)
    events = [n for n, (kind, message) in enumerate(spoken) if kind != _FOR_MODEL and message.text]
    keys = {_key(spoken[n][1]) for n in events}
    # A session may go on in a newer version: what stands before the first event counts as far as the agent
    # answers, for behind that are the messages for the model which the events will repeat.
    other = [n for n, (_, m) in enumerate(spoken[: events[0]] if events else spoken) if _key(m) not in keys]
    if events:
        other = other[: max((at for at, n in enumerate(other, 1) if spoken[n][1].who == "agent"), default=0)]
    counted, tools, before, latest = {*events, *other}, list[ToolUse](), "", ("", ("", ""))
    begins = 0
    for number, (kind, message) in enumerate(spoken):
        begins = begins if tools else message.line
        tools += message.tools
        is_again = latest[1] == _key(message) and latest[0] != kind  # one message, in two forms
        if number not in counted or not message.text or is_again:
            continue
        latest = kind, _key(message)
        uses, tools = (tuple(tools), []) if message.who == "agent" else ((), tools)
        yield replace(message, parent=before, tools=uses, line=begins if uses else message.line)
        before = message.id


def _key(message: Message) -> tuple[str, str]:
    return message.who, " ".join(message.text.split())


def _spoken(lines: Iterable[str]) -> list[tuple[str, Message]]:
    """(form, message) of each line that says something, or that uses a tool; none of a subagent's."""
    messages = []
    origin = start = ""
    for number, fields in records_in(lines, _SAYING):
        bare = _bare(fields)
        if fields.get("type") == "session_meta":
            if _is_subagents(bare):
                return []
            if not start:
                origin, start = text_of(bare, "forked_from_id"), text_of(bare, "timestamp") or "-"
        elif message := message_in(_FORMS, bare):
            is_copy = bool(origin) and message.at < start
            session = message.session or (origin if is_copy else text_of(bare, "thread_id"))
            kind = text_of(bare, "type") or _FOR_MODEL
            messages.append((kind, replace(message, session=session, line=number)))
    return messages


def _bare(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record without its envelopes, if it has any, but with the moment that stands there."""
    payload = table(fields, "payload")
    return {**fields, **payload, **table(payload, "item")}


def _is_subagents(meta: Mapping[str, Any]) -> bool:
    """Whether a session was begun by another one, or by Codex to review it."""
    return "subagent" in table(meta, "source") or text_of(meta, "thread_source") in _OF_ITS_OWN


_OF_ITS_OWN = ("subagent", "guardian_review", "memory_consolidation")
"""What began a session that no person did."""


def _speaker(fields: Mapping[str, Any]) -> str:
    """Who says something, by the type of an event or its item, or by the role of a message for the model."""
    kind = text_of(fields, "type")
    return text_of(fields, "role") if kind in ("", _FOR_MODEL) else kind


def _message(fields: Mapping[str, Any]) -> Message | None:
    text = _text_in(fields) or text_of(fields, "message")
    if _speaker(fields) in _BY_USER:
        return spoken("user", _own_words(text), fields)
    return spoken("agent", text, fields, _tools(fields))


def _typed_once(fields: Mapping[str, Any]) -> Message | None:
    """What an entry of `history.jsonl` says."""
    seconds, session = fields.get("ts"), text_of(fields, "session_id")
    at = at_millisecond(seconds * 1000 if isinstance(seconds, int) else None)
    return spoken("user", typed(text_of(fields, "text")), fields, session=session, at=at)


def _own_words(text: str) -> str:
    """What the user typed of a text that stands as theirs."""
    text = text.partition(_REQUEST)[2] if text.startswith(_EDITOR) else text
    return "" if (text := typed(text)).startswith(_NOBODY) else text


def _text_in(message: Mapping[str, Any]) -> str:
    """The text of a message, whatever its blocks are called: `text`, `Text`, `input_text`, `output_text`."""
    parts = (part for part in blocks_of(message) if text_of(part, "type").lower().endswith("text"))
    return "\n".join(text_of(part, "text") for part in parts)


def _tools(payload: Mapping[str, Any]) -> Iterator[ToolUse]:
    """The tool that the model asked for in this line of a rollout."""
    kind, name = text_of(payload, "type"), text_of(payload, "name")
    if kind == "custom_tool_call" and name == _PATCH:
        yield ToolUse(name, tuple(file.path for file in files_of(text_of(payload, "input"))))
    elif kind in ("custom_tool_call", "function_call"):
        arguments = record(text_of(payload, "arguments")) or {}
        yield ToolUse(name, (), _command_line(arguments.get("cmd") or arguments.get("command")))
    elif kind == "local_shell_call":
        yield ToolUse("shell", (), _command_line(table(payload, "action").get("command")))


def _command_line(command: object) -> str:
    """A command that is a text, or the words of one; of a shell that is given a script the script."""
    words = texts_in(command)
    is_script = len(words) == 3 and words[1] in ("-c", "-lc")
    return command if isinstance(command, str) else words[2] if is_script else " ".join(words)


_FORMS = (
    Form(lambda fields: "ts" in fields, _typed_once),
    Form(lambda fields: _speaker(fields) in (*_BY_USER, *_BY_AGENT), _message),
    Form(lambda fields: "role" in fields and bool(fields.get("content"))),  # for the model
    Form(
        of_type(
            *("session_meta", "turn_context", "world_state", "compacted", "thread_settings_applied"),
            *("error", "warning", "stream_error"),
        )
    ),
)
