"""ctxrepo.toml: which folder of the memory repository is which project's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ctxrepo.domain import toml
from ctxrepo.domain.paths import unsafe
from ctxrepo.errors import ConfigError

REGISTRY_FILE = "ctxrepo.toml"
FORMAT = 1

_RESERVED = frozenset({"global", "tape", "inbox", "conflicts", "archive", ".ctx", ".git"})


@dataclass(frozen=True)
class Registry:
    """`projects` maps project ids to folders; `problem` is one line when the file can't be read."""

    format: int = FORMAT
    projects: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


def parse(text: str) -> Registry:
    """Read ctxrepo.toml; what can't be a project's folder is left out."""
    try:
        found = toml.read(text)
    except ConfigError as error:
        return Registry(problem=f"{REGISTRY_FILE}: {error.message}")
    projects = found.get("projects")
    policy = found.get("policy")
    number = found.get("format", FORMAT)
    return Registry(
        format=number if isinstance(number, int) else FORMAT,
        projects={k: v for k, v in (projects if isinstance(projects, dict) else {}).items() if is_folder(v)},
        policy=policy if isinstance(policy, dict) else {},
    )


def with_project(text: str, project_id: str, folder: str) -> str:
    """`text` with the project registered, every other byte as it was."""
    started = text if text.strip() else f"format = {FORMAT}\n"
    return toml.with_value(started, "projects", project_id, folder)


def is_folder(name: object) -> bool:
    """Whether a project's folder may be called so: one safe part that nothing else is called."""
    if not isinstance(name, str) or "/" in name or unsafe(name):
        return False
    return name.casefold() not in _RESERVED and not name.startswith(".")


def is_global_folder(name: str) -> bool:
    """Whether the notes that hold everywhere may be in a folder of that name."""
    return name == "global" or is_folder(name)


def folder_for(project_id: str, registry: Registry, folders: Collection[str]) -> str:
    """The folder a project gets: the last part of its id, with `-2`, `-3` … where that is taken.

    A folder of just that name which is there and claimed by nobody is adopted.
    """
    base = _slug(project_id)
    claimed = {f.casefold() for f in registry.projects.values()}
    there = {f.casefold() for f in folders}
    if is_folder(base) and base.casefold() not in claimed:
        return base
    return next(
        name
        for name in (f"{base}-{n}" for n in count(2))
        if name.casefold() not in claimed | there and is_folder(name)
    )


def _slug(project_id: str) -> str:
    last = unicodedata.normalize("NFC", project_id).rstrip("/").rpartition("/")[2].rpartition(":")[2]
    slug = re.sub(r"[^\w.@+-]+", "-", last).strip("-. ")[:80].strip("-. ")
    return slug or "project"
