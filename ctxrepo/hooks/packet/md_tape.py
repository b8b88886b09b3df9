"""The preset `md` with a tape: the notes and files that pi-memory-md selects by what sessions did."""

import _sqlite3

from ctxrepo.domain.text.block import size
from ctxrepo.domain.text.escape import escape_field
from ctxrepo.hooks.known.notes import IndexRow, SelectedFile, notes_at
from ctxrepo.hooks.packet.md import note_lines

_OPENING = """\
<memory_context mode="tape">
<instructions>
Tape is enabled for this conversation. Use tape tools when you need anchors or tape history.
"""
_MANUAL = """\
Handoff mode: manual. `tape_handoff` is blocked unless the keyword is triggered or user create manually.
"""
_BELOW = "</instructions>\n"
_CLOSING = "</memory_context>"
_HIGH = 3
"""So many of those that matter most have a high priority."""


def md_tape_packet(
    cache: _sqlite3.Connection, selected: list[SelectedFile], root: str, is_manual: bool, room: int
) -> str:
    """What is selected, as many as fit in `room` bytes; '' where that is nothing. No newline at the end.

    `root` is the memory repository's own folder; `is_manual` says that an agent may leave anchors only where
    its user asked for one.
    """
    head = _OPENING + (_MANUAL if is_manual else "") + _BELOW
    heads = notes_at(cache, [file.path for file in selected if file.is_note])
    notes = [_note(file, heads.get(file.path), root) for file in selected if file.is_note]
    files = [_file(file) for file in selected if not file.is_note]
    text = ""
    for name, blocks in (("memory_files", notes), ("active_project_files", files)):
        start, end = f"<{name}>\n", f"</{name}>\n"
        left = room - size(head + text + start + end + _CLOSING)
        kept: list[str] = []
        for block in blocks:
            left -= size(block)
            if left < 0:
                break
            kept.append(block)
        text += start + "".join(kept) + end if kept else ""
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
