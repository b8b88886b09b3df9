"""Operations that look through notes and write nothing: a note read, all of them listed, searched, copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes.claims import claim_lines
from ctxrepo.app.notes.targets import ChecklistRequest, TargetRequest
from ctxrepo.app.result import Result, reads
from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.target import ScopeName
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.cache import remark_of
from ctxrepo.storage.cache.entries import entries_of_note

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.note.note import Note
    from ctxrepo.domain.records.save import Origin
    from ctxrepo.services.export.export_memory import ExportResult
    from ctxrepo.services.notes.changing import Tag
    from ctxrepo.services.notes.list_notes import NoteDelivery, NoteSummary
    from ctxrepo.services.notes.working_notes import Scratch
    from ctxrepo.services.reading.folder_sizes import FolderSize
    from ctxrepo.services.reading.links import Link, NoteLinks
    from ctxrepo.services.reading.searching import Hit, SearchQuery
    from ctxrepo.services.reading.targets import Reading
    from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class ListRequest:
    """Which notes: below a folder, no more than `depth` folders down, with all of these tags."""

    folder: str = ""
    """List only notes in this folder, e.g. topics or archive."""
    scope: ScopeName = ""
    tags: Sequence[str] = ()
    """A tag; may be given again."""
    depth: Annotated[int | None, Between(0)] = None
    """How many levels of folders to show."""
    limit: Annotated[int | None, Between(1)] = None
    """Show at most N notes."""


@dataclass(frozen=True)
class DeliveryList:
    """Notes with what a session is given of them, and the bytes that it is given in all."""

    notes: Sequence[NoteDelivery]
    total: int

    def __len__(self) -> int:
        return len(self.notes)


@dataclass(frozen=True)
class SearchRequest:
    """What is looked for, and how many hits are wanted at most."""

    query: SearchQuery
    limit: int = 20


@dataclass(frozen=True)
class ScopeRequest:
    """One scope; with '' the project and global."""

    scope: ScopeName = ""


@dataclass(frozen=True)
class DayRequest:
    """A day, such as 2026-11-20 or yesterday; '' is today."""

    day: str = ""
    """Print the log of this day, e.g. 2026-11-20 or yesterday."""
    scope: ScopeName = ""


@dataclass(frozen=True)
class ExportRequest:
    """Where to, which scope ('' is all), and in which form ('' is what the name of the place tells). `write`
    takes what is to go to standard output."""

    place: str
    scope: str = ""
    form: str = ""
    write: Callable[[bytes], object] | None = None


_MOST_NOTICES = 5
"""Entries in doubt, and superseded ones, that `read` tells of."""


def note_read(memory: Memory, origin: Origin, reading: Reading, now: float) -> None:
    """Note that a session read a note or an entry by a command, as the hook of its own tools would."""
    from ctxrepo.storage.state.usage import Access, AccessLog

    if origin.session:
        path, entry = str(memory.root / reading.note.path), reading.entry
        ranges = ((entry.first_line, entry.last_line),) if entry else ()
        AccessLog(memory.state.access).add(Access(now, origin.agent, origin.session, "read", path, ranges))


def read(desk: Desk, request: TargetRequest) -> Result[Reading]:
    """Read a note, or one entry of it, also by an id that the entry had before."""
    from ctxrepo.services.reading.marks import marks_now
    from ctxrepo.services.reading.targets import read

    reading = read(desk.memory, request.target, desk.project, follows=True)
    note_read(desk.memory, desk.origin, reading, desk.now.timestamp())
    note, entry = reading.note, reading.entry
    name = request.target.entry_id or request.target.word
    if entry and name and not entry.id.startswith(name):
        desk.notice(f"^{name} is ^{entry.id} now, at {entry.at}")
    if note.path in desk.memory.cache.ask(remark_of, "ignored"):
        desk.notice(f"{note.path} is only on this machine: git ignores it")
    head = note.head
    doubts = {
        cached.entry.id: cached.doubt
        for cached in desk.memory.cache.ask(entries_of_note, note.path)
        if cached.doubt
    }
    entries = [entry] if entry else note.entries
    struck = marks_now(desk.memory, [e.id for e in entries]).struck
    struck_lines = [
        f"^{e.id} at {e.at} is superseded: no session is given it" for e in entries if e.id in struck
    ]
    _notice_some(desk, struck_lines, "superseded: see `ctxrepo search`")
    doubt_lines = [f"^{e.id} at {e.at} {doubts[e.id]}" for e in entries if e.id in doubts]
    _notice_some(desk, doubt_lines, "in doubt: see `ctxrepo stale`")
    desk.notice(*claim_lines(desk, [(e.id, e.path) for e in entries]))
    data = {
        "path": note.path,
        "hash": reading.hash,
        "text": reading.text,
        "description": head.description,
        "tags": head.tags,
        "created": head.created,
        "updated": head.updated,
        "entries": [
            {"id": f"^{e.id}", "at": e.at, "text": e.text, "doubt": doubts.get(e.id, "")} for e in entries
        ],
    }
    return Result(reading, data)


def _notice_some(desk: Desk, lines: Sequence[str], what: str) -> None:
    desk.notice(*lines[:_MOST_NOTICES])
    if len(lines) > _MOST_NOTICES:
        desk.notice(f"{len(lines) - _MOST_NOTICES} more are {what}")


def find(desk: Desk, request: TargetRequest) -> Result[Reading]:
    """Find the note or entry that somebody is to edit."""
    from ctxrepo.services.reading.targets import read

    reading = read(desk.memory, request.target, desk.project)
    return Result(reading, {"path": reading.note.path, "hash": reading.hash, "text": reading.text})


def find_file(desk: Desk, request: TargetRequest) -> Result[str]:
    """Find the path of a note, as it is or with a target in it."""
    from ctxrepo.services.reading.targets import find_note

    return Result(find_note(desk.memory, request.target, desk.project).path, "path")


def list_notes(desk: Desk, request: ListRequest) -> Result[Sequence[NoteSummary]]:
    """List the notes in view."""
    return Result(_in_view(desk, request), "notes")


def list_delivered(desk: Desk, request: ListRequest) -> Result[DeliveryList]:
    """List them with their sizes, and how a session that starts here is given each."""
    from ctxrepo.services.delivery.start_packet import Start, context
    from ctxrepo.services.notes.list_notes import weighed

    summaries = _in_view(desk, request)
    packet = context(desk.memory, desk.project, Start(desk.cwd)).text
    notes = weighed(desk.memory, summaries, packet)
    data = [
        {**vars(each.note), "bytes": each.bytes, "pinned": each.pinned, "delivered": each.delivered or None}
        for each in notes
    ]
    return Result(DeliveryList(notes, len(packet.encode())), {"notes": data})


def _in_view(desk: Desk, request: ListRequest) -> Sequence[NoteSummary]:
    from ctxrepo.services.notes.list_notes import below, list_notes, tagged

    committed = desk.commit_pending()
    notes = tagged(list_notes(desk.memory, request.scope, desk.project, committed), request.tags)
    notes = below(notes, request.folder, request.depth)
    if request.limit and len(notes) > request.limit:
        desk.notice(f"there are {len(notes)} notes; --limit shows more")
    return notes[: request.limit]


def list_folders(desk: Desk, request: ListRequest) -> Result[Sequence[FolderSize]]:
    """List the folders of a scope, with how much is in each."""
    from ctxrepo.services.reading.folder_sizes import tree

    return Result(tree(desk.memory, request.scope, desk.project, request.depth), "folders")


@reads
def search(desk: Desk, request: SearchRequest) -> Result[Sequence[Hit]]:
    """Search all notes, the archived too."""
    from ctxrepo.services.reading.searching import search

    hits = search(desk.memory, request.query, desk.project, request.limit + 1)
    if len(hits) > request.limit and request.query.mode == "words":  # by meaning there always is more
        desk.notice(f"only the first {request.limit} matches are shown; --limit shows more")
    has_all = not hits or hits[0].all_words
    if not has_all:
        desk.notice("no entry has all of these words; these have some of them, the best first")
    first = hits[: request.limit]
    return Result(first, {"hits": [plain_data(hit) for hit in first], "all_words": has_all})


@reads
def list_tags(desk: Desk, request: ScopeRequest) -> Result[Sequence[Tag]]:
    """List the tags in use."""
    from ctxrepo.services.notes.changing import tags

    return Result(tags(desk.memory, request.scope, desk.project), "tags")


@reads
def list_links(desk: Desk, request: TargetRequest) -> Result[NoteLinks]:
    """Say what a note links to, and what links to it."""
    from ctxrepo.services.reading.links import links

    return Result(links(desk.memory, request.target, desk.project))


@reads
def list_broken_links(desk: Desk, request: ScopeRequest) -> Result[Sequence[Link]]:
    """List the links that lead nowhere."""
    from ctxrepo.services.reading.links import broken_links

    return Result(broken_links(desk.memory, request.scope, desk.project), "broken")


def read_day(desk: Desk, request: DayRequest) -> Result[Note | None]:
    """Read the log of a day; None where nothing was logged today."""
    from ctxrepo.domain.working.daily import parse_day
    from ctxrepo.services.reading.daily_logs import read_day

    day = parse_day(request.day or "today", desk.now.astimezone())
    try:
        note = read_day(desk.memory, day, request.scope, desk.project)
    except NotFound:
        if request.day:
            raise
        return Result(None, {"date": day, "path": "", "text": "", "entries": []})
    entries = [{"id": f"^{e.id}", "at": e.at, "text": e.text} for e in note.entries]
    return Result(note, {"date": day, "path": note.path, "text": note.text, "entries": entries})


def list_days(desk: Desk, request: ScopeRequest) -> Result[Sequence[str]]:
    """List the days that have a log."""
    from ctxrepo.services.reading.daily_logs import logged_days

    return Result(logged_days(desk.memory, request.scope, desk.project), "days")


def list_items(desk: Desk, request: ChecklistRequest) -> Result[Sequence[Scratch]]:
    """List what is open in the checklist."""
    from ctxrepo.services.notes.working_notes import items

    all_items = items(desk.memory, request.scope, desk.project)
    scratches = [item for item in all_items if request.is_whole or not item.item.is_done]
    return Result(scratches, {"items": [item.data for item in scratches]})


@reads
def export(desk: Desk, request: ExportRequest) -> Result[ExportResult]:
    """Write the notes of a scope, or all of the memory, to a file or a folder."""
    from ctxrepo.services.export.export_memory import STREAM, Destination, export

    is_stream = request.place == STREAM
    place = STREAM if is_stream else str(desk.cwd / Path(request.place).expanduser())
    there = Destination(place, request.form, request.write if is_stream else None)
    exported = export(desk.memory, request.scope, there, desk.project, desk.now)
    desk.notice(*(f"not exported: {path} {why}" for path, why in exported.skipped.items()))
    data = {"scope": exported.scope, "folder": place, "form": exported.form, "files": exported.files}
    data |= {"entries": exported.entries} if exported.entries else {}
    return Result(exported, data | {"skipped": dict(exported.skipped)})
