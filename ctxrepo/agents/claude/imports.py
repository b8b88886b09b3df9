"""Claude Code's auto memory: a folder of notes for each folder that it worked in, and an index of them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.agents.claude import claude_mem_source
from ctxrepo.agents.claude.install import folder
from ctxrepo.domain.note.frontmatter import read
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import MEMORY
from ctxrepo.sources.markdown_notes import INDEX, loose_entries, markdown_of
from ctxrepo.sources.source import Source, SourceContents, SourceNote, SourceSearch

NAME = "claude-memory"

_OF_THE_USER = frozenset({"user", "feedback"})
"""The types of notes that are about the user, and so hold in every project."""


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What it remembers of the current checkout, or in the folder that was named."""
    root = search.chosen or _own(search)
    if root is None or not search.files.is_folder(root):
        return
    kept = search.files.read_folder(root)
    if not kept.notes and search.chosen is None:
        return
    scopes = {path: _scope(search, data) for path, data in kept.notes.items() if path != MEMORY}
    notes, others = markdown_of(kept, lambda p: f"{scopes[p]}/topics/{p}" if scopes.get(p) else "")
    loose = tuple(loose_entries(decode(kept.notes.get(MEMORY, b"")), kept.notes))
    if loose and search.project:
        notes = (*notes, SourceNote(MEMORY, f"{search.project}/{MEMORY}", bullets=loose))
    yield SourceContents(
        NAME,
        search.shown(root),
        notes,
        not_taken=(*others, *([INDEX] if MEMORY in kept.notes else ())),
        lacks_project=not search.project and (bool(loose) or "" in scopes.values()),
    )


SOURCES = (Source(NAME, find), claude_mem_source.SOURCE)


def _own(search: SourceSearch) -> Path | None:
    """Where it keeps what it remembers of the checkout: in a folder that its settings name, or in one that is
    called as the checkout's path, with dashes."""
    if search.checkout is None:
        return None
    home = folder(search.home, search.env)
    fields, _ = search.files.read_fields(home / "settings.json")
    named = str((fields or {}).get("autoMemoryDirectory") or "")
    if named:
        chosen = search.home / named[2:] if named.startswith("~/") else Path(named)
        return chosen if chosen.is_absolute() else None
    name = re.sub("[^A-Za-z0-9]", "-", str(search.files.real(search.checkout)))
    return home / "projects" / name / "memory"


def _scope(search: SourceSearch, data: bytes) -> str:
    """The folder here for a note: the global one for what is about the user; '' where no project is known."""
    fields: Mapping[str, Any] = read(decode(data)).fields
    about = fields.get("metadata")
    kind = about.get("type") if isinstance(about, dict) else fields.get("type")
    return search.global_folder if kind in _OF_THE_USER else search.project
