"""Codex' installation: hooks in a file beside its configuration, our MCP server in that, and our skills."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.codex import FOLDER
from ctxrepo.agents.codex.config_toml import ConfigWithRoots, ConfigWithServer, parsed
from ctxrepo.agents.codex.dialect import DIALECT
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.hook_line import is_among
from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.agents.protocol import NativeMemory, Plugin, named_folder
from ctxrepo.agents.wanted import (
    RULES_HEAD,
    EditedDocument,
    GrantedFolder,
    JointDocument,
    Line,
    OwnFile,
    SkillsFolder,
    Wanted,
)

END_TIMEOUT = 3
"""The most that it grants at a session's end; for more it complains to its user."""


HOOKS = HookGroups(
    DIALECT.name,
    DIALECT.event_names(),
    matchers={"PostToolUse": "Bash|apply_patch"},
    other_timeouts={"SessionEnd": END_TIMEOUT},
)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Codex: CODEX_HOME, else ~/.codex."""
    return named_folder(FOLDER, environment) or user_home / ".codex"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """Our hooks, the rules, the folder that its sandbox may write to, our MCP server, and the skills in the
    folder that other agents read too."""
    events = DIALECT.event_names(options.enforces)
    hooks = {event: line(event) for event in events}
    root = folder(user_home, environment)
    config = root / SERVERS
    servers = ConfigWithServer(options)
    return (
        EditedDocument(root / "hooks.json", replace(HOOKS, events=events), hooks),
        EditedDocument(config, JointDocument((ConfigWithRoots(options), servers)), servers=servers),
        OwnFile(root / "rules" / "ctxrepo.rules", _rules(options.commands)),
        SkillsFolder(user_home / ".agents" / "skills"),
        *(GrantedFolder(path, str(path), config) for path in options.folders),
    )


SERVERS = "config.toml"

RULES = "its rules for commands, by which they also run outside of its sandbox"


def _rules(commands: Sequence[str]) -> bytes | None:
    """What Codex may run without asking, and outside of its sandbox: a rule for each, as Starlark has it."""
    words = [json.dumps(["ctxrepo", *command.split()]) for command in commands]
    rules = [f'prefix_rule(pattern = {pattern}, decision = "allow")\n' for pattern in words]
    return "".join([RULES_HEAD, *rules]).encode() if rules else None


def _is_plugin_on(text: str) -> bool:
    """Whether this configuration says that our plugin is on."""
    plugins = parsed(text).get("plugins")
    pairs = plugins.items() if isinstance(plugins, dict) else ()
    return is_among(name for name, item in pairs if isinstance(item, dict) and item.get("enabled") is True)


def _is_memory_on(text: str, _environment: Mapping[str, str]) -> bool:
    """Whether its memories are on, as they are only where somebody turned them on."""
    features = parsed(text).get("features")
    return isinstance(features, dict) and features.get("memories") is True


PLUGIN = Plugin("config.toml", _is_plugin_on)

NATIVE_MEMORY = NativeMemory(
    "Codex' memories", "config.toml", "memories = false under [features]", _is_memory_on
)
