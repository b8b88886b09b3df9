"""What a person chose for an agent's installation, beside hooks and skills."""

from collections.abc import Sequence
from pathlib import Path

from ctxrepo.agents.mcp_server import McpServer
from ctxrepo.agents.permissions import LEVELS, TOOLS
from ctxrepo.lazy import dataclass


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
