"""Letta Code: a folder of markdown for each of its agents; what is in `system/` is always before it.

The form is that of letta-ai/letta-code, src/agent/prompts/init_memory.md and letta_local_memfs.md, of
2026."""

from dataclasses import replace
from pathlib import Path

from ctxrepo.domain.note.entry import entries_of, normalised
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import NotTaken, SourceContents, SourceSearch, left_out, source_at

NAME = "letta"

_SYSTEM = "system/"
_OWN = ("persona", "skills/", "memory_filesystem")
"""What an agent keeps about itself, and what it is able to do."""
_OF_PROJECTS = ("project/", "projects/", "project.md")


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """What its agents remember, or the one whose memory was named; of a project only where a scope was."""
    if not search.files.is_folder(place):
        return None
    contents = search.files.read_folder(place)
    below = {path: path if search.chosen else path.partition("/memory/")[2] for path in contents.notes}
    below = {path: name for path, name in below.items() if name}
    names = {path: name.removeprefix(_SYSTEM) for path, name in below.items()}
    own = [path for path, name in names.items() if name.startswith(_OWN)]
    of_projects = [path for path, name in names.items() if name.startswith(_OF_PROJECTS) and not search.scope]
    taken = names.keys() - {*own, *of_projects}
    scope = search.scope_at(place)
    notes, _ = markdown_of(contents, lambda path: f"{scope}/topics/{names[path]}" if path in taken else "")
    notes = tuple(
        replace(note, pins=frozenset(normalised(entry.text) for entry in entries_of(note.path, note.text)))
        if below[note.origin].startswith(_SYSTEM)
        else note
        for note in notes
    )
    rest = left_out(
        (len(own), "note", "about the agent itself, or a skill of it"),
        (len(of_projects), "note", "of a project: --from and --scope say of which"),
    )
    rest += [NotTaken(path, why) for path, why in contents.unread.items()]
    return SourceContents(NAME, search.shown(place), notes, not_taken=tuple(rest)) if notes or rest else None


SOURCES = (source_at(NAME, lambda search: [search.home / ".letta" / "agents"], read),)
