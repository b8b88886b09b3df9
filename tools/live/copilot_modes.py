"""Copilot CLI's permissions, which are words of its command line."""

from __future__ import annotations

from live.modes import ASKS, YES, Mode

MODES = (
    Mode("default", "As it comes: it asks before commands and edits.", (ASKS, ASKS, ASKS, ASKS, ASKS)),
    Mode(
        "allowed",
        "With `--allow-tool 'shell(ctxrepo:*)'`: every command of ours runs unasked, `forget` too.",
        (YES, YES, YES, ASKS, YES),
        ("--allow-tool", "shell(ctxrepo:*)"),
    ),
    Mode("plan", "In plan mode, its strictest.", (ASKS, ASKS, ASKS, ASKS, ASKS), ("--mode", "plan")),
)
