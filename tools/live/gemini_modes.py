"""Gemini CLI's approval modes, and its sandbox."""

from __future__ import annotations

from live.modes import ASKS, NO, YES, Mode
from live.stage import Stage


def _without_folder(stage: Stage) -> None:
    """The memory isn't in its workspace, as nobody has said so."""
    file = stage.machine.home / ".gemini" / "settings.json"
    text = file.read_text("utf-8")
    file.write_text(text.replace(f'"{stage.memory}"', ""), "utf-8")


_PLAN = ("--approval-mode", "plan")

MODES = (
    Mode(
        "default",
        "As it comes: it asks before commands and edits.",
        (ASKS, ASKS, ASKS, NO, ASKS),
        prepare=_without_folder,
    ),
    Mode(
        "default-with-rules",
        "As it comes, with our policy: commands that read and add run unasked.",
        (YES, YES, YES, NO, ASKS),
        permissions="write",
        prepare=_without_folder,
    ),
    Mode("plan", "In plan mode, its strictest.", (NO, NO, NO, NO, NO), _PLAN, prepare=_without_folder),
    Mode(
        "plan-with-rules",
        "In plan mode, with our policy.",
        (YES, YES, YES, NO, NO),
        _PLAN,
        permissions="write",
        prepare=_without_folder,
    ),
    Mode(
        "sandbox",
        "In its sandbox.",
        lacks="it takes Docker or Podman with an image of its maker's, or macOS' sandbox-exec",
    ),
)
