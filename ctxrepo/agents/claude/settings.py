"""Claude Code's settings: which of its events get a hook, and what in them bears on hooks."""

from __future__ import annotations

from ctxrepo.agents.hook_groups import HookGroups

TIMEOUT = 10
"""Seconds after which Claude Code ends a hook; without it a session's end would have 1.5."""


class _ClaudeSettings(HookGroups):
    def obstacle(self, text: str) -> str:
        """What in these settings keeps hooks from running, or ''."""
        return "disableAllHooks is on" if self.settings(text).get("disableAllHooks") is True else ""


SETTINGS = _ClaudeSettings(
    name="claude",
    matchers={
        "SessionStart": "",
        "UserPromptSubmit": "",
        "PostToolUse": "Read|Edit|MultiEdit|Write|NotebookEdit",
        "PostToolUseFailure": "Bash",
        "SubagentStart": "",
        "Stop": "",
        "PreCompact": "",
        "SessionEnd": "",
    },
    timeout=TIMEOUT,
)
