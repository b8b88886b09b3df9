"""Copilot CLI's installation: a file of hooks that is all ours, our MCP server, and our skills."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.copilot import FOLDER
from ctxrepo.agents.copilot.dialect import DIALECT
from ctxrepo.agents.hook_line import is_enabled
from ctxrepo.agents.mcp_server import JsonServers
from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.agents.protocol import Plugin, named_folder
from ctxrepo.agents.wanted import EditedDocument, Line, OwnFile, SkillsFolder, Wanted

TIMEOUT = 10
"""Seconds after which Copilot ends a hook."""

TOOLS = ("view", "edit", "create", "str_replace_editor", "apply_patch", "bash")
"""The tools that have a hook: those that read or write files, and the shell."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Copilot CLI: COPILOT_HOME, else ~/.copilot."""
    return named_folder(FOLDER, environment) or user_home / ".copilot"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """Our hooks, our MCP server, and the skills in the folder that other agents read too."""
    events = DIALECT.event_names(options.enforces)
    hooks = {event: line(event) for event in events}
    root = folder(user_home, environment)
    content = document(line, events).encode()
    # Older versions take nothing of a list in which a server has no `tools`.
    servers = JsonServers(
        "mcpServers", options.server, spelled=lambda ours: {"type": "local", **ours.entry, "tools": ["*"]}
    )
    return (
        OwnFile(root / "hooks" / "ctxrepo.json", content, hooks),
        EditedDocument(root / SERVERS, servers, servers=servers),
        SkillsFolder(user_home / ".agents" / "skills"),
    )


SERVERS = "mcp-config.json"


def document(line: Line, events: Sequence[str]) -> str:
    """A file of hooks as Copilot reads it, with the command of `line` for each of these events."""
    hooks = {}
    for event in events:
        matcher = {"matcher": "|".join(TOOLS)} if event == "postToolUse" else {}
        hooks[event] = [{"type": "command", **matcher, "bash": line(event), "timeoutSec": TIMEOUT}]
    return json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"


PLUGIN = Plugin("settings.json", is_enabled)
