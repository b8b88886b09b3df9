"""Claude Code's permission modes, and its sandbox."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from live.modes import AGAIN, ASKED, ASKS, HANDED, SAYS, YES, Mode
from live.stage import Stage
from live.terminal import Terminal

MODEL = ("--model", "claude-sonnet-4-5")

_QUIET = (
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_AUTOUPDATER",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)


def environment(stage: Stage) -> Mapping[str, str]:
    """What it finds in its environment beside what the machine has."""
    key = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": stage.model.url}
    return {**dict.fromkeys(_QUIET, "1"), **key, "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}


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


@contextmanager
def _in_terminal(stage: Stage, prompt: str) -> Iterator[Terminal]:
    """It runs where a person has typed this prompt, who was through its first questions long ago."""
    known = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    once = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["test-key"], "rejected": []},
        "projects": {str(stage.project): known},
    }
    file = stage.machine.home / ".claude.json"
    file.write_text(json.dumps(once), "utf-8")
    words = [str(stage.installed.program), *MODEL]
    with Terminal(stage, words, environment(stage)) as terminal:
        terminal.until("manual mode on")
        terminal.type(prompt)
        terminal.until(prompt.split()[-1])
        terminal.type("\r")
        yield terminal


MODES = (
    Mode("default", "As it comes: it asks before commands and edits.", (ASKS, ASKS, ASKS, ASKS, ASKS)),
    Mode(
        "default-in-a-terminal",
        "As it comes, in its terminal, where a person says yes.",
        (ASKED, ASKED, ASKED, ASKED, ASKED),
        terminal=_in_terminal,
        question="1. Yes",
    ),
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
        "In its sandbox, without anything granted: commands read, and the hook runs again what adds.",
        (YES, AGAIN, AGAIN, ASKS, SAYS),
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
