"""Claude Code's installation: hooks in its settings, and our skills in its folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.claude import FOLDER
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.hook_line import is_enabled
from ctxrepo.agents.protocol import EditedDocument, NativeMemory, Plugin, SkillsFolder, Wanted, named_folder

TIMEOUT = 10
"""Seconds after which Claude Code ends a hook; without it a session's end would have 1.5."""


SETTINGS = HookGroups(
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


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Claude Code: CLAUDE_CONFIG_DIR, else ~/.claude."""
    return named_folder(FOLDER, environment) or user_home / ".claude"


def files(user_home: Path, environment: Mapping[str, str], line: Callable[[str], str]) -> Sequence[Wanted]:
    """Our skills, and hooks in the settings."""
    root = folder(user_home, environment)
    hooks = {event: line(event) for event in SETTINGS.events()}
    return (SkillsFolder(root / "skills"), EditedDocument(root / "settings.json", SETTINGS, hooks))


def _is_memory_on(text: str, environment: Mapping[str, str]) -> bool:
    """Whether its auto memory is on, as it is unless somebody turned it off."""
    if environment.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").lower() in ("1", "true", "yes", "on"):
        return False
    return SETTINGS.settings(text).get("autoMemoryEnabled") is not False


PLUGIN = Plugin("settings.json", is_enabled)

NATIVE_MEMORY = NativeMemory(
    "Claude Code's auto memory", "settings.json", '"autoMemoryEnabled": false', _is_memory_on
)
