"""The preset `md`: the index that pi-memory-md delivers, uncapped, in an order that stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxrepo.domain.note import Note
from ctxrepo.domain.pinote import pi_head
from ctxrepo.hot.escape import escape_field
from ctxrepo.services.find import note_paths, read_note
from ctxrepo.services.project import Project
from ctxrepo.storage.memory import Memory

_OPENING = """\
<memory_context mode="normal">
<instructions>
These memory files can help you better understand the project and the user.
</instructions>"""
_CLOSING = "</memory_context>"


def preset_md(memory: Memory, project: Project | None) -> str:
    """All global notes and the project's below `core/`, four lines each, as the worktree has them.

    '' when there are none. No newline at the end.
    """
    lines: list[str] = []
    if project is None or project.folder != memory.global_folder:
        lines += _section(memory, "global", memory.global_folder, "")
    if project is not None:
        lines += _section(memory, "project", project.folder, "core/")
    return "\n".join([_OPENING, *lines, _CLOSING]) if lines else ""


def _section(memory: Memory, source: str, folder: str, below: str) -> Iterator[str]:
    paths = [
        p for p in note_paths(memory, [folder]) if p.startswith(f"{folder}/{below}") and p.endswith(".md")
    ]
    notes = [note for path in paths if (note := read_note(memory, path)) is not None]
    if notes:
        yield from _rendered(source, memory.root / folder, memory.root, notes)


def _rendered(source: str, directory: Path, root: Path, notes: Sequence[Note]) -> Iterator[str]:
    yield f'<memory_files source="{source}" directory="{escape_field(str(directory), chr(34))}">'
    for note in notes:
        head = pi_head(note.text)
        yield f"- path: {escape_field(str(root / note.path))}"
        yield "  priority: normal"
        yield f"  description: {escape_field(head.description) or 'No description'}"
        yield f"  tags: {escape_field(head.tags) or 'none'}"
    yield "</memory_files>"
