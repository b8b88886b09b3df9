"""ctxrepo.toml: which folder of the memory repository is which project's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import field
from itertools import count
from typing import Any

from ctxrepo.domain.formats import toml
from ctxrepo.domain.project.layout import GLOBAL, REGISTRY, RESERVED
from ctxrepo.domain.project.paths import unsafe
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass

FORMAT = 1


@dataclass(frozen=True)
class Registry:
    """`projects` maps project ids to folders, `aliases` further names of projects to the ids they stand for;
    `problem` is one line when the file can't be read.
    """

    format: int = FORMAT
    projects: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""

    def canonical(self, project_id: str) -> str:
        """The id that an id stands for; of names that stand for each other the lowest."""
        seen: list[str] = []
        while (other := self.aliases.get(project_id)) and project_id not in seen:
            seen.append(project_id)
            project_id = other
        return min(seen[seen.index(project_id) :]) if project_id in seen else project_id

    def folder_of(self, project_id: str) -> str:
        """The folder registered for an id or for what it stands for; '' when there is none."""
        return self.projects.get(self.canonical(project_id), "")

    def names_of(self, project_id: str) -> list[str]:
        """The further names that stand for an id, sorted."""
        wanted = self.canonical(project_id)
        return sorted(name for name in self.aliases if name != wanted and self.canonical(name) == wanted)


def parse(text: str) -> Registry:
    """Read ctxrepo.toml; what can't be a project's folder is left out."""
    try:
        found = toml.read(text)
    except ConfigError as error:
        return Registry(problem=f"{REGISTRY}: {error.message}")
    number = found.get("format", FORMAT)
    return Registry(
        format=number if isinstance(number, int) else FORMAT,
        projects={k: v for k, v in _table(found, "projects").items() if is_folder_name(v)},
        aliases={k: v for k, v in _table(found, "aliases").items() if isinstance(v, str) and v},
        policy=_table(found, "policy"),
    )


def with_project(text: str, project_id: str, folder: str | None) -> str:
    """`text` with the project registered in `folder`, or unregistered for None, every other byte as it
    was."""
    return _with(text, "projects", project_id, folder)


def with_alias(text: str, name: str, project_id: str | None) -> str:
    """`text` in which `name` stands for a project (None: for itself again), every other byte as it was."""
    return _with(text, "aliases", name, project_id)


def is_folder_name(name: object) -> bool:
    """Whether a project's folder may be called so: one safe part that nothing else is called."""
    if not isinstance(name, str) or "/" in name or unsafe(name):
        return False
    return name.casefold() not in RESERVED and not name.startswith(".")


def is_global_folder(name: str) -> bool:
    """Whether the notes that hold everywhere may be in a folder of that name."""
    return name == GLOBAL or is_folder_name(name)


def folder_for(project_id: str, registry: Registry, folders: Collection[str]) -> str:
    """The folder a project gets: the last part of its id, with `-2`, `-3` … where that is taken.

    A folder of just that name which is there and claimed by nobody is adopted.
    """
    base = _slug(project_id)
    claimed = {f.casefold() for f in registry.projects.values()}
    there = {f.casefold() for f in folders}
    if is_folder_name(base) and base.casefold() not in claimed:
        return base
    return next(
        name
        for name in (f"{base}-{n}" for n in count(2))
        if name.casefold() not in claimed | there and is_folder_name(name)
    )


def rename_links(text: str, old: str, new: str) -> str:
    """`text` with every link that names the folder `old` leading to `new` instead."""
    return re.sub(rf"\[\[{re.escape(old)}(?=/[^\[\]\n]+\]\])", lambda _: f"[[{new}", text)


def _table(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = found.get(name)
    return table if isinstance(table, dict) else {}


def _with(text: str, table: str, key: str, value: str | None) -> str:
    from ctxrepo.domain.formats.toml_edit import with_value  # tomlkit costs a start of Python; most only read

    return with_value(text if text.strip() else f"format = {FORMAT}\n", table, key, value)


def _slug(project_id: str) -> str:
    last = unicodedata.normalize("NFC", project_id).rstrip("/").rpartition("/")[2].rpartition(":")[2]
    slug = re.sub(r"[^\w.@+-]+", "-", last).strip("-. ")[:80].strip("-. ")
    return slug or "project"
