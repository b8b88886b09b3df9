"""The preset `md`: the index that pi-memory-md delivers, in a stable order."""

import _sqlite3

from ctxrepo.domain.text.block import size
from ctxrepo.domain.text.cut import UNLIMITED
from ctxrepo.domain.text.escape import escape_field
from ctxrepo.hooks.known.cache import below
from ctxrepo.hooks.known.locate import Scope

NoteFields = tuple[str, str, str]
"""A note: (path in the memory repository, description, tags)."""

_OPENING = """\
<memory_context mode="normal">
<instructions>
These memory files can help you better understand the project and the user.
</instructions>
"""
_CLOSING = "</memory_context>"
_NOTES = "select path, description, tags from note where path > ? and path < ? order by path"


def md_block(sections: list[tuple[str, str, list[NoteFields]]], root: str, room: int = UNLIMITED) -> str:
    """All notes, four lines each, or as many as fit in `room` bytes; '' where none does. No newline at the
    end.

    A section is (source, folder, its notes); `root` is the memory repository's own folder.
    """
    room -= size(_OPENING + _CLOSING)
    text = ""
    for source, folder, notes in sections:
        start = f'<memory_files source="{source}" directory="{escape_field(f"{root}/{folder}", chr(34))}">\n'
        end = "</memory_files>\n"
        kept = _fitting(notes, root, room - size(start + end))
        if kept:
            section = start + "".join(kept) + end
            room -= size(section)
            text += section
    return _OPENING + text + _CLOSING if text else ""


def note_lines(path: str, priority: str, description: str, tags: str) -> str:
    """The four lines of a note."""
    return (
        f"- path: {escape_field(path)}\n"
        f"  priority: {priority}\n"
        f"  description: {escape_field(description) or 'No description'}\n"
        f"  tags: {escape_field(tags) or 'none'}\n"
    )


def md_packet(cache: _sqlite3.Connection, scopes: list[Scope], room: int) -> str:
    """The block for a session in `scopes` (global first): all global notes, and the project's in `core/`."""
    general, *projects = scopes
    sections = [("global", general.folder, _notes_below(cache, general.folder))]
    sections += [("project", one.folder, _notes_below(cache, f"{one.folder}/core")) for one in projects]
    return md_block(sections, general.repo.home, room)


def _notes_below(cache: _sqlite3.Connection, folder: str) -> list[NoteFields]:
    return cache.execute(_NOTES, below(folder)).fetchall()


def _fitting(notes: list[NoteFields], root: str, room: int) -> list[str]:
    """The lines of the first notes, as many as fit in `room` bytes."""
    kept: list[str] = []
    for path, description, tags in notes:
        lines = note_lines(f"{root}/{path}", "normal", description, tags)
        room -= size(lines)
        if room < 0:
            break
        kept.append(lines)
    return kept
