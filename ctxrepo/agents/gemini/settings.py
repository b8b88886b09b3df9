"""Gemini CLI's settings: which of its events get a hook, and what in them keeps hooks from running."""

from __future__ import annotations

from ctxrepo.agents.hook_groups import HookGroups

NAME = "ctxrepo"
"""What our hooks are called: `/hooks disable` takes this name."""

TIMEOUT = 10_000
"""Milliseconds after which Gemini CLI ends a hook."""


class _GeminiSettings(HookGroups):
    def hook(self, event: str, command: str) -> dict[str, object]:
        """Our hook for an event, with a name that it is listed by."""
        return {"name": NAME, **super().hook(event, command)}

    def obstacle(self, text: str) -> str:
        """What in these settings keeps our hooks from running, or ''."""
        config = self.settings(text).get("hooksConfig")
        said = config if isinstance(config, dict) else {}
        if said.get("enabled") is False:
            return "hooksConfig.enabled is off"
        disabled = said.get("disabled")
        return f"hooksConfig.disabled names {NAME}" if isinstance(disabled, list) and NAME in disabled else ""


SETTINGS = _GeminiSettings(
    name="gemini",
    matchers={
        "SessionStart": "",
        "BeforeAgent": "",
        # What it calls PreCompress comes before every request, and says nothing of a compaction.
        "AfterTool": "^(read_file|replace|write_file|run_shell_command)$",
        "AfterAgent": "",
        "SessionEnd": "",
    },
    timeout=TIMEOUT,
    has_comments=True,
)
