"""OpenCode's permissions: as it comes, where its settings have it ask, and as its agent `plan`."""

from __future__ import annotations

import json
from typing import Any

from live.modes import ASKS, YES, Mode
from live.stage import Stage


def _as_it_comes(stage: Stage) -> None:
    _permits(stage, {})


def _asks(stage: Stage) -> None:
    _permits(stage, {"*": "ask"})


def _permits(stage: Stage, permission: dict[str, Any]) -> None:
    """Its settings have these permissions and no others."""
    file = stage.machine.home / ".config" / "opencode" / "opencode.json"
    settings = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**settings, "permission": permission}), "utf-8")


_PLAN = ("--agent", "plan")

MODES = (
    Mode(
        "default",
        "As it comes: every command runs, and it asks before it edits outside of the project.",
        (YES, YES, YES, ASKS, YES),
        prepare=_as_it_comes,
    ),
    Mode(
        "asks",
        'With `"*": "ask"` in its settings, its strictest.',
        (ASKS, ASKS, ASKS, ASKS, ASKS),
        prepare=_asks,
    ),
    Mode(
        "asks-with-rules",
        'With `"*": "ask"` and our rules: commands that read and add run unasked.',
        (YES, YES, YES, ASKS, ASKS),
        permissions="write",
        prepare=_asks,
    ),
    Mode(
        "plan",
        "As its agent `plan`: commands run all the same.",
        (YES, YES, YES, ASKS, YES),
        _PLAN,
        prepare=_as_it_comes,
    ),
)
