"""Claude Code's settings: which of its events get a hook, and what in them bears on hooks."""

from __future__ import annotations

from ctxrepo.agents.hook_groups import HookGroups

PLUGIN = "ctxrepo"
"""The name of our plugin; a marketplace may follow it behind an @."""

TIMEOUT = 10
"""Seconds after which Claude Code ends a hook; without it a session's end would have 1.5."""


class _ClaudeSettings(HookGroups):
    def has_plugin(self, text: str) -> bool:
        """Whether these settings switch ctxrepo's plugin on, from whatever marketplace."""
        plugins = self.settings(text).get("enabledPlugins")
        named = plugins.items() if isinstance(plugins, dict) else ()
        return any(name.partition("@")[0] == PLUGIN and is_on is True for name, is_on in named)

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
