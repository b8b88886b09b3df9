"""What is done in a poisoned clone: every command that may start git or open the clone, hooks, the worker."""

from __future__ import annotations

import json
from pathlib import Path

from checkout import PAYLOADS

Order = tuple[str, ...]


SENT = "a fact that has to be sent, 1234"
LAST = "the last fact that has to be sent, 5678"

ASKED = (
    ("init", "{address}"),
    ("status",),
    ("remember", SENT, "--scope", "global"),
    ("hook", "claude", "SessionStart"),
    ("sync",),
)
"""What everybody does all day, and what meets the remote."""

LOOKED = (
    ("history", "global:topics/known.md"),
    ("history", "--in-review", "--markdown"),
    ("read", "global:topics/known.md"),
    ("hook", "claude", "SessionEnd"),
    ("_work", "--state", "{state}"),
    ("doctor",),
    ("doctor", "--fix"),
    ("remember", LAST, "--scope", "global"),
    ("sync",),
)

BETWEEN = (
    ("status", "--json"),
    ("log", "a line of the log"),
    ("new", "global:topics/new.md", "-d", "a new note"),
    ("edit", "global:topics/known.md", "--old", "alpha", "--new", "omega"),
    ("touch", "global:topics/known.md"),
    ("move", "global:topics/known.md", "global:topics/moved.md"),
    ("undo",),
    ("archive", "global:topics/known.md"),
    ("restore", "global:topics/known.md"),
    ("forget", "global:topics/gone.md"),
    ("restore", "global:topics/gone.md"),
    ("scratch", "add", "an item"),
    ("anchor", "point", "--summary", "what was done"),
    ("handoff", "night", "--goal", "to hold", "--next", "to look"),
    ("hook", "claude", "UserPromptSubmit"),
    ("hook", "claude", "PreToolUse"),
    ("hook", "claude", "PostToolUse-edit"),
    ("hook", "claude", "Stop"),
    ("hook", "claude", "PreCompact"),
    ("hook", "claude", "SubagentStart"),
    ("hook", "claude", "SessionStart-compact"),
    ("pull",),
    ("push",),
    ("history",),
    ("log", "--list"),
    ("search", "alpha"),
    ("recall", "--no-gate", "alpha"),
    ("context",),
    ("list", "--long"),
    ("tags",),
    ("links",),
    ("conflicts", "list"),
    ("review", "--html"),
    ("declined", "list"),
    ("export", "global", "{aside}/export"),
    ("project", "show"),
    ("project", "list"),
    ("cache", "verify"),
    ("cache", "rebuild"),
    ("check",),
    ("check", "--fix"),
    ("setup", "claude", "--check"),
    ("start",),
    ("config", "list"),
    ("stats", "usage"),
    ("trace",),
    ("file", "list"),
    ("session", "show"),
)

PROJECT = (
    ("project", "show"),
    ("project", "list"),
    ("context",),
    ("remember", "a fact of the project"),
    ("file", "add", "AGENTS.md"),
    ("hook", "claude", "UserPromptSubmit"),
    ("hook", "claude", "PostToolUse-edit"),
    ("hook", "claude", "Stop"),
    ("project", "link", "git.example.org/ada/kiln"),
    ("handoff", "night", "--goal", "to hold"),
    ("start",),
    ("search", "alpha"),
)
"""What looks at the checkout that somebody stands in."""

FEW: tuple[Order, ...] = (*ASKED, *LOOKED)
THERE: tuple[Order, ...] = (*ASKED, *PROJECT, *LOOKED)
ALL: tuple[Order, ...] = (*ASKED, *BETWEEN, *LOOKED)


def asked(order: Order, project: Path, edited: Path) -> tuple[Order, str]:
    """The words of a command and what it reads: hooks are told what the agent would tell them."""
    if order[0] != "hook":
        return order, ""
    payload = json.loads((PAYLOADS / f"{order[2]}.json").read_text())
    payload |= {"session_id": "s-1", "cwd": str(project), "tool_input": {"file_path": str(edited)}}
    return (*order[:2], order[2].partition("-")[0]), json.dumps(payload)
