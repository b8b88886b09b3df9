"""basic-memory: folders of markdown whose bullets are `- [category] text #tag (context)`, nearly as here.

The form is that of basicmachines-co/basic-memory, src/basic_memory/config.py and markdown/schemas.py, of
2026: its config names each folder, as a path or as an object with a `path`."""

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import expanded
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import SourceContents, SourceSearch, left_with, source_at

NAME = "basic-memory"

_GENERAL = "main"
"""What it calls the folder that it begins with, which is of no project."""


def _vaults(search: SourceSearch) -> Mapping[Path, str]:
    """Its folders, and what it calls each."""
    fields, _ = search.files.read_fields(search.home / ".basic-memory" / "config.json")
    table = (fields or {}).get("projects")
    vaults = table if isinstance(table, dict) else {_GENERAL: str(search.home / "basic-memory")}
    paths = {name: value.get("path") if isinstance(value, dict) else value for name, value in vaults.items()}
    return {
        Path(expanded(path, str(search.home))): str(name)
        for name, path in paths.items()
        if isinstance(path, str)
    }


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """The notes in a folder, for the project that has its name, or for all if it is the general one."""
    if not search.files.is_folder(place):
        return None
    name = _GENERAL if search.chosen else _vaults(search).get(place, _GENERAL)
    scope = search.scope_at(place) if name == _GENERAL else search.scope_of(name)
    contents, where = search.files.read_folder(place), search.shown(place)
    if not scope:
        omission = left_with(counted(len(contents.notes), "note"), name)
        return SourceContents(NAME, where, not_taken=(omission,))
    notes, others = markdown_of(contents, lambda path: f"{scope}/topics/{path}")
    return SourceContents(NAME, where, notes, not_taken=others) if notes else None


SOURCES = (source_at(NAME, lambda search: filter(Path.is_absolute, _vaults(search)), read),)
