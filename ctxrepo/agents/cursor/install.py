"""Cursor's installation: hooks in its list of hooks, and our skills in the folder that several agents read.

After Cursor's documentation; no session of it was seen by us.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.cursor import hooksjson
from ctxrepo.agents.protocol import EditedDocument, SkillsFolder, Wanted


def folder(user_home: Path, _environment: Mapping[str, str]) -> Path:
    """The user's folder of Cursor, which no variable moves."""
    return user_home / ".cursor"


def files(user_home: Path, environment: Mapping[str, str], line: Callable[[str], str]) -> Sequence[Wanted]:
    """Hooks in the list, and our skills."""
    hooks = {event: line(event) for event in hooksjson.events()}
    return (
        EditedDocument(folder(user_home, environment) / "hooks.json", hooksjson, hooks),
        SkillsFolder(user_home / ".agents/skills"),
    )
