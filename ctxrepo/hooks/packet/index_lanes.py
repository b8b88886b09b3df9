"""Lanes that list: the notes of each scope, and the files that come first."""

from ctxrepo.domain.text import UNLIMITED, fitting, index_line, size
from ctxrepo.hooks.known.packet_rows import IndexRow, index_of
from ctxrepo.hooks.packet.lane import (
    DEFAULT,
    GLOBAL_DIVISOR,
    MEMORY,
    SCORED,
    SUBAGENT,
    Bounds,
    PacketContents,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)
from ctxrepo.hooks.packet.sections import MORE, row_line

_TITLE = "## Index of notes\n"
_SHORTEST_LINE = 12


class _Index(PacketLane):
    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        contents.touched = {file.path: file.why for file in source.selected if file.is_note}
        for scope in contents.scopes:
            limit = source.budget // _SHORTEST_LINE
            scope.rows, scope.count = index_of(source.cache, scope.folder, limit, contents.touched)
            if source.own_notes:
                listed = [row for row in scope.rows if not row.path.startswith(source.own_notes)]
                scope.rows, scope.count = listed, scope.count - len(scope.rows) + len(listed)

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if [scope for scope in contents.scopes if scope.count] else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        """The last line counts the notes that are left out."""
        scopes, touched, allowed = draft.contents.scopes, draft.contents.touched, _allowed(draft, room)
        total = sum([scope.count for scope in scopes])
        rows = sorted([row for scope in scopes for row in scope.rows], key=lambda row: row.path)
        # Pinned notes come first, then those that sessions of the project touched most, then core notes.
        weights = {path: len(touched) - at for at, path in enumerate(touched)}
        rows.sort(
            key=lambda row: (row.is_pinned, weights.get(row.path, 0), row.is_core, row.updated), reverse=True
        )
        may_fit = total * _SHORTEST_LINE <= room
        lines = _within(rows, section, draft, dict(allowed), room - size(_TITLE)) if may_fit else []
        if len(lines) < total:
            room_of_lines = room - size(_TITLE) - size(MORE.format(total))
            lines = _within(rows, section, draft, dict(allowed), room_of_lines)
        tail = MORE.format(total - len(lines)) if len(lines) < total else ""
        text = _TITLE + "".join(lines) + tail
        return text if total and size(text) <= room else ""


def _allowed(draft: PacketDraft, room: int) -> dict[str, int]:
    """All the room for each scope; the global one beside a project has its share less its MEMORY.md."""
    allowed = {scope.folder: room for scope in draft.contents.scopes}
    for folder in allowed:
        if draft.contents.is_global_beside_project(folder):
            memory = [s.text for s in draft.sections if s.key == folder and s.lane.name == MEMORY]
            allowed[folder] = draft.budget // GLOBAL_DIVISOR - size("".join(memory))
    return allowed


def _within(
    rows: list[IndexRow], section: Section, draft: PacketDraft, allowed: dict[str, int], room: int
) -> list[str]:
    """The lines that fit: of each scope the first rows, up to one that doesn't fit, in the order of `rows`.
    Of a thousand rows a tenth fits, so a line is made only while its scope has room."""
    lines = []
    for row in rows:
        folder, _, _ = row.path.partition("/")
        if allowed[folder] < 0:
            continue
        if row not in section.row_lines:
            section.row_lines[row] = row_line(row, draft.today, draft.contents.touched.get(row.path, ""))
        line = section.row_lines[row]
        allowed[folder] -= size(line)
        if allowed[folder] < 0 or room < size(line):
            allowed[folder] = -1
            continue
        room -= size(line)
        lines.append(line)
    return lines


INDEX = _Index("index", {DEFAULT: Bounds(1536, UNLIMITED), SUBAGENT: Bounds(0, UNLIMITED)})


_FILES_TITLE = "## Files touched last\n"


class _Files(PacketLane):
    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        contents.files = [(file.path, file.why) for file in source.selected if not file.is_note]

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.files else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        lines = [index_line(path, focus, "", "") for path, focus in draft.contents.files]
        body = "".join(fitting(lines, room - size(_FILES_TITLE)))
        return _FILES_TITLE + body if body else ""


FILES = _Files("files", {DEFAULT: Bounds(0, 512), SCORED: Bounds(0, 512)})
