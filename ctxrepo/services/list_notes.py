"""list: the notes of the scopes in view, as the worktree has them now."""

from __future__ import annotations

from dataclasses import dataclass

from ctxrepo.domain.note import Note
from ctxrepo.services.find import note_paths, read_note, scope_named, search_order
from ctxrepo.services.project import Project
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Listed:
    """A note without its text; `path` is relative to the scope's folder."""

    scope: str
    path: str
    description: str
    tags: tuple[str, ...]
    updated: str
    entries: int
    problem: str


def list_notes(memory: Memory, scope: str, project: Project | None) -> list[Listed]:
    """Notes of one scope, or of the project and global, sorted by scope and path."""
    folders = [scope_named(memory, scope, project).folder] if scope else search_order(project)
    notes = [note for path in note_paths(memory, folders) if (note := read_note(memory, path))]
    order = {folder: number for number, folder in enumerate(folders)}
    return sorted(map(_listed, notes), key=lambda n: (order[n.scope], n.path))


def _listed(note: Note) -> Listed:
    head = note.head
    return Listed(
        scope=note.scope_folder,
        path=note.path.partition("/")[2],
        description=head.description,
        tags=head.tags,
        updated=head.updated or head.created,
        entries=len(note.entries),
        problem=head.problem,
    )
