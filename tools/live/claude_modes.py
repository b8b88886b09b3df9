"""Claude Code's permission modes, and its sandbox."""

from __future__ import annotations

import json
import shutil
from typing import Any

from live.modes import ASKS, HANDED, SAYS, YES, Mode
from live.stage import Stage

_NEEDED = ("bwrap", "socat")
_NO_SANDBOX = (
    ""
    if all(map(shutil.which, _NEEDED))
    else f"its sandbox needs {' and '.join(_NEEDED)}, which aren't installed"
)

_ON = {"enabled": True, "autoAllowBashIfSandboxed": True}


def _sandbox(stage: Stage) -> None:
    """Its sandbox is on, as `/sandbox` turns it on, and no command may ask to leave it."""
    file = stage.machine.home / ".claude" / "settings.json"
    settings: dict[str, Any] = json.loads(file.read_text("utf-8"))
    on = {**_ON, "allowUnsandboxedCommands": False, "failIfUnavailable": True}
    settings["sandbox"] = {**settings.get("sandbox", {}), **on}
    file.write_text(json.dumps(settings, indent=2), "utf-8")


MODES = (
    Mode("default", "As it comes: it asks before commands and edits.", (ASKS, ASKS, ASKS, ASKS, ASKS)),
    Mode(
        "default-with-rules",
        "As it comes, with our rules: commands that read and add run unasked.",
        (YES, YES, YES, ASKS, ASKS),
        permissions="write",
    ),
    Mode(
        "plan",
        "In plan mode, its strictest.",
        (ASKS, ASKS, ASKS, ASKS, ASKS),
        ("--permission-mode", "plan"),
    ),
    Mode(
        "plan-with-rules",
        "In plan mode, with our rules.",
        (YES, YES, YES, ASKS, ASKS),
        ("--permission-mode", "plan"),
        permissions="write",
    ),
    Mode(
        "sandbox",
        "In its sandbox, without anything granted: commands read, and what writes says what would help.",
        (YES, SAYS, SAYS, ASKS, SAYS),
        prepare=_sandbox,
        lacks=_NO_SANDBOX,
    ),
    Mode(
        "sandbox-with-rules",
        "In its sandbox, with our rules and the folder: what adds is handed over and saved outside.",
        (YES, HANDED, HANDED, ASKS, SAYS),
        permissions="write",
        prepare=_sandbox,
        lacks=_NO_SANDBOX,
    ),
)
