"""Sections that stand in a packet or in a block of their own: faults, handoffs, changes, recalled entries."""

from ctxrepo.domain.text import (
    SHORT_OVERHEAD,
    UNLIMITED,
    age_mark,
    entry_head,
    entry_place,
    escape_field,
    fitting,
    further_head,
    index_line,
    passage,
    seal_shortly,
    size,
    with_doubt,
)
from ctxrepo.hooks.known.cached import BETWEEN_TITLES, CachedFault, EntryHit
from ctxrepo.hooks.known.packet_rows import CachedHandoff, IndexRow
from ctxrepo.hooks.known.world import RECALL_BYTES
from ctxrepo.hooks.session.ledger_words import FAULT
from ctxrepo.hooks.session.session import Session

FAULT_ROOM = 1024
HANDOFF_ROOM = 1024

MORE = "… {} more: ctxrepo search\n"
_FAULTS = "## Faults\n"


def fault_section(faults: list[str], room: int) -> str:
    """A line for each fault, as many as fit in `room` bytes."""
    lines = [f"- {escape_field(fault)}\n" for fault in faults]
    body = "".join(fitting(lines, room - size(_FAULTS)))
    return _FAULTS + body if body else ""


def fault_block(faults: list[CachedFault], secret: str, session: Session) -> str:
    """A sealed block of the first of these faults, which the session's ledger notes as told."""
    first = first_faults(faults)
    for fault in first:
        session.note(FAULT, fault.hash)
    return seal_shortly(fault_section([fault.text for fault in first], FAULT_ROOM), secret)


def first_faults(faults: list[CachedFault]) -> list[CachedFault]:
    """The first of `faults`, as many as one section holds."""
    return faults[: max(0, fault_section([fault.text for fault in faults], FAULT_ROOM).count("\n") - 1)]


def handoff_section(handoff: CachedHandoff, room: int) -> str:
    title = f"## Handoff · {escape_field(handoff.name, '·')} · {escape_field(handoff.ts[:10], '·')}\n"
    return passage(title, handoff.text, room)


def change_section(title: str, rows: list[IndexRow], today: int, room: int) -> str:
    """Index lines under `title`, for notes that changed during a session."""
    lines = [row_line(row, today) for row in rows]
    if len(fitting(lines, room - size(title))) == len(lines):
        return title + "".join(lines)
    first = fitting(lines, room - size(title) - size(MORE.format(len(lines))))
    return title + "".join(first) + MORE.format(len(lines) - len(first))


def row_line(row: IndexRow, today: int, why: str = "") -> str:
    """A note as a line of the index; `why` says why it comes first."""
    return index_line(row.path, row.description, row.tags, age_mark(row.updated, today), why)


ROOM = RECALL_BYTES


def recall_block(
    hits: list[EntryHit], today: int, secret: str, budget: int = ROOM
) -> tuple[str, list[EntryHit]]:
    """A block of at most `budget` bytes and the hits in it; ('', []) without any."""
    text, shown = recall_section(hits, today, budget - SHORT_OVERHEAD)
    return (seal_shortly(text, secret), shown) if shown else ("", [])


def recall_section(hits: list[EntryHit], today: int, room: int, most: int = 0) -> tuple[str, list[EntryHit]]:
    """The text of the hits that fit in `room` bytes and `most` lines (0: any number), and these hits.

    Entries of a note stand together, notes in the order of their best ones. A hit that doesn't fit is left
    out; only the first one that is given may be cut."""
    most = most or UNLIMITED
    texts: dict[str, str] = {}
    by_path: dict[str, list[EntryHit]] = {}
    above: EntryHit | None
    for hit in hits:
        *_, above = [None, *by_path.get(hit.path, [])]
        text = _entry_passage(hit, entry_title(hit, today, above), room if not by_path else UNLIMITED)
        if text and size(text) <= room and text.count("\n") <= most:
            room -= size(text)
            most -= text.count("\n")
            texts[hit.path] = texts.get(hit.path, "") + text
            by_path.setdefault(hit.path, []).append(hit)
    return "".join(texts.values()), [hit for hit in hits if hit in by_path.get(hit.path, ())]


def _entry_passage(hit: EntryHit, title: str, room: int) -> str:
    """An entry under its title. A cut leaves what is doubted of it."""
    text = passage(title, with_doubt(hit.text, hit.doubt), room)
    if not hit.doubt or (doubt := escape_field(hit.doubt) + "\n") in text:
        return text
    cut = passage(title, hit.text, room - size(doubt))
    return cut + doubt if cut else ""


def entry_title(hit: EntryHit, today: int, above: EntryHit | None = None) -> str:
    """The line over an entry. Place, age and heading aren't repeated below an entry of the same note."""
    titles = hit.heading.replace(BETWEEN_TITLES, " > ")
    if above is None or above.updated != hit.updated or (above.heading and not titles):
        return entry_head(entry_place(hit.path, *_where(hit)), titles, age_mark(hit.updated, today))
    return further_head(entry_place("", *_where(hit)), "" if above.heading == hit.heading else titles)


def is_shown(hit: EntryHit, text: str) -> bool:
    """Whether the text of a section has this entry."""
    heads = [line.partition(" · ") for line in text.split("\n") if line.startswith("## ")]
    places = {place.removeprefix("## ") for place, *_ in heads}
    whole = escape_field(entry_place(hit.path, *_where(hit)), "·")
    return whole in places or entry_place("", *_where(hit)) in places


def _where(hit: EntryHit) -> tuple[int, int, str]:
    return hit.first_line, hit.last_line, hit.id
