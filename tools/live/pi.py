"""pi: how it is brought, connected, and talked to."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from live import (
    anthropic,
    modes,
    pi_beside,
    pi_first_minutes,
    pi_package,
    pi_rows,
    pi_shapes,
    pi_talk,
    pi_tape,
    turns,
)
from live.install import CHECKOUT, VERSIONS, Package
from live.stage import Stage
from live.steps import Text, Tool

NAME = "pi"
PACKAGE = Package(
    "@earendil-works/pi-coding-agent", VERSIONS["pi"], "pi", node=22, beside=("jiti@2.7.0", "typebox@1.3.27")
)
API = anthropic
FORMS = ("settings", "package")
INSTRUCTIONS = "AGENTS.md"
SUMMARY = "They asked where redis listens."
FULL = 95_000
"""Tokens of a request after which it shortens the conversation by itself."""

LACKS = {
    "mcp": "pi takes no MCP servers",
    "subagent": "pi has no subagents of its own",
    "holds": "pi tells an extension of a turn's end when it is over",
}
MODES = (
    modes.Mode(
        "only",
        "It has no sandbox and asks for nothing: whatever the model wants is run.",
        (modes.YES, modes.YES, modes.YES, modes.YES, modes.YES),
    ),
)
OWN = pi_rows.ALL | pi_package.ALL | pi_shapes.ALL | pi_beside.ALL | pi_first_minutes.ALL | pi_tape.ALL
OWN |= modes.scenarios(MODES)

_SETTINGS = {"compaction": {"enabled": True, "reserveTokens": 16_384, "keepRecentTokens": 5}}
_QUIET = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}
ENV = {**_QUIET, "FAKE_API_KEY": "test-key"}


def connect(stage: Stage, form: str) -> None:
    """What a person does once to have ctxrepo in it."""
    know_model(stage)
    if form == "settings":
        stage.ctxrepo("setup", NAME, "--yes")
    else:
        install_package(stage)


def install_package(stage: Stage) -> None:
    """`pi install` of this checkout."""
    words = [*command_line(stage)[:1], "install", str(CHECKOUT)]
    env = {**stage.machine.env, **ENV}
    subprocess.run(words, cwd=stage.project, env=env, check=True, capture_output=True)


def know_model(stage: Stage) -> None:
    """pi as it is before ctxrepo: it has a model, and none of our files."""
    home = stage.machine.home / ".pi" / "agent"
    home.mkdir(parents=True, exist_ok=True)
    (home / "models.json").write_text(json.dumps(_models(stage.model.url)))
    (home / "settings.json").write_text(json.dumps(_SETTINGS))


def is_in_settings(stage: Stage) -> bool:
    """Whether its own settings name our hooks."""
    extension = _home(stage) / "extensions" / "ctxrepo.ts"
    return extension.exists() and "ctxrepo/hook.py" in extension.read_text("utf-8")


def read(path: Path) -> Tool:
    return Tool("read", {"path": str(path)})


def edit(path: Path, old: str, new: str) -> Tool:
    return Tool("edit", {"path": str(path), "edits": [{"oldText": old, "newText": new}]})


def write(path: Path, text: str) -> Tool:
    return Tool("write", {"path": str(path), "content": text})


def shell(command: str) -> Tool:
    return Tool("bash", {"command": command})


def subagent(prompt: str) -> Tool:
    raise NotImplementedError(LACKS["subagent"])


class Talk(pi_talk.Talk):
    """`pi --mode rpc`."""

    def __init__(self, stage: Stage, _form: str) -> None:
        super().__init__(stage, command_line(stage), ENV)


class Turns(turns.Turns):
    """`pi -p`, then `pi -c -p`."""

    def words(self, prompt: str, how: turns.How) -> Sequence[str]:
        program = command_line(self.stage)
        match how:
            case "new":
                return [*program, "-p", prompt]
            case "resume":
                return [*program, "-c", "-p", prompt]
            case "fork":
                return [*program, "--fork", str(self._newest()), "-p", prompt]

    def env(self) -> Mapping[str, str]:
        return ENV

    def compact(self) -> None:
        """The answer to the next request claims that it was longer than what pi lets a conversation be."""
        self.stage.model.will(Text(tokens=FULL))
        self.say("hello there")

    def _newest(self) -> Path:
        """The file of the session that was talked to last."""
        sessions = (_home(self.stage) / "sessions").glob("*/*.jsonl")
        return max(sessions, key=lambda file: file.stat().st_mtime_ns)


def _home(stage: Stage) -> Path:
    """pi's folder of the user."""
    return stage.machine.home / ".pi" / "agent"


def command_line(stage: Stage) -> list[str]:
    return [str(stage.installed.program), "--provider", "fake", "--model", "fake-model"]


def _models(url: str) -> dict[str, object]:
    """A provider that speaks Anthropic's API, as pi's models.json has it."""
    model = {
        "id": "fake-model",
        "name": "fake",
        "reasoning": False,
        "input": ["text"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": 100_000,
        "maxTokens": 8192,
    }
    fake = {"baseUrl": url, "apiKey": "$FAKE_API_KEY", "api": "anthropic-messages", "models": [model]}
    return {"providers": {"fake": fake}}
