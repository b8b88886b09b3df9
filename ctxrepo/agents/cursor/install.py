"""Cursor's installation: hooks in its list of hooks, our MCP server in its list of servers, and our skills in
the folder that several agents read.

After Cursor's documentation; no session of it was seen by us. Cursor passes over the whole list where it
doesn't know an event in it, so only events of its documentation are here."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.cursor.dialect import DIALECT
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.mcp_server import JsonServers
from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.agents.wanted import EditedDocument, Line, SkillsFolder, Wanted

HOOKS = HookGroups(
    DIALECT.name,
    DIALECT.event_names(),
    matchers={
        "postToolUse": "Read|Write|StrReplace|Edit|ApplyPatch|Delete|Shell",
        "postToolUseFailure": "Shell",
    },
    has_groups=False,
    version=1,
)


def folder(user_home: Path, _environment: Mapping[str, str]) -> Path:
    """The user's folder of Cursor, which no variable moves."""
    return user_home / ".cursor"


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
        SkillsFolder(user_home / ".agents/skills"),
    )


SERVERS = "mcp.json"
NEEDS_SERVER = True
"""Its hooks can't give a subagent anything, and some versions drop what they give at a session's start."""
