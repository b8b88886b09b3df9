"""Claude Code's records: a file of JSON lines for each session, and one for each of its subagents.
They tell what was said, and what became of our hooks.

For some weeks of spring 2025 it kept a database of all sessions, whose rows the query tells as such lines.

Each part of an agent's message is a line of its own. What Claude Code, its editors and hooks say to the model
stands among the user's messages, marked or in known tags, and is left out block by block. What was typed
while the agent worked is an `attachment`, in some versions a `queue-operation` and nothing else; what was
answered to a question, or said when a tool was refused, stands in that tool's result. A fork's file begins
with a copy of the other session's lines, which name that session in `forkedFrom`. `history.jsonl` keeps what
was typed in all sessions.

A hook that fails or is ended leaves an `attachment`, one that gives something another; one that says nothing
leaves none, but for Stop, whose every call is in a `stop_hook_summary`. What went to the model is in the
messages of `api-request-blob`. The user's words are counted and not kept."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from ctxrepo.agents.claude import install
from ctxrepo.agents.claude.dialect import DIALECT
from ctxrepo.agents.claude.install import SETTINGS
from ctxrepo.agents.documents import (
    Form,
    are_known,
    at_millisecond,
    blocks_of,
    message_in,
    of_type,
    spoken,
    table,
    tables,
    text_in,
    texts_below,
    tool_use,
)
from ctxrepo.agents.hook_line import is_ours
from ctxrepo.agents.recorded import (
    MAX_WORDS,
    MOMENT,
    OPENED,
    Delivery,
    Fate,
    HookCall,
    Message,
    RecordedSession,
    SessionHead,
    Speaker,
    ToolUse,
    joined,
    typed,
    whole_blocks,
)
from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.formats.jsonl import record, text_of, texts_in
from ctxrepo.lazy import lazy_pattern

PATTERN = "projects/*/*.jsonl|__store.db|history.jsonl"
OF_SESSION = "projects/*/{session}.jsonl|__store.db"
SUBAGENTS = "subagents/agent-*.jsonl"
_SQL = texts_beside(__spec__, "records.sql")
QUERY, SESSIONS, TEXTS = _SQL["query"], _SQL["sessions"], _SQL["texts"]
FOLDER_FILE = ""
RESUME = "claude --resume {session}"

NOT_RESUMED = ("history.jsonl",)
FORMER = (".config/claude",)
"""Where some versions of 2025 kept transcripts, below the home."""

_NOBODY = (
    *("[Request interrupted", "Caveat: The messages below", "This session is being continued"),
    *("Stop hook feedback:", "Another Claude session sent a message:"),
)
"""How texts begin that stand as the user's and which nobody typed."""

_MOST_QUEUED = 1000
"""Messages that wait; in a file that somebody made up there may be any number."""

_COMMAND = lazy_pattern(r"\A/[\w:-]+(?:\s+|\Z)")
"""A command of Claude Code's, in front of what it is given."""

_IN_RESULT = {
    "to proceed, the user said:": "\n\nNote: The user's next message",
    "has answered your questions:": ". You can now continue with",
}
"""What stands before a person's words in a tool's result, and what behind them."""
_BEGINNING = 1000
"""Characters of a result in which they begin."""

_REQUEST = "api-request-blob"

_BY_AGENT = ('"type":"assistant"', '"type": "assistant"')
_BY_USER = (
    '"type":"user"',
    '"type": "user"',
    '"queued_command"',
    '"queue-operation"',
    '"local_command"',
    '"display"',
)


folder = install.folder


def head(lines: Iterable[str], /) -> SessionHead:
    folders = (text_of(fields, "cwd") for fields in map(record, lines) if fields)
    return SessionHead(cwd=next(filter(None, folders), ""))


def messages(lines: Iterable[str]) -> Iterator[Message]:
    queue: list[Message] = []
    parts = [*_parts(lines, queue)]
    texts = {message.text for _, message in parts}
    parts += [("", message) for message in queue if message.text not in texts]
    return joined(sorted(parts, key=lambda part: part[1].line))


_QUIET = (
    *("attachment", "queue-operation", "system", "progress", "summary", "last-prompt", "ai-title", _REQUEST),
    *("custom-title", "agent-name", "file-history-snapshot"),
)


def _is_by(kind: str, line: Mapping[str, Any]) -> bool:
    return line.get("type") == kind and bool(blocks_of(table(line, "message")))


def is_own_words(line: Mapping[str, Any], text: str) -> bool:
    """Whether a person wrote this text of a line: not Claude Code itself."""
    is_its_own = line.get("isMeta") is True or line.get("isCompactSummary") is True
    return not is_its_own and (bool(typed(text)) or not text.strip())


def _parts(lines: Iterable[str], queue: list[Message]) -> Iterator[tuple[str, Message]]:
    """(name of the message, a part of it), of each line that says something; what was typed ahead comes into
    the `queue`."""
    for number, line in enumerate(lines):
        fields = record(line.removeprefix("\ufeff")) if _may_say_something(line) else None
        if fields and fields.get("type") == "queue-operation":
            _move_on(queue, fields, number)
        elif fields and (message := message_in(_FORMS, fields)):
            name = text_of(table(fields, "message"), "id") if message.who == "agent" else ""
            yield name, replace(message, line=number)


def _move_on(queue: list[Message], line: Mapping[str, Any], number: int) -> None:
    """A step of the queue of what was typed ahead; what was taken back to be edited was not said."""
    text, step = typed(_COMMAND.sub("", text_of(line, "content"))), line.get("operation")
    if step == "enqueue" and (message := _message(line, "user", text)):
        queue.append(replace(message, line=number))
        del queue[:-_MOST_QUEUED]
    elif step == "popAll" or line.get("reason") == "cancelled":
        queue[:] = [message for message in queue if text and message.text != text]


def _may_say_something(line: str) -> bool:
    """Whether to parse the line. Most of a file is requests, and what tools gave back. No text holds these
    words in bare quotes: a quote within a text is escaped."""
    if any(kind in line for kind in _BY_AGENT):
        return True
    result = line.find('"tool_result"')
    is_said = result < 0 or any(line.find(words, result, result + _BEGINNING) > 0 for words in _IN_RESULT)
    return is_said and any(kind in line for kind in _BY_USER)


def _by_agent(line: Mapping[str, Any]) -> Message | None:
    blocks = blocks_of(table(line, "message"))
    text, paths = text_in(blocks), ("file_path", "notebook_path", "path")
    uses = (tool_use(block, "input", *paths) for block in blocks if block.get("type") == "tool_use")
    return _message(line, "agent", text, uses)


def _typed_once(line: Mapping[str, Any]) -> Message | None:
    """What an entry of `history.jsonl` says, with the texts that were pasted."""
    pasted = (text_of(paste, "content") for paste in tables([*table(line, "pastedContents").values()]))
    text = "\n".join(filter(None, (typed(_COMMAND.sub("", text_of(line, "display"))), *pasted)))
    return _message(line, "user", text, at=at_millisecond(line.get("timestamp")))


def _is_queued(line: Mapping[str, Any]) -> bool:
    queued = table(line, "attachment")
    return queued.get("type") == "queued_command" and queued.get("commandMode", "prompt") == "prompt"


def _by_user(line: Mapping[str, Any], message: Mapping[str, Any]) -> Message | None:
    blocks = blocks_of(message)
    if results := [block for block in blocks if block.get("type") == "tool_result"]:
        return _message(line, "user", "\n".join(filter(None, map(_words_in, results))))
    words = (typed(text_of(block, "text")) for block in blocks if block.get("type") == "text")
    text = "\n".join(part for part in words if part and not part.startswith(_NOBODY))
    return _message(line, "user", text) if is_own_words(line, text) else None


def _words_in(result: Mapping[str, Any]) -> str:
    """What a person said that stands in a tool's result; '' where nobody said anything."""
    text = text_in(blocks_of(result))
    for before, behind in _IN_RESULT.items():
        words = text.partition(before)[2].partition(behind)[0].strip()
        if words and not words.startswith("The user wants to clarify these questions"):
            return words
    return ""


def _message(
    line: Mapping[str, Any], who: Speaker, text: str, tools: Iterable[ToolUse] = (), **more: str
) -> Message | None:
    session = text_of(table(line, "forkedFrom"), "sessionId") or text_of(line, "sessionId")
    names = {"id": text_of(line, "uuid"), "parent": text_of(line, "parentUuid"), "session": session}
    return spoken(who, text, line, tools, **names, **more)


_FORMS = (
    Form(lambda line: line.get("isSidechain") is True),
    Form(lambda line: "display" in line, _typed_once),
    Form(_is_queued, lambda line: _by_user(line, {"content": table(line, "attachment").get("prompt")})),
    Form(lambda line: line.get("subtype") == "local_command", lambda line: _by_user(line, line)),
    Form(lambda line: _is_by("assistant", line), _by_agent),
    Form(lambda line: _is_by("user", line), lambda line: _by_user(line, table(line, "message"))),
    Form(of_type(*_QUIET)),
)
is_quiet = partial(are_known, _FORMS)


NAME = DIALECT.name

UNRECORDED: Mapping[str, str] = {
    "UserPromptSubmit": "Claude Code doesn't record one that gives nothing, nor how long one takes",
    "PreToolUse": "Claude Code doesn't record one that says nothing",
    "PostToolUse": "Claude Code doesn't record one that says nothing",
    "PostToolUseFailure": "Claude Code doesn't record one that says nothing",
    "SubagentStart": "Claude Code doesn't record one that says nothing",
    "PreCompact": "Claude Code records it after /compact only, and without a time",
    "SessionEnd": "Claude Code records nothing about it",
}

_STARTERS = frozenset(("Agent", "Task"))
"""The tool that starts a subagent, as it is called and once was."""
_OF_SUBAGENT = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart")
"""What hooks are called for on behalf of a subagent: it has no prompts, and its end is no turn's."""
_TOOLS = frozenset(SETTINGS.matchers["PostToolUse"].split("|"))
_SHELL = SETTINGS.matchers["PostToolUseFailure"]
_REFUSED = "PreToolUse:"
"""How the result of a tool begins that a hook refused: what calls no hook behind it."""
_RUNNER = lazy_pattern(r"""hooks/run['"]?\s+(\w+)(?=\s|$)""")
_COMPACTED = lazy_pattern(
    r"^(?:<local-command-stdout>Compacted )?PreCompact \[(.*?)\] (completed|failed)(?:: (.*))?", re.MULTILINE
)
_ENDED = "Hook cancelled"
_CHATTER = "Failed with non-blocking status code: "


def read(lines: Iterable[str], is_whole: bool = True, is_subagent: bool = False) -> RecordedSession | None:
    """The session in these lines, or the part of it that a subagent played; None when they hold none."""
    readable = [r for r in map(record, lines) if r is not None]
    fields = [r for r in readable if is_subagent or r.get("isSidechain") is not True]
    moments = sorted(filter(None, map(_moment, fields)))
    columns = ([text_of(r, key)[:MAX_WORDS] for r in fields] for key in ("sessionId", "cwd"))
    session, cwd = (next(filter(None, texts), "") for texts in columns)
    if not moments or not session:
        return None
    happened = _happened(fields)
    attachments = (table(r, "attachment") for r in fields)
    ended = {_call_of(a, a) for a in attachments if a.get("type") == "hook_cancelled"}
    return RecordedSession(
        id=session,
        began=moments[0],
        last=moments[-1],
        cwd=cwd,
        happened={event: happened[event] for event in _OF_SUBAGENT} if is_subagent else happened,
        calls=tuple(call for r in fields for call in _calls(r, ended)),
        given=tuple(_deliveries(fields, is_whole)),
    )


def _calls(line: Mapping[str, Any], ended: Set[tuple[str, str]]) -> Iterator[HookCall]:
    """Calls of our hooks that a line tells of; those `ended` have a line of their own, as failed ones do."""
    at = _moment(line)
    if line.get("subtype") == "stop_hook_summary":
        failed = _list(line, "failedHookErrorIndexes")
        for index, info in enumerate(_list(line, "hookInfos")):
            is_told = index in failed or not isinstance(info, dict) or _call_of(line, info) in ended
            if not is_told and _is_ours(info.get("command")):
                yield HookCall("Stop", at, "ran", _milliseconds(info))
        return
    output = text_of(table(line, "message"), "content").removesuffix("</local-command-stdout>")
    for command, how, words in _COMPACTED.findall(output):
        if _is_ours(command) and how == "completed":
            yield HookCall("PreCompact", at, "ran")
        elif _is_ours(command):
            yield HookCall(
                "PreCompact", at, "ended" if words == _ENDED else "failed", words=words[:MAX_WORDS]
            )
    yield from _attached(table(line, "attachment"), at)


def _attached(attachment: Mapping[str, Any], at: str) -> Iterator[HookCall]:
    event, kind = text_of(attachment, "hookEvent"), text_of(attachment, "type")
    command = attachment.get("command")
    if event not in SETTINGS.events or (command is not None and not _is_ours(command)):
        return
    took = _milliseconds(attachment)
    if kind == "hook_success" and event != "Stop":
        yield HookCall(event, at, "ran", took)
    elif kind == "hook_cancelled":
        yield HookCall(event, at, "ended", took, is_surely_ours=command is not None)
    elif kind.startswith("hook_") and kind.endswith("error") and command is not None:
        words = " ".join(text_of(attachment, "stderr").removeprefix(_CHATTER).split())
        words = words or f"it ended with {attachment.get('exitCode')}"
        yield HookCall(event, at, "failed", took, words[:MAX_WORDS])


def _deliveries(lines: list[dict[str, Any]], is_whole: bool) -> Iterator[Delivery]:
    requests = [(n, texts_below(r.get("message"))) for n, r in enumerate(lines) if r.get("type") == _REQUEST]
    sent = [(number, whole_blocks("\n".join(texts))) for number, texts in requests]
    for number, line in enumerate(lines):
        attachment = table(line, "attachment")
        if attachment.get("type") != "hook_additional_context":
            continue
        text = "\n".join(texts_in(attachment.get("content")))
        tags = set(OPENED.findall(text))
        if not tags:
            continue
        later = [blocks for at, blocks in sent if at > number]
        fate: Fate = "lost" if later and is_whole else "open"
        if not tags <= whole_blocks(text):
            fate = "cut"
        elif any(tags <= blocks for blocks in later):
            fate = "sent"
        size = len(text.encode("utf-8", "replace"))
        yield Delivery(text_of(attachment, "hookEvent")[:40], _moment(line), size, fate)


def _happened(lines: list[dict[str, Any]]) -> dict[str, int]:
    """How often each event came about, counted from the conversation itself."""
    tools: dict[str, str] = {}
    turns: set[str] = set()
    counts = dict.fromkeys(("UserPromptSubmit", *_OF_SUBAGENT, "PreCompact"), 0)
    for line in lines:
        message = table(line, "message")
        blocks = tables(message.get("content"))
        if line.get("type") == "assistant":
            tools |= {text_of(b, "id"): text_of(b, "name") for b in blocks if b.get("type") == "tool_use"}
            if message.get("stop_reason") == "end_turn":
                turns.add(text_of(message, "id"))
        elif line.get("type") == "user":
            results = [b for b in blocks if b.get("type") == "tool_result"]
            counts["PreToolUse"] += len(results)
            came_about = [b for b in results if not text_of(b, "content").startswith(_REFUSED)]
            uses = [(tools.get(text_of(b, "tool_use_id")), b.get("is_error") is True) for b in came_about]
            counts["PostToolUseFailure"] += sum(failed and name == _SHELL for name, failed in uses)
            counts["PostToolUse"] += sum(not failed and name in _TOOLS for name, failed in uses)
            counts["SubagentStart"] += sum(not failed and name in _STARTERS for name, failed in uses)
            text = text_of(message, "content")
            counts["UserPromptSubmit"] += not results and is_own_words(line, text)
        counts["PreCompact"] += line.get("subtype") == "compact_boundary"
    return {"SessionStart": 1, **counts, "Stop": len(turns), "SessionEnd": 1}


def _is_ours(command: object) -> bool:
    match = _RUNNER.search(command) if isinstance(command, str) else None
    return is_ours(command, NAME) or bool(match and match[1] == NAME)


def _call_of(call: Mapping[str, Any], hook: Mapping[str, Any]) -> tuple[str, str]:
    """Which hook of which call: several hooks of one event share the id of its call."""
    return text_of(call, "toolUseID"), text_of(hook, "command")


def _moment(line: Mapping[str, Any]) -> str:
    at = text_of(line, "timestamp")
    return at if MOMENT.fullmatch(at) else ""


def _list(fields: Mapping[str, Any], key: str) -> list[Any]:
    items = fields.get(key)
    return items if isinstance(items, list) else []


def _milliseconds(fields: Mapping[str, Any]) -> int | None:
    took = fields.get("durationMs")
    return int(took) if isinstance(took, int | float) and 0 <= took < 10**9 else None
