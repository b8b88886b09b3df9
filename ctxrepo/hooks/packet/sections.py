"""Sections that stand in a packet or in a block of their own; each is cut to its room."""

from ctxrepo.domain.text.block import age_mark, index_line, seal_shortly, size
from ctxrepo.domain.text.cut import fitting, passage
from ctxrepo.domain.text.escape import escape_field
from ctxrepo.hooks.known.cache import CachedFault
from ctxrepo.hooks.known.notes import CachedHandoff, IndexRow
from ctxrepo.hooks.session.ledger_words import FAULT
from ctxrepo.hooks.session.session import Session

FAULT_ROOM = 1024
HANDOFF_ROOM = 1024

MORE = "… {} more: ctxrepo search\n"
_FAULTS = "## Faults\n"


def fault_section(faults: list[str], room: int) -> str:
    """A line for each fault, as many as fit in `room` bytes."""
    lines = [f"- {escape_field(fault)}\n" for fault in faults]
    kept = fitting(lines, room - size(_FAULTS))
    return _FAULTS + "".join(kept) if kept else ""


def fault_block(faults: list[CachedFault], secret: str, session: Session) -> str:
    """A sealed block of the first of these faults, which the session's ledger notes as told."""
    told = first_faults(faults)
    for fault in told:
        session.note(FAULT, fault.hash)
    return seal_shortly(fault_section([fault.text for fault in told], FAULT_ROOM), secret)


def first_faults(faults: list[CachedFault]) -> list[CachedFault]:
    """The first of `faults`, as many as one section holds."""
    return faults[: max(0, fault_section([fault.text for fault in faults], FAULT_ROOM).count("\n") - 1)]


def handoff_section(handoff: CachedHandoff, room: int) -> str:
    title = f"## Handoff · {escape_field(handoff.name, '·')} · {escape_field(handoff.ts[:10], '·')}\n"
    return passage(title, handoff.text, room)


def change_section(title: str, rows: list[IndexRow], today: int, room: int) -> str:
    """Index lines under `title`, for notes that changed during a session."""
    lines = [row_line(row, today) for row in rows]
    kept = fitting(lines, room - size(title))
    if len(kept) == len(lines):
        return title + "".join(kept)
    kept = fitting(lines, room - size(title) - size(MORE.format(len(lines))))
    return title + "".join(kept) + MORE.format(len(lines) - len(kept))


def row_line(row: IndexRow, today: int, why: str = "") -> str:
    """A note as a line of the index; `why` says why it comes first."""
    return index_line(row.path, row.description, row.tags, age_mark(row.updated, today), why)
