"""Codex' installation: hooks in a file of their own beside its config, and our skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.protocol import EditedDocument, SkillsFolder, Wanted
from ctxrepo.errors import ConfigError

TIMEOUT = 10
"""Seconds after which Codex ends a hook."""

END_TIMEOUT = 3
"""The most that it grants at a session's end; for more it complains to its user."""


HOOKS = HookGroups(
    name="codex",
    matchers={
        "SessionStart": "",
        "UserPromptSubmit": "",
        "PostToolUse": "Bash|apply_patch",
        "SubagentStart": "",
        "Stop": "",
        "PreCompact": "",
        "SessionEnd": "",
    },
    timeout=TIMEOUT,
    other_timeouts={"SessionEnd": END_TIMEOUT},
)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Codex: CODEX_HOME, else ~/.codex."""
    named = environment.get("CODEX_HOME", "")
    if named and not Path(named).is_absolute():
        raise ConfigError(
            f"CODEX_HOME is {named!r}, which is not an absolute path", "Set it to one, or unset it."
        )
    return Path(named) if named else user_home / ".codex"


def files(user_home: Path, environment: Mapping[str, str], line: Callable[[str], str]) -> Sequence[Wanted]:
    """Our hooks, and the skills in the folder that other agents read too."""
    hooks = {event: line(event) for event in HOOKS.events()}
    return (
        EditedDocument(folder(user_home, environment) / "hooks.json", HOOKS, hooks),
        SkillsFolder(user_home / ".agents" / "skills"),
    )
