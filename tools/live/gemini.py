"""Gemini CLI: how it is brought, connected, and talked to."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from live import gemini_api, gemini_modes, modes, turns
from live.install import CHECKOUT, VERSIONS, Package
from live.stage import Stage
from live.steps import Text, Tool

NAME = "gemini"
PACKAGE = Package("@google/gemini-cli", VERSIONS["gemini"], "gemini", node=20)
API = gemini_api
FORMS = ("settings", "plugin")
INSTRUCTIONS = "GEMINI.md"
SUMMARY = "<state_snapshot>They asked where redis listens.</state_snapshot>"

LACKS: dict[str, str] = {
    "order": "what a hook gives stands behind the prompt",
    "forked": "it can't fork a session",
    "subagent": "it calls no hook for a subagent",
}

MODES = gemini_modes.MODES
OWN = modes.scenarios(MODES)

_EVERYTHING = ("--approval-mode", "yolo")

_SETTINGS: Mapping[str, Any] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


def connect(stage: Stage, form: str) -> None:
    """What a person does once to have ctxrepo in it."""
    settings = _settings(stage)
    settings.parent.mkdir(exist_ok=True)
    allowed = {"context": {"includeDirectories": [str(stage.memory)]}}
    text = json.dumps({**_SETTINGS, **allowed}, indent=2)
    settings.write_text(f"// Settings with a comment.\n{text}\n")
    if form == "settings":
        stage.ctxrepo("setup", NAME, "--yes")
    else:
        words = [
            str(stage.installed.program),
            "extensions",
            "link",
            str(CHECKOUT / "hooks/gemini"),
            "--consent",
        ]
        env = {**stage.machine.env, **_env(stage)}
        subprocess.run(words, env=env, cwd=stage.project, check=True, capture_output=True)


def is_in_settings(stage: Stage) -> bool:
    """Whether its own settings name our hooks."""
    return "ctxrepo/hook.py" in _settings(stage).read_text("utf-8")


def read(path: Path) -> Tool:
    return Tool("read_file", {"file_path": str(path)})


def edit(path: Path, old: str, new: str) -> Tool:
    given = {
        "file_path": str(path),
        "old_string": old,
        "new_string": new,
        "instruction": "Bring it up to date.",
    }
    return Tool("replace", given)


def write(path: Path, text: str) -> Tool:
    return Tool("write_file", {"file_path": str(path), "content": text})


def shell(command: str) -> Tool:
    return Tool("run_shell_command", {"command": command, "description": "Run it."})


def over_mcp(name: str, given: dict[str, object]) -> Tool:
    return Tool(f"mcp_ctxrepo_{name}", given)


def subagent(prompt: str) -> Tool:
    return Tool("invoke_agent", {"agent_name": "generalist", "prompt": prompt})


class Turns(turns.Turns):
    """`gemini -p`, then `gemini -r latest -p`."""

    def words(self, prompt: str, how: turns.How) -> Sequence[str]:
        program = [str(self.stage.installed.program), "-m", "gemini-2.5-flash"]
        after = {"new": [], "resume": ["-r", "latest"]}[how]
        return [*program, *self.stage.granted(_EVERYTHING), *after, "-p", prompt]

    def env(self) -> Mapping[str, str]:
        return _env(self.stage)

    def process_that_matters(self, started: int) -> int:
        """What is started is a launcher; its child is sent the signal."""
        return turns.child_of(started, "gemini")

    def compact(self) -> None:
        """The next conversation is longer than what the settings let it be for once."""
        settings = _settings(self.stage)
        before = settings.read_text("utf-8")
        settings.write_text(
            before.replace('"general"', '"model": {"compressionThreshold": 0.0001},\n  "general"')
        )
        self.stage.model.will(Text())
        self.say("hello there")
        settings.write_text(before)


def _settings(stage: Stage) -> Path:
    return stage.machine.home / ".gemini" / "settings.json"


def _env(stage: Stage) -> Mapping[str, str]:
    return {
        "GEMINI_API_KEY": "test-key",
        "GOOGLE_GEMINI_BASE_URL": stage.model.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_SANDBOX": "false",
        "GEMINI_TELEMETRY_ENABLED": "false",
        "NO_COLOR": "1",
    }
