"""The packet of the preset `md`, which has no lanes: an index, or what the tape selects."""

import _sqlite3

from ctxrepo.domain.text import UNLIMITED, escape_field, fitting, size
from ctxrepo.hooks.known.cached import below
from ctxrepo.hooks.known.locate import Scope
from ctxrepo.hooks.known.packet_rows import IndexRow, SelectedFile, notes_at

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
    end. A section is (source, folder, its notes); `root` is the memory repository's own folder."""
    room -= size(_OPENING + _CLOSING)
    text = ""
    for source, folder, notes in sections:
        start = f'<memory_files source="{source}" directory="{escape_field(f"{root}/{folder}", chr(34))}">\n'
        end = "</memory_files>\n"
        lines = "".join(_first_lines(notes, root, room - size(start + end)))
        if lines:
            section = start + lines + end
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
    sections += [("project", scope.folder, _notes_below(cache, f"{scope.folder}/core")) for scope in projects]
    return md_block(sections, general.repo.home, room)


def _notes_below(cache: _sqlite3.Connection, folder: str) -> list[NoteFields]:
    return cache.execute(_NOTES, below(folder)).fetchall()


def _first_lines(notes: list[NoteFields], root: str, room: int) -> list[str]:
    """The lines of the first notes, as many as fit in `room` bytes; none are made of the others."""
    blocks: list[str] = []
    for path, description, tags in notes:
        lines = note_lines(f"{root}/{path}", "normal", description, tags)
        room -= size(lines)
        if room < 0:
            break
        blocks.append(lines)
    return blocks


_TAPE_OPENING = """\
<memory_context mode="tape">
<instructions>
Tape is enabled for this conversation. Use tape tools when you need anchors or tape history.
"""
_MANUAL = """\
Handoff mode: manual. `tape_handoff` is blocked unless the keyword is triggered or user create manually.
"""
_BELOW = "</instructions>\n"
_HIGH = 3
"""So many of those that matter most have a high priority."""


def md_tape_packet(
    cache: _sqlite3.Connection, selected: list[SelectedFile], root: str, is_manual: bool, room: int
) -> str:
    """What is selected, as many as fit in `room` bytes; '' where that is nothing. No newline at the end.

    `root` is the memory repository's own folder; `is_manual` says that an agent may leave anchors only where
    its user asked for one."""
    head = _TAPE_OPENING + (_MANUAL if is_manual else "") + _BELOW
    heads = notes_at(cache, [file.path for file in selected if file.is_note])
    notes = [_note(file, heads.get(file.path), root) for file in selected if file.is_note]
    files = [_file(file) for file in selected if not file.is_note]
    text = ""
    for name, blocks in (("memory_files", notes), ("active_project_files", files)):
        start, end = f"<{name}>\n", f"</{name}>\n"
        lines = "".join(fitting(blocks, room - size(head + text + start + end + _CLOSING)))
        text += start + lines + end if lines else ""
    return head + text + _CLOSING if text else ""


def _note(file: SelectedFile, row: IndexRow | None, root: str) -> str:
    description, tags = (row.description, row.tags) if row else ("", "")
    return note_lines(f"{root}/{file.path}", _priority(file), description, tags) + _focus(file)


def _file(file: SelectedFile) -> str:
    path = file.path if file.path.startswith("/") else f"{file.top}/{file.path}"
    return f"- path: {escape_field(path)}\n  priority: {_priority(file)}\n" + _focus(file)


def _priority(file: SelectedFile) -> str:
    return "high" if 0 < file.rank <= _HIGH else "normal"


def _focus(file: SelectedFile) -> str:
    return f"  recent focus: {escape_field(file.why)}\n" if file.why else ""
