"""Gemini CLI's installation: hooks and our MCP server in its settings, and our skills."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.gemini import FOLDER
from ctxrepo.agents.gemini.dialect import DIALECT
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.mcp_server import JsonServers
from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.agents.protocol import NativeMemory, Plugin, named_folder
from ctxrepo.agents.wanted import (
    RULES_HEAD,
    EditedDocument,
    JointDocument,
    Line,
    OwnFile,
    SkillsFolder,
    Wanted,
)

NAME = "ctxrepo"
"""What our hooks are called: `/hooks disable` takes this name."""

TIMEOUT = 10_000
"""Milliseconds after which Gemini CLI ends a hook."""


class _GeminiSettings(HookGroups):
    def hook(self, event: str, command: str) -> dict[str, object]:
        """Our hook for an event, with a name that it is listed by."""
        return {"name": NAME, **super().hook(event, command)}


SETTINGS = _GeminiSettings(
    DIALECT.name,
    DIALECT.event_names(),
    matchers={"AfterTool": "^(read_file|replace|write_file|run_shell_command)$"},
    timeout=TIMEOUT,
    has_comments=True,
)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Gemini CLI: `.gemini` in GEMINI_CLI_HOME, else in the user's home."""
    return _home(user_home, environment) / ".gemini"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """Hooks and our MCP server in the settings, the rules, and the skills that other agents read too."""
    events = DIALECT.event_names(options.enforces)
    hooks = {event: line(event) for event in events}
    root = folder(user_home, environment)
    servers = JsonServers("mcpServers", options.server, has_comments=True)
    settings = JointDocument((replace(SETTINGS, events=events), servers))
    return (
        EditedDocument(root / SERVERS, settings, hooks, servers),
        OwnFile(root / "policies" / "ctxrepo.toml", _policy(options)),
        SkillsFolder(_home(user_home, environment) / ".agents" / "skills"),
    )


SERVERS = "settings.json"

RULES = "a policy for shell commands"


def _policy(options: InstallOptions) -> bytes | None:
    """What Gemini CLI may run and call without asking: rules of its policy engine, as TOML."""
    prefixes = "".join(f'    "ctxrepo {command}",\n' for command in options.commands)
    rule = f"""[[rule]]
toolName = "run_shell_command"
commandPrefix = [
{prefixes}]
decision = "allow"
priority = 100
"""
    if options.tools:
        rule += f"""
[[rule]]
mcpName = "{NAME}"
toolName = {json.dumps(options.tools)}
decision = "allow"
priority = 100
"""
    return f"{RULES_HEAD}{rule}".encode() if options.commands else None


def _home(user_home: Path, environment: Mapping[str, str]) -> Path:
    return named_folder(FOLDER, environment) or user_home


def _is_memory_on(text: str, _environment: Mapping[str, str]) -> bool:
    """Whether its auto memory is on, as it is only where somebody turned it on."""
    experimental = SETTINGS.settings(text).get("experimental")
    return isinstance(experimental, dict) and experimental.get("autoMemory") is True


PLUGIN = Plugin(f"extensions/{NAME}/.gemini-extension-install.json", lambda _text: True)
"""Gemini CLI leaves this file when it links or installs our extension. That it is there is all it tells; a
person may have switched the extension off for some folders."""

NATIVE_MEMORY = NativeMemory(
    "Gemini CLI's auto memory", "settings.json", '"experimental": { "autoMemory": false }', _is_memory_on
)
