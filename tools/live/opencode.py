"""OpenCode: how it is brought, connected, and talked to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from live import anthropic, modes, opencode_cost, opencode_modes, opencode_permissions, turns
from live.install import CHECKOUT, VERSIONS, Package
from live.stage import Stage
from live.steps import Text, Tool

NAME = "opencode"
PACKAGE = Package("opencode-ai", VERSIONS["opencode"], "opencode", node=18)
API = anthropic
FORMS = ("settings", "plugin")
INSTRUCTIONS = "AGENTS.md"
FULL = 95_000
"""Tokens of a request after which it shortens the conversation by itself."""
SUMMARY = "They asked where redis listens."

LACKS = {"holds": "OpenCode tells a plugin of a turn's end when it is over"}
MODES = opencode_modes.MODES
OWN = opencode_cost.ALL | opencode_permissions.ALL | modes.scenarios(MODES)

_NEEDED = {"dependencies": {"@opencode-ai/plugin": PACKAGE.version}}
"""What OpenCode brings from npm into its folder once, and waits for where there are plugins. Where it is
noted as brought, as after a start with a network, it isn't asked for; else each start takes over a minute."""

_QUIET = (
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_SHARE",
)


def connect(stage: Stage, form: str) -> None:
    """What a person does once to have ctxrepo in it."""
    home = _home(stage)
    (home / "node_modules").mkdir(parents=True)
    (home / "package.json").write_text(json.dumps(_NEEDED))
    (home / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": _NEEDED}}))
    # The plugin brings no skills: somebody who wants them has it read ours.
    outside = (f"{stage.memory}/**", f"{CHECKOUT}/skills/**")
    model = {"name": "fake", "limit": {"context": 100_000, "output": 8192}}
    provider = {
        "npm": "@ai-sdk/anthropic",
        "name": "fake",
        "options": {"baseURL": f"{stage.model.url}/v1", "apiKey": "test-key"},
        "models": {"large": model, "small": model},
    }
    settings = {
        "model": "fake/large",
        "small_model": "fake/small",
        "share": "disabled",
        "permission": {"external_directory": dict.fromkeys(outside, "allow")},
        "provider": {"fake": provider},
    }
    if form == "plugin":
        settings["plugin"] = [(CHECKOUT / "hooks/opencode/ctxrepo.js").as_uri()]
    else:
        stage.ctxrepo("setup", NAME, "--yes")
    (home / "opencode.json").write_text(json.dumps(settings))


def is_in_settings(stage: Stage) -> bool:
    """Whether its own settings name our hooks."""
    bridge = _home(stage) / "plugins" / "ctxrepo.js"
    return bridge.exists() and "ctxrepo/hook.py" in bridge.read_text("utf-8")


def read(path: Path) -> Tool:
    return Tool("read", {"filePath": str(path)})


def edit(path: Path, old: str, new: str) -> Tool:
    return Tool("edit", {"filePath": str(path), "oldString": old, "newString": new})


def write(path: Path, text: str) -> Tool:
    return Tool("write", {"filePath": str(path), "content": text})


def shell(command: str) -> Tool:
    return Tool("bash", {"command": command, "description": "what was asked for"})


def over_mcp(name: str, given: dict[str, object]) -> Tool:
    return Tool(f"ctxrepo_{name}", given)


def subagent(prompt: str) -> Tool:
    return Tool("task", {"description": "look it up", "prompt": prompt, "subagent_type": "general"})


class Turns(turns.Turns):
    """`opencode run`, then `opencode run --continue`."""

    def words(self, prompt: str, how: turns.How) -> Sequence[str]:
        after = {"new": [], "resume": ["--continue"], "fork": ["--continue", "--fork"]}[how]
        return [str(self.stage.installed.program), "run", *self.stage.granted(()), *after, prompt]

    def env(self) -> Mapping[str, str]:
        return dict.fromkeys(_QUIET, "1")

    def compact(self) -> None:
        """The next request claims to be longer than what OpenCode lets a conversation be."""
        self.stage.model.will(Text(tokens=FULL))
        self.say("hello there")


def _home(stage: Stage) -> Path:
    return stage.machine.home / ".config" / "opencode"
