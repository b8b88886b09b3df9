"""A host of the Model Context Protocol at a machine: its tools performed in this process, as by a server."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from machines import NOW, Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.faces.mcp.answers import ToolAnswer
from ctxrepo.faces.mcp.former_tools import former_tools
from ctxrepo.faces.mcp.tools import Tool, ToolRequest, perform, tools

TOOLS: Mapping[str, Tool] = {**former_tools(), **tools()}


@dataclass(frozen=True)
class Host:
    """Calls tools in the project's folder; `agent` and `session` are what a server takes from its client."""

    machine: Machine
    agent: str = "mcp"
    session: str = "s-1"
    cwd: Path | None = None
    more: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, tool: str, **arguments: Any) -> ToolAnswer:
        """The answer of a tool."""
        return self.desk().perform(perform, ToolRequest(TOOLS[tool], arguments), self.call())

    def text(self, tool: str, **arguments: Any) -> str:
        """The text of the answer without the seal around it, which is looked at."""
        return unsealed(self(tool, **arguments).text)

    def fields(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the answer tells programs."""
        fields = self(tool, **arguments).fields
        assert fields is not None
        return dict(fields)

    def desk(self) -> Desk:
        return Desk(self.call(), lambda: NOW, sys.executable)

    def call(self) -> Call:
        environment = {**self.machine.env, **self.more}
        return Call(self.cwd or self.machine.project_folder, environment, session=(self.agent, self.session))


def unsealed(text: str) -> str:
    """What stands between the delimiters of a quotation, below the line that says what it is."""
    first, frame, *lines, last = text.split("\n")
    assert first.startswith('<ctxrepo-memory tag="')
    assert last == f"</{first[1:]}"
    assert frame.startswith("Quoted from ")
    return "\n".join(lines)


def is_sealed(text: str) -> bool:
    return text.startswith("<ctxrepo-memory tag=")
