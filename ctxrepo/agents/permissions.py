"""What a person chose for an agent's installation: above all what the agent may do for us without asking.

It may run those of our commands that read, and those that add: none that takes away, sends, or changes a
setting. What adds is handed over where a sandbox keeps it from being written, which takes one folder."""

from collections.abc import Sequence
from pathlib import Path

from ctxrepo.agents.mcp_server import McpServer
from ctxrepo.lazy import dataclass

READING = (
    *("search", "recall", "read", "list", "status", "context", "history", "tags", "links"),
    *("scratch list", "tape list", "tape search", "tape info", "conflicts list", "conflicts show"),
)
ADDING = (
    *("remember", "log", "new", "edit", "touch", "reinforce", "verify"),
    *("scratch add", "scratch done", "anchor", "handoff"),
)

READING_TOOLS = ("recall", "search", "read")
ADDING_TOOLS = ("remember", "edit", "handoff")

LEVELS = {"none": (), "read": READING, "write": (*READING, *ADDING)}
"""What may be asked for -> the commands, as they begin."""

TOOLS = {"none": (), "read": READING_TOOLS, "write": (*READING_TOOLS, *ADDING_TOOLS)}
"""The same for the tools of our MCP server."""


@dataclass(frozen=True)
class InstallOptions:
    """What the `level`, a key of LEVELS, allows; `handover` is the folder of what is handed over, None where
    there is no machine yet to have one. `enforces`: the agent asks us before it uses a tool. `server` is our
    MCP server, None where it isn't to be in the agent's list."""

    level: str = "none"
    handover: Path | None = None
    enforces: bool = False
    server: McpServer | None = None

    @property
    def commands(self) -> Sequence[str]:
        """The commands that may be run, as they begin."""
        return LEVELS[self.level]

    @property
    def tools(self) -> Sequence[str]:
        """The tools of our MCP server that may be called; none without the server."""
        return TOOLS[self.level] if self.server else ()

    @property
    def folders(self) -> Sequence[Path]:
        """The folders that commands in a sandbox may write to."""
        return self.folders_of_any_level if self.level == "write" else ()

    @property
    def folders_of_any_level(self) -> Sequence[Path]:
        """Those that another level may have let them write to, too."""
        return (self.handover,) if self.handover else ()


DEFAULTS = InstallOptions()
"""What holds for an agent for which nothing was chosen."""
