"""Codex' installation: hooks in a file of their own beside its config, and our skills."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.codex import FOLDER
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.hook_line import is_among
from ctxrepo.agents.protocol import (
    RULES_HEAD,
    EditedDocument,
    Line,
    NativeMemory,
    OwnFile,
    Plugin,
    SkillsFolder,
    Wanted,
    named_folder,
)

TIMEOUT = 10
"""Seconds after which Codex ends a hook."""

END_TIMEOUT = 3
"""The most that it grants at a session's end; for more it complains to its user."""


HOOKS = HookGroups(
    name="codex",
    matchers={
        "SessionStart": "",
        "UserPromptSubmit": "",
        "PostToolUse": "Bash|apply_patch",
        "SubagentStart": "",
        "Stop": "",
        "PreCompact": "",
        "SessionEnd": "",
    },
    timeout=TIMEOUT,
    other_timeouts={"SessionEnd": END_TIMEOUT},
)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Codex: CODEX_HOME, else ~/.codex."""
    return named_folder(FOLDER, environment) or user_home / ".codex"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, commands: Sequence[str] = ()
) -> Sequence[Wanted]:
    """Our hooks, the rules, and the skills in the folder that other agents read too."""
    hooks = {event: line(event) for event in HOOKS.events()}
    root = folder(user_home, environment)
    return (
        EditedDocument(root / "hooks.json", HOOKS, hooks),
        OwnFile(root / "rules" / "ctxrepo.rules", _rules(commands)),
        SkillsFolder(user_home / ".agents" / "skills"),
    )


RULES = "its rules for commands, by which they also run outside of its sandbox"


def _rules(commands: Sequence[str]) -> bytes | None:
    """What Codex may run without asking, and outside of its sandbox: a rule for each, as Starlark has it."""
    words = [json.dumps(["ctxrepo", *command.split()]) for command in commands]
    rules = [f'prefix_rule(pattern = {pattern}, decision = "allow")\n' for pattern in words]
    return "".join([RULES_HEAD, *rules]).encode() if rules else None


def _is_plugin_on(text: str) -> bool:
    """Whether this configuration says that our plugin is on."""
    plugins = tomllib.loads(text).get("plugins")
    named = plugins.items() if isinstance(plugins, dict) else ()
    return is_among(name for name, item in named if isinstance(item, dict) and item.get("enabled") is True)


def _is_memory_on(text: str, _environment: Mapping[str, str]) -> bool:
    """Whether its memories are on, as they are only where somebody turned them on."""
    features = tomllib.loads(text).get("features")
    return isinstance(features, dict) and features.get("memories") is True


PLUGIN = Plugin("config.toml", _is_plugin_on)

NATIVE_MEMORY = NativeMemory(
    "Codex' memories", "config.toml", "memories = false under [features]", _is_memory_on
)
