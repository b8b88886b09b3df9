"""Codex: how it is brought, connected, and talked to."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from live import codex_modes, modes, openai_responses, turns
from live.install import CHECKOUT, VERSIONS, Package
from live.stage import Stage
from live.steps import Text, Tool

NAME = "codex"
PACKAGE = Package("@openai/codex", VERSIONS["codex"], "codex", node=18)
API = openai_responses
FORMS = ("settings", "plugin")
INSTRUCTIONS = "AGENTS.md"
SUMMARY = "They asked where redis listens."
FULL = 195_000
"""Tokens of a request after which it shortens the conversation by itself."""

LACKS: dict[str, str] = {}
MODES = codex_modes.MODES
OWN = modes.scenarios(MODES)

DEFAULT_SANDBOX = codex_modes.WORKSPACE
_EVERYTHING = codex_modes.sandbox("danger-full-access")

_CONFIG = """\
model = "gpt-5.5"
model_provider = "fake"
model_auto_compact_token_limit = 100000
check_for_update_on_startup = false

[features]
multi_agent = true

[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
"""


def connect(stage: Stage, form: str) -> None:
    """What a person does once to have ctxrepo in it, and to trust its hooks."""
    # Its shell is a login shell, which begins with the system's own PATH.
    (stage.machine.home / ".profile").write_text(f"export PATH={shlex.quote(stage.machine.env['PATH'])}\n")
    home = stage.machine.home / ".codex"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(_CONFIG.format(url=stage.model.url))
    if form == "plugin":
        _install_plugin(stage)
    stage.ctxrepo("setup", NAME, "--yes", "--trust")
    if form == "plugin":  # it has trusted the plugin's hooks as well
        stage.ctxrepo("setup", NAME, "--remove", "--yes")


def _install_plugin(stage: Stage) -> None:
    """Have Codex install the plugin from a copy of the checkout without what git ignores."""
    copy = stage.root / "marketplace"
    for name in (".claude-plugin", ".codex-plugin", "hooks", "skills"):
        shutil.copytree(CHECKOUT / name, copy / name)
    for words in (["marketplace", "add", str(copy)], ["add", "ctxrepo@ctxrepo"]):
        program = [str(stage.installed.program), "plugin", *words]
        subprocess.run(program, env=stage.machine.env, check=True, capture_output=True)


def is_in_settings(stage: Stage) -> bool:
    """Whether its own settings name our hooks."""
    hooks = stage.machine.home / ".codex" / "hooks.json"
    return hooks.exists() and "ctxrepo/hook.py" in hooks.read_text("utf-8")


def read(path: Path) -> Tool:
    return shell(f"cat {path}")


def edit(path: Path, old: str, new: str) -> Tool:
    (line,) = [line for line in path.read_text("utf-8").splitlines() if old in line]
    patch = (
        f"*** Begin Patch\n*** Update File: {path}\n@@\n-{line}\n+{line.replace(old, new)}\n*** End Patch\n"
    )
    return Tool("apply_patch", {"input": patch})


def write(path: Path, text: str) -> Tool:
    added = "".join(f"+{line}\n" for line in text.splitlines())
    return Tool("apply_patch", {"input": f"*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n"})


def shell(command: str) -> Tool:
    return Tool("exec_command", {"cmd": command, "yield_time_ms": 30_000})


def over_mcp(name: str, given: dict[str, object]) -> Tool:
    return Tool(f"mcp__ctxrepo/{name}", given)


def subagent(prompt: str) -> Tool:
    return Tool("multi_agent_v1/spawn_agent", {"message": prompt})


class Turns(turns.Turns):
    """`codex exec`, then `codex exec resume --last`."""

    def words(self, prompt: str, how: turns.How) -> Sequence[str]:
        program = [str(self.stage.installed.program), "exec"]
        after = [] if how == "new" else [how, self._newest()]
        return [*program, *after, *self.stage.granted(_EVERYTHING), "--json", prompt]

    def _newest(self) -> str:
        """The id of the session that was recorded last."""
        rollouts = self.stage.machine.home.glob(".codex/sessions/*/*/*/rollout-*.jsonl")
        return max(rollouts, key=lambda path: path.stat().st_mtime).stem[-36:]

    def env(self) -> Mapping[str, str]:
        return {"FAKE_KEY": "test-key"}

    def compact(self) -> None:
        """The next request claims to be longer than what Codex lets a conversation be."""
        self.stage.model.will(Text(tokens=FULL))
        self.say("hello there")
