"""Copilot CLI: how it is brought, connected, and talked to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from live import copilot_modes, modes, openai_chat, turns
from live.install import CHECKOUT, VERSIONS, Package
from live.stage import Stage
from live.steps import Text, Tool

NAME = "copilot"
PACKAGE = Package("@github/copilot", VERSIONS["copilot"], "copilot", node=22)
API = openai_chat
FORMS = ("settings", "plugin")
INSTRUCTIONS = "AGENTS.md"
COMPACT = "/compact"
SUMMARY = "They asked where redis listens."
FULL = 60_000
"""Tokens of a request after which it shortens the conversation by itself."""

LACKS: dict[str, str] = {"forked": "Copilot CLI has no command line that forks a session"}
MODES = copilot_modes.MODES
OWN = modes.scenarios(MODES)


def connect(stage: Stage, form: str) -> None:
    """What a person does once to have ctxrepo in it."""
    (stage.machine.home / ".copilot").mkdir(exist_ok=True)
    if form == "settings":
        stage.ctxrepo("setup", NAME, "--yes")


def is_in_settings(stage: Stage) -> bool:
    """Whether its own settings name our hooks."""
    return (stage.machine.home / ".copilot" / "hooks" / "ctxrepo.json").exists()


def read(path: Path) -> Tool:
    return Tool("view", {"path": str(path)})


def edit(path: Path, old: str, new: str) -> Tool:
    return Tool("edit", {"path": str(path), "old_str": old, "new_str": new})


def write(path: Path, text: str) -> Tool:
    return Tool("create", {"path": str(path), "file_text": text})


def shell(command: str) -> Tool:
    return Tool("bash", {"command": command, "description": "run it", "initial_wait": 60})


def skill(name: str) -> Tool:
    return Tool("skill", {"skill": name})


def over_mcp(name: str, given: dict[str, object]) -> Tool:
    return Tool(f"ctxrepo-{name}", given)


def subagent(prompt: str) -> Tool:
    return Tool("task", {"description": "look", "prompt": prompt, "agent_type": "explore", "name": "look"})


class Turns(turns.Turns):
    """`copilot -p`, then `copilot --continue -p`. What is started is a launcher."""

    def words(self, prompt: str, how: turns.How) -> Sequence[str]:
        after = {"new": [], "resume": ["--continue"], "fork": []}[how]
        plugin = ["--plugin-dir", str(CHECKOUT)] if self.form == "plugin" else []
        allowed = self.stage.granted(("--allow-all-tools", "--add-dir", str(self.stage.memory)))
        return [str(self.stage.installed.program), *after, "-p", prompt, *allowed, *plugin]

    def env(self) -> Mapping[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_PROVIDER_BASE_URL": f"{self.stage.model.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "test-key",
            "NO_COLOR": "1",
        }

    def compact(self) -> None:
        """The conversation is shortened, as by hand."""
        self.stage.model.will(Text(SUMMARY))
        self.say(COMPACT)

    def process_that_matters(self, started: int) -> int:
        return turns.child_of(started, "copilot-linux")
