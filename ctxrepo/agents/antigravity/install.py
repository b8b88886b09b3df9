"""Antigravity CLI's installation: hooks in its list of hooks, our MCP server in its list of servers, and our
skills in its folder.

After the documentation that it brings along; no session of it was seen by us. It drops the whole list where
a hook in it hasn't the form that it wants: those about tools stand in groups, and all others don't."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.antigravity.dialect import DIALECT
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.hook_line import NAME
from ctxrepo.agents.mcp_server import JsonServers
from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.agents.wanted import EditedDocument, Line, SkillsFolder, Wanted

HOOKS = HookGroups(
    DIALECT.name,
    DIALECT.event_names(),
    matchers={
        "PostToolUse": "view_file|write_to_file|replace_file_content|multi_replace_file_content|run_command"
    },
    groups_tools_only=True,
    key=NAME,
)


HOME = ".gemini"
"""The folder in a home that it took over from its predecessor."""


def folder(user_home: Path, _environment: Mapping[str, str]) -> Path:
    """The user's folder of Antigravity, which its command line, its editor and its app share."""
    return user_home / HOME / "config"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """Hooks in the list, our MCP server, and our skills."""
    root = folder(user_home, environment)
    hooks = {event: line(event) for event in HOOKS.events}
    servers = JsonServers("mcpServers", options.server)
    return (
        EditedDocument(root / "hooks.json", HOOKS, hooks),
        EditedDocument(root / SERVERS, servers, servers=servers),
        SkillsFolder(root / "skills"),
    )


SERVERS = "mcp_config.json"
"""It doesn't start where this file can't be read, and drops a server whose fields are of other kinds."""
