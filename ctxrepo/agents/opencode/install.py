"""OpenCode's installation: our bridge among its plugins, our MCP server in its configuration, and our skills
where several agents look."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.mcp_server import ARGUMENTS, JsonServers, McpServer
from ctxrepo.agents.opencode.dialect import DIALECT
from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.agents.protocol import named_folder
from ctxrepo.agents.wanted import EditedDocument, Line, ShippedFile, SkillsFolder, Wanted

BRIDGE = "opencode/ctxrepo.js"
"""The bridge in hooks/, which OpenCode can load from there as well."""

ANY_EVENT = "EVENT"
"""What stands for the name of one in the bridge's hook line."""

EVENTS = DIALECT.event_names()


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of OpenCode, which it always reads: OPENCODE_CONFIG_DIR names one more."""
    return (named_folder("XDG_CONFIG_HOME", environment) or user_home / ".config") / "opencode"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """The bridge with the hook line of this machine in it and what it lets OpenCode run, our MCP server, and
    our skills."""
    root = folder(user_home, environment)
    hooks = {event: line(event) for event in DIALECT.event_names(options.enforces)}
    allowed = [f"ctxrepo {command}" for command in options.commands]
    enforces = "yes" if options.enforces else "no"
    places = {"line": line(ANY_EVENT), "allowed": allowed, "enforces": enforces}
    servers = JsonServers("mcp", options.server, has_comments=True, spelled=server_entry)
    return (
        ShippedFile(root / "plugins/ctxrepo.js", BRIDGE, places, hooks),
        EditedDocument(root / SERVERS, servers, servers=servers),
        SkillsFolder(user_home / ".agents/skills"),
    )


SERVERS = "opencode.json"
"""OpenCode joins this file with an `opencode.jsonc` beside it."""


def server_entry(server: McpServer) -> dict[str, object]:
    """Our MCP server as OpenCode lists it."""
    command = [str(server.interpreter), *ARGUMENTS]
    return {"type": "local", "command": command, "environment": {**server.environment}}


RULES = "rules for its shell, which the bridge adds to those of its settings"
