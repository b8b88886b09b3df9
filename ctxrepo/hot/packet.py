"""The session-start packet: a pure function of what is in memory, the day and the budget."""

from ctxrepo.hot.block import OVERHEAD, age_of, fitting, index_line, passage, seal, size
from ctxrepo.hot.cache import Row
from ctxrepo.hot.escape import escape_field, escape_text

BUDGET = 9500
"""Bytes of a block; agents cut or refuse what is larger than about 10,000."""

BODY_ROOM = 3 * 1024
HANDOFF_ROOM = 1024
FAULT_ROOM = 1024
GLOBAL_SHARE = 3
"""Beside a project, the global scope gets at most one part in so many."""

Scope = tuple[str, str, list[Row], int]
"""(folder, body of its MEMORY.md, the first rows of its index, how many rows there are)."""

_MORE = "… {} more: ctxrepo search\n"
_INDEX = "## Index of notes\n"
_FAULTS = "## Faults\n"


def packet(
    scopes: list[Scope],
    preamble: str,
    handoff: tuple[str, str, str] | None,
    faults: list[str],
    today: int,
    secret: str,
    budget: int = BUDGET,
) -> str:
    """One sealed block of at most `budget` bytes; '' when there is nothing to say or no room to say it.

    `handoff` is (name, ts, text), `today` days since 1970, `secret` the key of the seal in hex. Scopes
    are shown in their order, the global one first. What doesn't fit is cut between lines, and the cut is
    marked.
    """
    room = budget - OVERHEAD
    head = "".join(fitting(_lines(preamble), room))
    room -= size(head)
    tail = fault_section(faults, room)
    room -= size(tail)
    allowed = _allowances(scopes, room, budget)
    bodies = []
    for folder, body, _, _ in scopes:
        part = memory_section(folder, body, min(BODY_ROOM, allowed[folder], room))
        bodies.append(part)
        allowed[folder] -= size(part)
        room -= size(part)
    note = handoff_section(handoff, min(HANDOFF_ROOM, room))
    room -= size(note)
    index = index_section(scopes, allowed, today, room)
    content = head + "".join(bodies) + note + tail + index
    return seal(content, secret) if content else ""


def fault_section(faults: list[str], room: int) -> str:
    """One line a fault, as many as fit in `room` and 1 KiB."""
    lines = [f"- {escape_field(fault)}\n" for fault in faults]
    kept = fitting(lines, min(FAULT_ROOM, room) - size(_FAULTS))
    return _FAULTS + "".join(kept) if kept else ""


def told(faults: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The beginning of `faults`, (hash, text) each, that one section holds."""
    return faults[: max(0, fault_section([text for _, text in faults], FAULT_ROOM).count("\n") - 1)]


def memory_section(folder: str, body: str, room: int) -> str:
    return passage(f"## {escape_field(folder)}/MEMORY.md\n", body, room) if body else ""


def handoff_section(handoff: tuple[str, str, str] | None, room: int) -> str:
    if handoff is None:
        return ""
    name, ts, text = handoff
    title = f"## Handoff · {escape_field(name, '·')} · {escape_field(ts[:10], '·')}\n"
    return passage(title, text, room)


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


def change_section(title: str, rows: list[Row], today: int, room: int) -> str:
    """Index lines under `title`, for notes that changed during a session."""
    lines = [_line(row, today) for row in rows]
    kept = fitting(lines, room - size(title))
    if len(kept) == len(lines):
        return title + "".join(kept)
    kept = fitting(lines, room - size(title) - size(_MORE.format(len(lines))))
    return title + "".join(kept) + _MORE.format(len(lines) - len(kept))


def _allowances(scopes: list[Scope], room: int, budget: int) -> dict[str, int]:
    """Bytes each scope may take; a later one gets whatever the ones before it leave."""
    allowed = {folder: room for folder, _, _, _ in scopes}
    if len(scopes) > 1:
        allowed[scopes[0][0]] = budget // GLOBAL_SHARE
    return allowed


def _within(
    rows: list[tuple[Row, str]], made: dict[str, str], today: int, allowed: dict[str, int], room: int
) -> list[str]:
    """The lines of the beginning of every scope's rows that fits, in the order of all.

    `made` has the lines by path. Of a thousand rows a tenth fits, so a line is made when there is room.
    """
    kept = []
    for row, folder in rows:
        if allowed[folder] < 0:
            continue
        line = made.get(row[0]) or made.setdefault(row[0], _line(row, today))
        allowed[folder] -= size(line)
        if allowed[folder] < 0 or room < size(line):
            allowed[folder] = -1
            continue
        room -= size(line)
        kept.append(line)
    return kept


def _line(row: Row, today: int) -> str:
    path, description, tags, updated, _, _ = row
    return index_line(path, description, tags, age_of(updated, today))


def _path(placed: tuple[Row, str]) -> str:
    return placed[0][0]


def _rank(placed: tuple[Row, str]) -> tuple[int, int, str]:
    _, _, _, updated, pinned, core = placed[0]
    return (pinned, core, updated)


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in escape_text(text).rstrip("\n").split("\n")] if text else []
