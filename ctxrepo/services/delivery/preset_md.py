"""The preset `md` as the worktree has it: every note, with the heads as pi-memory-md reads them."""

from __future__ import annotations

from collections.abc import Iterator

from ctxrepo.domain.note.pi_head import pi_head
from ctxrepo.hooks.packet.md import NoteFields, md_block
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import note_paths, read_note
from ctxrepo.storage.memory import Memory


def preset_md(memory: Memory, project: Project | None) -> str:
    """All global notes and the project's below `core/`, four lines each, uncapped.

    '' when there are none. No newline at the end.
    """
    sections = []
    if project is None or project.folder != memory.global_folder:
        sections.append(("global", memory.global_folder, [*_notes(memory, memory.global_folder, "")]))
    if project is not None:
        sections.append(("project", project.folder, [*_notes(memory, project.folder, "core/")]))
    return md_block(sections, str(memory.root))


def _notes(memory: Memory, folder: str, below: str) -> Iterator[NoteFields]:
    for path in note_paths(memory, [folder]):
        if path.startswith(f"{folder}/{below}") and path.endswith(".md"):
            note = read_note(memory, path)
            if note is not None:
                head = pi_head(note.text)
                yield path, head.description, head.tags
