"""Builders: sessions of Claude Code on a machine, by the hooks that `setup` installed there."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checkout import PAYLOADS
from machines import Machine


class Session:
    """One session of Claude Code on a machine. `slowest` is the seconds that its slowest hook took."""

    def __init__(self, machine: Machine, session: str) -> None:
        self.machine = machine
        self.session = session
        self.slowest = 0.0
        settings = json.loads((machine.home / ".claude" / "settings.json").read_text())
        self.lines = {event: groups[0]["hooks"][0]["command"] for event, groups in settings["hooks"].items()}

    def hook(self, event: str, payload: str = "", **fields: Any) -> str:
        """Run the installed line of `event` as the agent does; what reaches the model."""
        began = time.monotonic()
        with self.start(event) as process:
            out, err = process.communicate(self.said(event, payload, **fields))
        self.slowest = max(self.slowest, time.monotonic() - began)
        assert (process.returncode, err) == (0, "")
        answer = json.loads(out) if out else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def start(self, event: str) -> subprocess.Popen[str]:
        """The installed line of `event`, which waits for what the agent says."""
        return subprocess.Popen(
            ["sh", "-c", self.lines[event]],
            cwd=self.machine.project_folder,
            env=self.machine.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def said(self, event: str, payload: str = "", **fields: Any) -> str:
        """What the agent tells its hook, as recorded, but for this session and `fields`."""
        record = json.loads((PAYLOADS / f"{payload or event}.json").read_text())
        place = {"session_id": self.session, "cwd": str(self.machine.project_folder)}
        return json.dumps(record | place | fields)

    def edit(self, path: str, text: str) -> None:
        """The agent writes a file of the memory with its own tool, whose hook follows."""
        self.machine.write(path, text)
        file = str(self.machine.clone / path)
        self.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": file})

    def whole(self) -> None:
        """All that a session of two turns calls; the agent edits nothing."""
        self.hook("SessionStart")
        for prompt in ("which port does redis listen on?", "ok thanks"):
            self.hook("UserPromptSubmit", prompt=prompt)
            self.hook("PostToolUse", "PostToolUse-read")
            self.note()
            self.hook("Stop")
        self.hook("PreCompact")
        self.hook("SessionStart", "SessionStart-compact")
        self.hook("SessionEnd")

    def note(self) -> None:
        """The hook behind an edit of the project's MEMORY.md."""
        file = str(self.machine.clone / "shop" / "MEMORY.md")
        self.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": file})


def connected(machine: Machine, url: str = "") -> Machine:
    """The two commands a machine takes."""
    (machine.home / ".claude").mkdir()
    for words in (("init", *filter(None, [url])), ("setup", "claude", "--yes")):
        run = machine.ctxrepo(*words)
        assert run.returncode == 0, run.stderr
    return machine


def eventually(is_so: Callable[[], bool], within: float) -> float:
    """Seconds until `is_so`; fails after `within`."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < within, "waited in vain"
        time.sleep(0.05)
    return time.monotonic() - began


def log_of(remote: Path) -> str:
    words = ["git", "-C", str(remote), "log", "--format=%s%n%b", "main"]
    return subprocess.run(words, capture_output=True, text=True).stdout
