"""The memory programs of Claude Code whose notes can be brought here. Its auto memory is a folder of notes
for each folder that it worked in, and an index of them.

claude-mem has a model write down what sessions observe, in a SQLite file, of which kinds are chosen. Its form
is that of thedotmack/claude-mem, src/services/sqlite/schema.sql, at migration 35 (August 2026)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxrepo.agents.claude.install import folder
from ctxrepo.domain.formats.jsonl import document, texts_in
from ctxrepo.domain.note.frontmatter import read
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import MEMORY
from ctxrepo.sources.facts import SourceFact, contents_of_facts, words_of
from ctxrepo.sources.markdown_notes import INDEX, loose_entries, markdown_of
from ctxrepo.sources.source import Source, SourceContents, SourceNote, SourceSearch, source_at

NAME = "claude-memory"

_OF_THE_USER = frozenset({"user", "feedback"})
"""The types of notes that are about the user, and so hold in every project."""

CLAUDE_MEM = "claude-mem"

_SUMMARY = "summary"
"""The kind of a session's summary; the other kinds are the types of its observations."""

_TABLES = {
    "observations": (
        *("type", "project", "merged_into_project", "created_at"),
        *("title", "subtitle", "facts", "narrative", "text", "concepts"),
    ),
    "session_summaries": (
        *("request", "project", "merged_into_project", "created_at"),
        *("learned", "completed", "next_steps", "notes"),
    ),
}

_CATEGORIES = {"decision": "decision", "bugfix": "gotcha", _SUMMARY: "session"}
"""What a kind is as a category here; any other is a fact."""


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What it remembers of the current checkout, or in the folder that was named."""
    root = search.chosen or _own(search)
    if root is None or not search.files.is_folder(root):
        return
    contents = search.files.read_folder(root)
    if not contents.notes and search.chosen is None:
        return
    scopes = {path: _scope(search, data) for path, data in contents.notes.items() if path != MEMORY}
    notes, others = markdown_of(contents, lambda p: f"{scopes[p]}/topics/{p}" if scopes.get(p) else "")
    loose = tuple(loose_entries(decode(contents.notes.get(MEMORY, b"")), contents.notes))
    if loose and search.project:
        notes = (*notes, SourceNote(MEMORY, f"{search.project}/{MEMORY}", bullets=loose))
    yield SourceContents(
        NAME,
        search.shown(root),
        notes,
        not_taken=(*others, *([INDEX] if MEMORY in contents.notes else ())),
        lacks_project=not search.project and (bool(loose) or "" in scopes.values()),
    )


def read_claude_mem(search: SourceSearch, place: Path) -> SourceContents | None:
    """What is in the file of claude-mem, or in that of a folder."""
    file = place / "claude-mem.db" if search.files.is_folder(place) else place
    tables = search.files.read_tables(CLAUDE_MEM, file, _TABLES) or {}
    facts = [*map(_observed, tables.get("observations", ()))]
    facts += map(_summed_up, tables.get("session_summaries", ()))
    return contents_of_facts(search, CLAUDE_MEM, file, facts, asks="a model wrote them")


SOURCES = (
    Source(NAME, find),
    source_at(CLAUDE_MEM, lambda s: [s.named_or("CLAUDE_MEM_DATA_DIR", ".claude-mem")], read_claude_mem),
)


def _own(search: SourceSearch) -> Path | None:
    """Where it keeps what it remembers of the checkout: in a folder that its settings name, or in one that is
    called as the checkout's path, with dashes."""
    if search.checkout is None:
        return None
    home = folder(search.home, search.env)
    fields, _ = search.files.read_fields(home / "settings.json")
    setting = str((fields or {}).get("autoMemoryDirectory") or "")
    if setting:
        chosen = search.home / setting[2:] if setting.startswith("~/") else Path(setting)
        return chosen if chosen.is_absolute() else None
    name = re.sub("[^A-Za-z0-9]", "-", str(search.files.real(search.checkout)))
    return home / "projects" / name / "memory"


def _scope(search: SourceSearch, data: bytes) -> str:
    """The folder here for a note: the global one for what is about the user; '' where no project is known."""
    fields: Mapping[str, Any] = read(decode(data)).fields
    about = fields.get("metadata")
    kind = about.get("type") if isinstance(about, dict) else fields.get("type")
    return search.global_folder if kind in _OF_THE_USER else search.project


def _observed(row: Sequence[object]) -> SourceFact:
    kind, project, merged, when, *texts = map(_on_one_line, row)
    title, subtitle, facts, narrative, text, concepts = texts
    points = [f"- {point}" for point in _list(facts)]
    lines = [title or subtitle or text, *(points or filter(None, [narrative]))]
    tags = words_of(_list(concepts))
    return SourceFact(
        "\n".join(lines), _CATEGORIES.get(kind, "fact"), tags, "", _parent(merged or project), kind, when
    )


def _summed_up(row: Sequence[object]) -> SourceFact:
    request, project, merged, when, *texts = map(_on_one_line, row)
    names = ("Learned", "Completed", "Next", "Notes")
    lines = [request, *(f"- {name}: {text}" for name, text in zip(names, texts, strict=True) if text)]
    category = _CATEGORIES[_SUMMARY]
    return SourceFact("\n".join(lines), category, (), "", _parent(merged or project), _SUMMARY, when)


def _parent(project: str) -> str:
    """The project of a worktree's, which is called `project/worktree`."""
    return project.partition("/")[0]


def _list(text: str) -> list[str]:
    """The texts of a list in JSON, none where it isn't one."""
    return texts_in(document(text)[0])


def _on_one_line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
