"""Copilot CLI's installation: a file of hooks that is all ours, and our skills."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.copilot import FOLDER
from ctxrepo.agents.copilot.dialect import DIALECT
from ctxrepo.agents.hook_line import is_enabled
from ctxrepo.agents.protocol import OwnFile, Plugin, SkillsFolder, Wanted, named_folder

TIMEOUT = 10
"""Seconds after which Copilot ends a hook."""

TOOLS = ("view", "edit", "create", "str_replace_editor", "apply_patch", "bash")
"""The tools that have a hook: those that read or write files, and the shell."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Copilot CLI: COPILOT_HOME, else ~/.copilot."""
    return named_folder(FOLDER, environment) or user_home / ".copilot"


def files(user_home: Path, environment: Mapping[str, str], line: Callable[[str], str]) -> Sequence[Wanted]:
    """Our hooks, and the skills in the folder that other agents read too."""
    hooks = {event: line(event) for event in DIALECT.event_names()}
    path = folder(user_home, environment) / "hooks" / "ctxrepo.json"
    return (OwnFile(path, document(line).encode(), hooks), SkillsFolder(user_home / ".agents" / "skills"))


def document(line: Callable[[str], str]) -> str:
    """A file of hooks as Copilot reads it, with the command of `line` for each event."""
    hooks = {}
    for event in DIALECT.event_names():
        matcher = {"matcher": "|".join(TOOLS)} if event == "postToolUse" else {}
        hooks[event] = [{"type": "command", **matcher, "bash": line(event), "timeoutSec": TIMEOUT}]
    return json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"


PLUGIN = Plugin("settings.json", is_enabled)
