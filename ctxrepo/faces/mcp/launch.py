"""Starts the server, if what it needs is installed; a host shows its standard error as the server's log."""

import sys

_NEEDED = ("mcp", "mcp_types", "anyio", "pydantic")
"""What the extra brings."""

_MISSING = (
    "ctxrepo: `ctxrepo mcp` needs the package mcp: `pipx inject ctxrepo mcp`, `pip install mcp` beside "
    "ctxrepo, or `uv tool install --with mcp git+ADDRESS`"
)

_CLOSED = "ctxrepo: `ctxrepo mcp` speaks to a host over standard input and output, and one of them is closed"

_AT_TERMINAL = """\
ctxrepo: waiting for a host's messages, not for yours; `ctxrepo setup AGENT --mcp` has an agent start this. \
Ctrl-D ends it"""


def main() -> int:
    """Serve until the host is gone; 1 where that can't be."""
    try:
        from ctxrepo.faces.mcp.serve import main as serve
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] not in _NEEDED:
            raise
        print(_MISSING, file=sys.stderr)
        return 1
    if sys.stdin is None or sys.stdout is None:
        print(_CLOSED, file=sys.stderr)
        return 1
    if sys.stdin.isatty():
        print(_AT_TERMINAL, file=sys.stderr)
    return serve()
