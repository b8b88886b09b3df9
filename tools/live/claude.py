"""Claude Code: how it is brought, connected, and talked to."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from live import anthropic, claude_memory, claude_modes, modes
from live.install import CHECKOUT, VERSIONS, Package
from live.stage import Stage
from live.steps import Text, Tool

NAME = "claude"
PACKAGE = Package("@anthropic-ai/claude-code", VERSIONS["claude"], "claude", node=22)
API = anthropic
FORMS = ("settings", "plugin")
COMPACT = "/compact"
INSTRUCTIONS = "CLAUDE.md"
FULL = 195_000
"""Tokens of a request after which it shortens the conversation by itself."""
SUMMARY_SAYS = "They asked where redis listens."
SUMMARY = f"<analysis>Short.</analysis>\n<summary>\n1. Primary Request and Intent: {SUMMARY_SAYS}\n</summary>"

LACKS: dict[str, str] = {}
MODES = claude_modes.MODES
OWN = modes.scenarios(MODES) | claude_memory.ALL

PATIENCE = 60.0
"""Seconds a turn or an exit may take."""

_OPTIONS = (
    *("--output-format", "stream-json", "--verbose", "--include-hook-events"),
    *claude_modes.MODEL,
)


def connect(stage: Stage, form: str) -> None:
    """What a person does once to have ctxrepo in it."""
    (stage.machine.home / ".claude").mkdir(exist_ok=True)
    if form == "settings":
        stage.ctxrepo("setup", NAME, "--yes")


def is_in_settings(stage: Stage) -> bool:
    """Whether its own settings name our hooks."""
    settings = stage.machine.home / ".claude" / "settings.json"
    return settings.exists() and "ctxrepo/hook.py" in settings.read_text("utf-8")


def read(path: Path) -> Tool:
    return Tool("Read", {"file_path": str(path)})


def edit(path: Path, old: str, new: str) -> Tool:
    return Tool("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


def write(path: Path, text: str) -> Tool:
    return Tool("Write", {"file_path": str(path), "content": text})


def shell(command: str) -> Tool:
    return Tool("Bash", {"command": command})


def over_mcp(name: str, given: dict[str, object]) -> Tool:
    return Tool(f"mcp__ctxrepo__{name}", given)


def subagent(prompt: str) -> Tool:
    """It waits for the subagent, so that each takes its own steps of the script."""
    given = {"description": "look it up", "prompt": prompt, "subagent_type": "general-purpose"}
    return Tool("Agent", {**given, "run_in_background": False})


def with_system(text: str) -> tuple[str, ...]:
    """Words of the command line that add to the system prompt."""
    return ("--append-system-prompt", text)


class Process:
    """One process of the agent; what it streams is kept with the moment it came, on the monotonic clock."""

    def __init__(self, stage: Stage, form: str, *words: str) -> None:
        everything = ("--allowedTools", "Read,Edit,Write,Bash", "--add-dir", str(stage.memory))
        given = [str(stage.installed.program), "-p", *words, *_OPTIONS, *stage.granted(everything)]
        if form == "plugin":
            given += ["--plugin-dir", str(CHECKOUT)]
        self.errors = stage.root / "errors.txt"
        with self.errors.open("ab") as errors:
            self._process = subprocess.Popen(
                given,
                cwd=stage.project,
                env={**stage.machine.env, **claude_modes.environment(stage)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        stage.started.append(self._process)
        self.said: list[tuple[float, dict[str, Any]]] = []
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def tell(self, prompt: str) -> None:
        """Give it a turn, on standard input."""
        assert self._process.stdin
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def answers(self) -> int:
        """How many turns are over."""
        return sum(line.get("type") == "result" for _, line in list(self.said))

    def heard(self, event: str) -> list[float]:
        """When hooks of this event were over."""
        return [
            at
            for at, line in list(self.said)
            if line.get("subtype") == "hook_response" and line.get("hook_event") == event
        ]

    def leave(self) -> float:
        """No more is said: it ends by itself. When it was gone."""
        assert self._process.stdin
        self._process.stdin.close()
        return self._gone()

    def kill(self, how: signal.Signals) -> float:
        """When it was gone."""
        self._process.send_signal(how)
        return self._gone()

    def _gone(self) -> float:
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        at = time.monotonic()
        self._reader.join(5)
        return at

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            try:
                self.said.append((time.monotonic(), json.loads(line)))
            except ValueError:
                self.said.append((time.monotonic(), {"type": "text", "text": line}))


class Talk:
    """A conversation in one process, as an editor holds it."""

    def __init__(self, stage: Stage, form: str, *more: str) -> None:
        self.process = Process(stage, form, "--input-format", "stream-json", *more)
        self._stage, self._turns = stage, 0

    def say(self, prompt: str) -> None:
        """One turn, waited for."""
        self.begin(prompt)
        self.finish()

    def finish(self) -> None:
        """Wait until the turn is over."""
        if self._stage.wait(lambda: self.process.answers() >= self._turns, PATIENCE) is None:
            raise TimeoutError(f"turn {self._turns} didn't end; see {self.process.errors}")

    def begin(self, prompt: str) -> None:
        """One turn, not waited for."""
        self._turns += 1
        self.process.tell(prompt)

    def end(self) -> float:
        """When it was gone."""
        return self.process.leave()


class Turns:
    """A conversation with a process for each prompt, as in a script: `-p`, then `-c -p`."""

    def __init__(self, stage: Stage, form: str, goes_on: bool = False) -> None:
        self._stage, self._form, self._goes_on = stage, form, goes_on
        self._gone = 0.0
        self._process: Process | None = None

    def say(self, prompt: str) -> None:
        """One turn, and the process is gone."""
        self.begin(prompt)
        self.end()

    def begin(self, prompt: str) -> None:
        """One turn, not waited for."""
        words = [prompt, "-c"] if self._goes_on else [prompt]
        self._process = Process(self._stage, self._form, *words)
        self._goes_on = True

    def compact(self) -> None:
        """The conversation is shortened, as by hand."""
        self._stage.model.will(Text(SUMMARY))
        self.say(COMPACT)

    def kill(self, how: signal.Signals) -> float:
        """End the process of the turn that was begun; when it was gone."""
        assert self._process
        return self._process.kill(how)

    def output(self) -> str:
        """What the last process showed: its errors, and what the agent said."""
        assert self._process
        shown = [
            line for _, line in self._process.said if line.get("type") in ("assistant", "result", "text")
        ]
        return self._process.errors.read_text("utf-8") + json.dumps(shown)

    def fork(self, prompt: str) -> None:
        """One turn in a copy of the conversation, which is another session."""
        self._process = Process(self._stage, self._form, prompt, "-c", "--fork-session")
        self.end()

    def end(self) -> float:
        """When the last process was gone."""
        if self._process:
            self._gone = self._process.leave()
        return self._gone
