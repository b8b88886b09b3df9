"""Notes and entries: remember, new, read, list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.project.target import Target
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.notes.list_notes import NoteDelivery, NoteSummary
    from ctxrepo.services.notes.new import NewNote, NewNoteRequest
    from ctxrepo.services.notes.remember import Fact, RememberResult
    from ctxrepo.services.reading.read import Reading
    from ctxrepo.services.reading.tree import FolderSize


@dataclass(frozen=True)
class RememberRequest:
    """What is to be remembered, and where; `supersedes` names the entry that no longer holds."""

    texts: Sequence[str]
    note: Target | None = None
    scope: str = ""
    category: str = ""
    tags: Sequence[str] = ()
    key: str = ""
    supersedes: Target | None = None
    with_id: bool = False
    pin: bool = False
    is_proposal: bool = False
    """It goes to the inbox, and no session is given it."""


def remember(desk: Desk, request: RememberRequest) -> Result[RememberResult]:
    """Write one fact into memory."""
    (done,) = _remembered(desk, request)
    return Result(done, _fields(done))


def remember_all(desk: Desk, request: RememberRequest) -> Result[list[RememberResult]]:
    """Write as many facts as there are in one write: all of them are kept, or none."""
    done = _remembered(desk, request)
    return Result(done, {"remembered": [_fields(one) for one in done]})


def _remembered(desk: Desk, request: RememberRequest) -> list[RememberResult]:
    from ctxrepo.services.notes.remember import propose, remember_all

    facts = _facts(desk, request)
    if len(facts) > 1 and (request.key or request.supersedes or request.is_proposal):
        raise UsageError(
            f"--key, --supersedes and --stage take one fact, not {len(facts)}",
            "Remember such a fact by itself.",
        )
    if request.is_proposal:
        done = [propose(desk.memory, fact, desk.project, desk.origin, desk.now) for fact in facts]
        desk.wake()
        desk.notice(
            "sessions don't see proposals: leave out --stage to remember it, or `ctxrepo undo` to drop it"
        )
        return done
    done = remember_all(desk.memory, facts, desk.project, desk.origin, desk.now)
    desk.wake()
    _notice_doubts(desk, done)
    return done


def _facts(desk: Desk, request: RememberRequest) -> list[Fact]:
    from ctxrepo.services.notes.remember import Fact
    from ctxrepo.services.reading.find import destination_of
    from ctxrepo.services.reading.resolve import entry_named

    memory, former = desk.memory, request.supersedes
    fact = Fact(
        text="",
        supersedes=entry_named(memory, former, desk.project).id if former else "",
        note=destination_of(memory, request.note, desk.project) if request.note else None,
        scope=request.scope,
        category=request.category,
        tags=tuple(request.tags),
        key=request.key,
        with_id=request.with_id,
        pin=request.pin,
    )
    return [replace(fact, text=text) for text in request.texts]


def _notice_doubts(desk: Desk, done: Sequence[RememberResult]) -> None:
    """Tell of similar entries, of others with the same key, and of a text too long for a prompt."""
    for near in dict.fromkeys(near for one in done for near in one.near):
        desk.notice(f"^{near.id} at {near.at} says much the same; if it is the same fact, update that one")
    for rival in (rival for one in done for rival in one.rivals):
        desk.notice(
            f"^{rival.id} at {rival.at} has this key too; `ctxrepo forget ^{rival.id}` if it no longer holds"
        )
    if room := max(one.cut_to for one in done):
        desk.notice(
            f"prompts have room for {room} bytes, so this entry would be cut: shorten it, or make it a note "
            "with `ctxrepo new`"
        )


def _fields(done: RememberResult) -> dict[str, Any]:
    near, rivals = ([{"id": f"^{n.id}", "at": n.at} for n in each] for each in (done.near, done.rivals))
    return {**asdict(done), "id": shown_id(done), "near": near, "rivals": rivals}


def shown_id(done: RememberResult) -> str:
    """The id of an entry with ^ before it; of a proposal as it is."""
    return done.id if done.staged else f"^{done.id}"


def new(desk: Desk, request: NewNoteRequest) -> Result[NewNote]:
    """Write a new note."""
    from ctxrepo.services.notes.new import new

    made = new(desk.memory, request, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(made, asdict(made))


@dataclass(frozen=True)
class ReadRequest:
    target: Target


def read(desk: Desk, request: ReadRequest) -> Result[Reading]:
    """Read a note, or one entry of it, also by an id that the entry had before."""
    from ctxrepo.services.reading.read import read
    from ctxrepo.services.usage.observe import note_read

    reading = read(desk.memory, request.target, desk.project, follows=True)
    note_read(desk.memory, desk.origin, reading, desk.now.timestamp())
    note, entry = reading.note, reading.entry
    name = request.target.entry_id or request.target.word
    if entry and name and not entry.id.startswith(name):
        desk.notice(f"^{name} is ^{entry.id} now, at {entry.at}")
    head = note.head
    data = {
        "path": note.path,
        "hash": reading.hash,
        "text": reading.text,
        "description": head.description,
        "tags": head.tags,
        "created": head.created,
        "updated": head.updated,
        "entries": [
            {"id": f"^{e.id}", "at": e.at, "text": e.text} for e in ([entry] if entry else note.entries)
        ],
    }
    return Result(reading, data)


@dataclass(frozen=True)
class ListRequest:
    """Which notes: below a folder, no more than `depth` folders down, with all of these tags."""

    folder: str = ""
    scope: str = ""
    tags: Sequence[str] = ()
    depth: int | None = None
    limit: int | None = None


@dataclass(frozen=True)
class DeliveryList:
    """Notes with what a session is given of them, and the bytes that it is given in all."""

    notes: Sequence[NoteDelivery]
    total: int

    def __len__(self) -> int:
        return len(self.notes)


def list_notes(desk: Desk, request: ListRequest) -> Result[Sequence[NoteSummary]]:
    """List the notes in view."""
    found = _in_view(desk, request)
    return Result(found, {"notes": [vars(note) for note in found]})


def list_delivered(desk: Desk, request: ListRequest) -> Result[DeliveryList]:
    """List them with their sizes, and how a session that starts here is given each."""
    from ctxrepo.services.delivery.context import Start, context
    from ctxrepo.services.notes.list_notes import weighed

    found = _in_view(desk, request)
    packet = context(desk.memory, desk.project, Start(desk.cwd)).text
    notes = weighed(desk.memory, found, packet)
    data = [
        {**vars(one.note), "bytes": one.bytes, "pinned": one.pinned, "delivered": one.delivered or None}
        for one in notes
    ]
    return Result(DeliveryList(notes, len(packet.encode())), {"notes": data})


def list_folders(desk: Desk, request: ListRequest) -> Result[Sequence[FolderSize]]:
    """List the folders of a scope, with how much is in each."""
    from ctxrepo.services.reading.tree import tree

    folders = tree(desk.memory, request.scope, desk.project, request.depth)
    return Result(folders, {"folders": [asdict(folder) for folder in folders]})


def _in_view(desk: Desk, request: ListRequest) -> Sequence[NoteSummary]:
    from ctxrepo.services.notes.list_notes import below, list_notes, tagged

    done = desk.commit_pending()
    notes = tagged(list_notes(desk.memory, request.scope, desk.project, done), request.tags)
    notes = below(notes, request.folder, request.depth)
    if request.limit and len(notes) > request.limit:
        desk.notice(f"there are {len(notes)} notes; --limit shows more")
    return notes[: request.limit]
