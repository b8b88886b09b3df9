"""Transcripts in the form in which each agent keeps them."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

AGENTS = ("claude", "codex", "gemini", "copilot", "pi", "opencode")


@dataclass(frozen=True)
class Said:
    """A message: who said it, the file or command that a tool was given with it, and what that gave back; at
    `at`, in milliseconds since 1970."""

    who: str
    text: str
    at: int
    command: str = ""
    file: str = ""
    result: str = ""


@dataclass(frozen=True)
class Session:
    """A session of an agent in a folder. Its first `copied` messages are those of the one `forked` from."""

    agent: str
    id: str
    cwd: str
    messages: Sequence[Said]
    forked: str = ""
    copied: int = 0


Line = dict[str, Any]


def write(home: Path, session: Session) -> int:
    """Write a session where its agent keeps it; the bytes of it."""
    if session.agent == "opencode":
        return _write_rows(home, session)
    lines = [json.dumps(line, ensure_ascii=False) for line in _FORMS[session.agent](session)]
    path = home / _place(session)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(lines) + "\n"
    path.write_text(text, "utf-8")
    if session.agent == "gemini":
        (path.parent.parent / ".project_root").write_text(session.cwd)
    return len(text.encode())


def _place(session: Session) -> str:
    slug, day = session.cwd.replace("/", "-"), _moment(session.messages[0].at)
    file_day = day[:19].replace(":", "-")
    return {
        "claude": f".claude/projects/{slug}/{session.id}.jsonl",
        "codex": f".codex/sessions/{day[:4]}/{day[5:7]}/{day[8:10]}/rollout-{file_day}-{session.id}.jsonl",
        "gemini": f".gemini/tmp/{slug[1:]}/chats/session-{file_day[:16]}-{session.id[:8]}.jsonl",
        "copilot": f".copilot/session-state/{session.id}/events.jsonl",
        "pi": f".pi/agent/sessions/-{slug}--/{file_day}-{day[20:23]}Z_{session.id}.jsonl",
    }[session.agent]


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _claude(session: Session) -> Iterator[Line]:
    for number, entry in enumerate(session.messages):
        about: Line = {
            "isSidechain": False,
            "uuid": f"{session.id[:24]}{number:012}",
            "timestamp": _moment(entry.at),
            "cwd": session.cwd,
            "sessionId": session.id,
            "version": "2.1.328",
        }
        if number < session.copied:
            about["forkedFrom"] = {"sessionId": session.forked}
        if entry.who == "user":
            yield {**about, "type": "user", "message": {"role": "user", "content": entry.text}}
            continue
        blocks: list[Line] = [{"type": "text", "text": entry.text}] if entry.text else []
        if entry.command or entry.file:
            name, given = ("Bash", {"command": entry.command})
            if entry.file:
                name, given = ("Edit", {"file_path": entry.file, "old_string": "a", "new_string": "b"})
            blocks.append({"type": "tool_use", "id": f"toolu_{number:06}", "name": name, "input": given})
        message = {"id": f"msg_{session.id[:8]}{number:06}", "role": "assistant", "content": blocks}
        yield {**about, "type": "assistant", "message": message}
        if entry.result:
            back = [{"tool_use_id": f"toolu_{number:06}", "type": "tool_result", "content": entry.result}]
            yield {**about, "type": "user", "message": {"role": "user", "content": back}}


def _codex(session: Session) -> Iterator[Line]:
    yield {
        "timestamp": _moment(session.messages[0].at),
        "type": "session_meta",
        "payload": {
            "id": session.id,
            "cwd": session.cwd,
            "originator": "codex_exec",
            "cli_version": "0.169.0",
        },
    }
    for number, message in enumerate(session.messages):
        at = _moment(message.at)
        if message.text:
            kind, block = ("UserMessage", "text") if message.who == "user" else ("AgentMessage", "Text")
            role, part = ("user", "input_text") if message.who == "user" else ("assistant", "output_text")
            item = {
                "type": kind,
                "id": f"{session.id[:24]}{number:012}",
                "content": [{"type": block, "text": message.text}],
            }
            about = {"type": "item_completed", "thread_id": session.id, "item": item}
            for_model = {"type": "message", "role": role, "content": [{"type": part, "text": message.text}]}
            yield {"timestamp": at, "type": "response_item", "payload": for_model}
            yield {"timestamp": at, "type": "event_msg", "payload": about}
        if message.command or message.file:
            arguments = json.dumps({"cmd": message.command or f"sed -n 1,200p {message.file}"})
            call = {"type": "function_call", "name": "exec_command", "arguments": arguments}
            yield {"timestamp": at, "type": "response_item", "payload": {**call, "call_id": f"call_{number}"}}
            back = {"type": "function_call_output", "call_id": f"call_{number}", "output": message.result}
            yield {"timestamp": at, "type": "response_item", "payload": back}


def _gemini(session: Session) -> Iterator[Line]:
    began = _moment(session.messages[0].at)
    yield {"sessionId": session.id, "projectHash": "d6254e6c", "startTime": began, "kind": "main"}
    for number, message in enumerate(session.messages):
        line: Line = {"id": f"{session.id[:24]}{number:012}", "timestamp": _moment(message.at)}
        if message.who == "user":
            yield {**line, "type": "user", "content": [{"text": message.text}]}
            continue
        line |= {"type": "gemini", "content": message.text, "thoughts": [], "model": "gemini-2.5-flash"}
        if message.command or message.file:
            name, given = ("run_shell_command", {"command": message.command})
            if message.file:
                name, given = ("replace", {"file_path": message.file})
            back = [{"functionResponse": {"name": name, "response": {"output": message.result}}}]
            line["toolCalls"] = [{"id": f"t{number}", "name": name, "args": given, "result": back}]
        yield line


def _copilot(session: Session) -> Iterator[Line]:
    def event(kind: str, at: int, number: int, data: Line) -> Line:
        name = f"{session.id[:24]}{number:012}"
        return {"type": kind, "data": data, "id": name, "timestamp": _moment(at), "parentId": None}

    start = {"sessionId": session.id, "version": 1, "context": {"cwd": session.cwd}}
    yield event("session.start", session.messages[0].at, 0, start)
    for number, message in enumerate(session.messages, 1):
        if message.who == "user":
            yield event(
                "user.message", message.at, number, {"content": message.text, "messageId": f"m{number}"}
            )
            continue
        requests: list[Line] = []
        if message.command or message.file:
            name, given = ("bash", {"command": message.command})
            if message.file:
                name, given = ("edit", {"path": message.file})
            requests = [
                {"toolCallId": f"call_{number}", "name": name, "arguments": given, "type": "function"}
            ]
        yield event(
            "assistant.message", message.at, number, {"content": message.text, "toolRequests": requests}
        )
        if message.result:
            data = {"toolCallId": f"call_{number}", "success": True, "result": {"content": message.result}}
            yield event("tool.execution_complete", message.at, number, data)


def _pi(session: Session) -> Iterator[Line]:
    began = session.messages[session.copied].at - 1 if session.copied else session.messages[0].at
    head: Line = {"type": "session", "version": 3, "id": session.id, "timestamp": _moment(began)}
    parent = (
        {"parentSession": f"/x/2026-01-01T00-00-00-000Z_{session.forked}.jsonl"} if session.forked else {}
    )
    yield {**head, "cwd": session.cwd, **parent}
    before = None
    for number, message in enumerate(session.messages):
        name = f"{number:08x}"
        blocks: list[Line] = [{"type": "text", "text": message.text}] if message.text else []
        if message.command or message.file:
            kind, given = ("bash", {"command": message.command})
            if message.file:
                kind, given = ("edit", {"path": message.file})
            blocks.append({"type": "toolCall", "id": f"toolu_{number}", "name": kind, "arguments": given})
        role = "user" if message.who == "user" else "assistant"
        about: Line = {"type": "message", "parentId": before, "timestamp": _moment(message.at)}
        yield {**about, "id": name, "message": {"role": role, "content": blocks}}
        before = name
        if message.result:
            back = {"role": "toolResult", "content": [{"type": "text", "text": message.result}]}
            yield {**about, "id": f"r{number:07x}", "parentId": name, "message": back}


_FORMS: dict[str, Callable[[Session], Iterator[Line]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "pi": _pi,
}

_TABLES = """
    create table if not exists session (
        id text primary key, parent_id text, time_created integer, time_updated integer, directory text
    );
    create table if not exists message (
        id text primary key, session_id text, time_created integer, time_updated integer, data text
    );
    create table if not exists part (
        id text primary key, message_id text, session_id text, time_created integer, time_updated integer,
        data text
    );
    create index if not exists of_message on part(message_id);
    create index if not exists of_session on part(session_id);"""


def _write_rows(home: Path, session: Session) -> int:
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    size, name = 0, f"ses_{session.id[:24]}"
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(_TABLES)
        first, last = session.messages[0].at, session.messages[-1].at
        db.execute("insert into session values (?, null, ?, ?, ?)", (name, first, last, session.cwd))
        for number, entry in enumerate(session.messages):
            message = f"msg_{number:06}{session.id[:18]}"
            role = "user" if entry.who == "user" else "assistant"
            data = json.dumps({"role": role, "time": {"created": entry.at}})
            db.execute(
                "insert into message values (?, ?, ?, ?, ?)", (message, name, entry.at, entry.at, data)
            )
            parts: list[Line] = [{"type": "text", "text": entry.text}] if entry.text else []
            if entry.command or entry.file:
                tool, given = ("bash", {"command": entry.command})
                if entry.file:
                    tool, given = ("edit", {"filePath": entry.file})
                state = {"status": "completed", "input": given, "output": entry.result}
                parts.append({"type": "tool", "tool": tool, "state": state})
            for order, part in enumerate(parts):
                text = json.dumps(part, ensure_ascii=False)
                row = (f"prt_{number:06}{order}{session.id[:17]}", message, name, entry.at, entry.at, text)
                db.execute("insert into part values (?, ?, ?, ?, ?, ?)", row)
                size += len(text)
    return size


def fork_of(session: Session, name: str, more: Sequence[Said], chance: random.Random) -> Session:
    """A fork that begins with a copy of most of a session."""
    kept = [*session.messages[: max(2, int(len(session.messages) * chance.uniform(0.5, 1)))]]
    later = session.messages[-1].at - more[0].at + 86_400_000
    added = [replace(message, at=message.at + later) for message in more]
    return replace(session, id=name, messages=[*kept, *added], forked=session.id, copied=len(kept))
