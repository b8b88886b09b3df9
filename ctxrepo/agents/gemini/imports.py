"""Gemini CLI's memory: facts at the end of the user's GEMINI.md, and a folder of notes for each project.

The form is that of google-gemini/gemini-cli, packages/core/src/tools/memoryTool.ts and config/storage.ts, of
2026: a project's folder has the name that `projects.json` gives it, and holds the path in `.project_root`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ctxrepo.agents.gemini.install import folder
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import MEMORY
from ctxrepo.lazy import lazy_pattern
from ctxrepo.sources.facts import SourceFact, contents_of_facts, read_text_file
from ctxrepo.sources.markdown_notes import INDEX, loose_entries, markdown_of
from ctxrepo.sources.source import NotTaken, SourceContents, SourceNote, SourceSearch, left_with, source_at

NAME = "gemini-memory"

_ADDED = lazy_pattern(r"(?ms)^## Gemini Added Memories[ \t]*$(.*?)(?=^##? |\Z)")
"""What its tool appended, up to the next heading of a person's."""

_RULES = NotTaken("GEMINI.md, but for its added memories", "instructions, which it reads by itself")
_DRAFTS = NotTaken("skills/", "drafts of skills, which wait for a person there")


def places(search: SourceSearch) -> Iterator[Path]:
    """The user's file, and the folder of each project that has one."""
    root = folder(search.home, search.env)
    yield root / "GEMINI.md"
    for name in sorted(set(_projects(search, root).values())):
        memory = root / "tmp" / name / "memory"
        if "/" not in name and search.files.is_folder(memory):
            yield memory


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """What it added to the file, or keeps of the project in the folder."""
    if search.files.is_folder(place):
        return _of_project(search, place)
    text = read_text_file(search, place)
    added = "\n".join(_ADDED.findall(text or ""))
    facts = [SourceFact(entry.plain) for entry in entries_of("", added)]
    return contents_of_facts(search, NAME, place, facts, [_RULES]) if facts else None


SOURCES = (source_at(NAME, places, read),)


def _of_project(search: SourceSearch, place: Path) -> SourceContents | None:
    """A folder of notes, with an index that holds facts of its own."""
    contents = search.files.read_folder(place)
    root = read_text_file(search, place.parent / ".project_root") or ""
    names = _projects(search, place.parent.parent.parent)
    project = root.strip() or next((path for path, name in names.items() if name == place.parent.name), "")
    scope = search.scope_of(project) if project else search.scope_at(place)
    if not contents.notes:
        return None
    where = search.shown(place)
    if not scope:
        omission = left_with(counted(len(contents.notes), "note"), project)
        return SourceContents(NAME, where, not_taken=(omission,))

    def target(path: str) -> str:
        return "" if path == MEMORY or path.startswith("skills/") else f"{scope}/topics/{path}"

    notes, others = markdown_of(contents, target)
    if loose := tuple(loose_entries(decode(contents.notes.get(MEMORY, b"")), contents.notes)):
        notes = (*notes, SourceNote(MEMORY, f"{scope}/{MEMORY}", bullets=loose))
    drafts = any(path.startswith("skills/") for path in contents.notes)
    left_out = (*([INDEX] if MEMORY in contents.notes else ()), *([_DRAFTS] if drafts else ()))
    return SourceContents(NAME, where, notes, not_taken=(*others, *left_out))


def _projects(search: SourceSearch, root: Path) -> Mapping[str, str]:
    """path of a project -> the name of its folders, as far as the registry can be read."""
    fields, _ = search.files.read_fields(root / "projects.json")
    table = (fields or {}).get("projects")
    pairs = table.items() if isinstance(table, dict) else ()
    return {path: name for path, name in pairs if isinstance(name, str) and name}
