"""Views of lists of notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.app.views.view import Part, Table, TextLine, View, one_section

if TYPE_CHECKING:
    from ctxrepo.app.notes.browsing import DeliveryList, ListRequest
    from ctxrepo.services.notes.list_notes import NoteSummary

_COLUMNS = ("note", "bytes", "entries", "pinned", "delivered")


def list_view(notes: Sequence[NoteSummary], request: ListRequest) -> View:
    """A line for each note; where there is none, a hint says why."""
    return one_section("Notes", [TextLine(note_line(note)) for note in notes], *_hints(len(notes), request))


def delivery_view(notes: DeliveryList, request: ListRequest) -> View:
    """A table of the notes, with their sizes and how much of each a session is given."""
    rows = tuple(
        (n.note.place, str(n.bytes), str(n.note.entries), "pinned" if n.pinned else "", n.delivered or "no")
        for n in notes.notes
    )
    parts: list[Part] = [Table(_COLUMNS, rows), TextLine(f"{notes.total} bytes are given in all")]
    return one_section("Notes", parts if rows else [], *_hints(len(rows), request))


def note_line(note: NoteSummary) -> str:
    """A note on one line: its place, description and tags."""
    tags = f" [{', '.join(note.tags)}]" if note.tags else ""
    mark = " (pinned)" * note.pinned + (f"  ({note.problem})" if note.problem else "")
    return f"{note.place} — {note.description or 'No description'}{tags}{mark}"


def _hints(count: int, request: ListRequest) -> list[str]:
    if count:
        return []
    if request.folder:
        return [f"no note is below {request.folder}"]
    return ["no note has these tags" if request.tags else "no notes yet: `ctxrepo remember` writes the first"]
