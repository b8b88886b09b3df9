"""Builders: what was said in sessions, as the agents' own transcripts hold it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from machines import NOW, Machine

CLAUDE = {"CLAUDECODE": "1"}


@dataclass
class Talk:
    """A session of Claude Code on a machine; each message is a minute after the one before."""

    machine: Machine
    session: str
    began: datetime = NOW
    lines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.machine.home / ".claude/projects/-shop" / f"{self.session}.jsonl"

    @property
    def env(self) -> dict[str, str]:
        """What a command of this session has in its environment."""
        return {**CLAUDE, "CLAUDE_CODE_SESSION_ID": self.session}

    def user(self, text: str, parent: str | None = None) -> str:
        """The user says something; the id of the message."""
        return self._add({"type": "user", "message": {"role": "user", "content": text}}, parent)

    def agent(self, text: str, parent: str | None = None, tool: str = "", command: str = "") -> str:
        """The agent says something, and may use a tool."""
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        if tool:
            blocks.append({"type": "tool_use", "id": "t", "name": tool, "input": {"command": command}})
        name = f"m{len(self.lines)}"
        message = {"id": name, "role": "assistant", "content": blocks}
        return self._add({"type": "assistant", "message": message}, parent)

    def turns(self, count: int, words: str = "turn") -> None:
        """So many messages, the user's and the agent's in turns."""
        for n in range(count):
            (self.agent if n % 2 else self.user)(f"{words} {n}")

    def write(self, more: Iterable[str] = ()) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [*map(json.dumps, self.lines), *more]
        self.path.write_text("".join(f"{line}\n" for line in lines))
        return self.path

    def _add(self, line: dict[str, Any], parent: str | None) -> str:
        number = len(self.lines)
        at = self.began + timedelta(minutes=number)
        name = f"{self.session[:4]}-{number}"
        before = self.lines[-1]["uuid"] if self.lines and parent is None else parent
        when = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        base = {"uuid": name, "parentUuid": before or None, "sessionId": self.session, "timestamp": when}
        self.lines.append(base | line)
        return name
