"""The sections of a packet, each written into the room it is given and cut where that is too small."""

from ctxrepo.domain.text.block import age_of, index_line, named, place, size
from ctxrepo.domain.text.cut import HEAD, fitting, passage, pieces
from ctxrepo.domain.text.escape import escape_field, escape_text
from ctxrepo.hooks.known.notes import IndexRow, PacketEntry

FAULT_ROOM = 1024
HANDOFF_ROOM = 1024

_MORE = "… {} more: ctxrepo search\n"
_INDEX = "## Index of notes\n"
_FAULTS = "## Faults\n"
_PINNED = "## Pinned\n"
_FILES = "## Files touched last\n"

Scope = tuple[str, str, list[IndexRow], int]
"""(folder, body of its MEMORY.md, the first rows of its index, how many rows there are)."""


def fault_section(faults: list[str], room: int) -> str:
    """One line a fault, as many as fit in `room`."""
    lines = [f"- {escape_field(fault)}\n" for fault in faults]
    kept = fitting(lines, room - size(_FAULTS))
    return _FAULTS + "".join(kept) if kept else ""


def told(faults: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The beginning of `faults`, (hash, text) each, that one section holds."""
    return faults[: max(0, fault_section([text for _, text in faults], FAULT_ROOM).count("\n") - 1)]


def memory_section(folder: str, body: str, room: int, keep: str = HEAD, most: int = 0) -> str:
    return passage(f"## {escape_field(folder)}/MEMORY.md\n", body, room, keep, most) if body else ""


def handoff_section(handoff: tuple[str, str, str], room: int) -> str:
    name, ts, text = handoff
    title = f"## Handoff · {escape_field(name, '·')} · {escape_field(ts[:10], '·')}\n"
    return passage(title, text, room)


def texts_section(entries: list[PacketEntry], room: int, keep: str, most: int) -> str:
    """The entries of one note as they are written, under its path."""
    if not entries:
        return ""
    first, *_ = entries
    title = f"## {escape_field(first.path)}\n"
    return pieces(title, [escape_text(entry.text) + "\n" for entry in entries], "entries", room, keep, most)


def pinned_section(entries: list[PacketEntry], today: int, room: int) -> str:
    """One line an entry: its place and id, its text, its age."""
    return pieces(_PINNED, [pinned_line(one, today) for one in entries], "entries", room) if entries else ""


def pinned_line(entry: PacketEntry, today: int) -> str:
    where = named(entry.path, entry.first_line, entry.last_line, entry.id)
    return index_line(where, entry.text, "", age_of(entry.updated, today))


def lines_section(title: str, entries: list[PacketEntry], today: int, room: int, most: int = 0) -> str:
    """One line an entry: its place, its text, its age. There may be hundreds, so they do without ids."""
    return pieces(title, [entry_line(entry, today) for entry in entries], "entries", room, HEAD, most)


def entry_line(entry: PacketEntry, today: int) -> str:
    where = place(entry.path, entry.first_line, entry.last_line)
    return index_line(where, entry.text, "", age_of(entry.updated, today))


def files_section(files: list[tuple[str, str]], room: int) -> str:
    """Files of the code that were touched last, each with the lines it was about."""
    lines = [index_line(path, focus, "", "") for path, focus in files]
    kept = fitting(lines, room - size(_FILES))
    return _FILES + "".join(kept) if kept else ""


def index_section(scopes: list[Scope], allowed: dict[str, int], today: int, room: int) -> str:
    """Index lines of all scopes in one order, each scope within what it is allowed; the last line counts
    those that are left out."""
    total = sum([count for _, _, _, count in scopes])
    rows = [(row, folder) for folder, _, rows, _ in scopes for row in rows]
    rows.sort(key=_path)
    rows.sort(key=_rank, reverse=True)
    made: dict[str, str] = {}
    kept = _within(rows, made, today, dict(allowed), room - size(_INDEX))
    if len(kept) < total:
        kept = _within(rows, made, today, dict(allowed), room - size(_INDEX) - size(_MORE.format(total)))
    tail = _MORE.format(total - len(kept)) if len(kept) < total else ""
    text = _INDEX + "".join(kept) + tail
    return text if total and size(text) <= room else ""


def change_section(title: str, rows: list[IndexRow], today: int, room: int) -> str:
    """Index lines under `title`, for notes that changed during a session."""
    lines = [_line(row, today) for row in rows]
    kept = fitting(lines, room - size(title))
    if len(kept) == len(lines):
        return title + "".join(kept)
    kept = fitting(lines, room - size(title) - size(_MORE.format(len(lines))))
    return title + "".join(kept) + _MORE.format(len(lines) - len(kept))


def _within(
    rows: list[tuple[IndexRow, str]], made: dict[str, str], today: int, allowed: dict[str, int], room: int
) -> list[str]:
    """The lines of the beginning of every scope's rows that fits, in the order of all.

    `made` has the lines by path. Of a thousand rows a tenth fits, so a line is made when there is room.
    """
    kept = []
    for row, folder in rows:
        if allowed[folder] < 0:
            continue
        line = made.get(row.path) or made.setdefault(row.path, _line(row, today))
        allowed[folder] -= size(line)
        if allowed[folder] < 0 or room < size(line):
            allowed[folder] = -1
            continue
        room -= size(line)
        kept.append(line)
    return kept


def _line(row: IndexRow, today: int) -> str:
    return index_line(row.path, row.description, row.tags, age_of(row.updated, today))


def _path(placed: tuple[IndexRow, str]) -> str:
    row, _ = placed
    return row.path


def _rank(placed: tuple[IndexRow, str]) -> tuple[int, int, str]:
    row, _ = placed
    return (row.is_pinned, row.is_core, row.updated)
