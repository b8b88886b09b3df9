"""Builders: transcripts of agents on a machine, recorded ones and made ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checkout import CHECKOUT
from machines import Machine

RECORDED = {
    "antigravity": "antigravity_records/tools.jsonl",
    "claude": "claude_records/tools.jsonl",
    "codex": "codex_records/edits.jsonl",
    "copilot": "copilot/events.jsonl",
    "gemini": "gemini_records/tools.jsonl",
    "pi": "pi/forked.jsonl",
}
"""Of each agent with files of lines, a transcript that it left; Antigravity's is after published ones."""

PLACES = {
    "antigravity": ".gemini/antigravity-cli/brain/36842803-601e-4679-860a-8bf09b3798c8/"
    ".system_generated/logs/transcript.jsonl",
    "claude": ".claude/projects/-home-ada-shop/124263ae-a3ed-494e-b20e-2fb3cc5c55a4.jsonl",
    "codex": ".codex/sessions/2026/11/25/"
    "rollout-2026-11-25T15-56-15-01a2136c-01fb-7b83-9011-f20bad884049.jsonl",
    "copilot": ".copilot/session-state/0661345b-cdaf-4595-9117-59fc8f7b659c/events.jsonl",
    "gemini": ".gemini/tmp/shop/chats/session-2026-11-24T15-32-468131ec.jsonl",
    "pi": ".pi/agent/sessions/--home-ada-shop--/"
    "2026-11-24T15-53-54-826Z_01a20e43-818a-7760-8b18-6c0315a0ce6e.jsonl",
}


def recorded(agent: str) -> str:
    return (CHECKOUT / "tests" / "agents" / RECORDED[agent]).read_text("utf-8")


def place_recorded(machine: Machine, agent: str) -> Path:
    """The recorded transcript where the agent keeps it."""
    path = machine.home / PLACES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(recorded(agent), "utf-8")
    if agent == "gemini":
        (path.parent.parent / ".project_root").write_text("/home/ada/shop")
    return path


class ClaudeTranscript:
    """A session of Claude Code, line by line."""

    def __init__(self, machine: Machine, session: str = "s-1", cwd: str = "") -> None:
        self.path = machine.home / ".claude" / "projects" / "-shop" / f"{session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.session = session
        self.cwd = cwd or str(machine.project_folder)
        self.lines = 0

    def user(self, text: str, **more: Any) -> str:
        return self.add(self.line("user", {"role": "user", "content": text}, **more))

    def agent(self, text: str, *tools: tuple[str, dict[str, str]], message: str = "", **more: Any) -> str:
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        content += [{"type": "tool_use", "id": "t", "name": name, "input": given} for name, given in tools]
        name = message or f"m{self.lines}"
        return self.add(self.line("assistant", {"id": name, "role": "assistant", "content": content}, **more))

    def result(self, text: str) -> str:
        """What a tool gave back."""
        content = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
        return self.add(self.line("user", {"role": "user", "content": content}))

    def line(self, kind: str, message: dict[str, Any], **more: Any) -> str:
        minute, second = divmod(self.lines, 60)
        about = {
            "type": kind,
            "uuid": f"{self.session}-{self.lines:04}",
            "sessionId": self.session,
            "cwd": self.cwd,
            "timestamp": f"2026-11-20T18:{minute:02}:{second:02}.123Z",
        }
        return json.dumps({**about, **more, "message": message}, ensure_ascii=False, separators=(",", ":"))

    def add(self, line: str) -> str:
        self.lines += 1
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        return line


def claude_says(machine: Machine, session: str, texts: Sequence[str]) -> ClaudeTranscript:
    """A session in which user and agent say these in turns."""
    made = ClaudeTranscript(machine, session)
    for number, text in enumerate(texts):
        (made.agent if number % 2 else made.user)(text)
    return made
