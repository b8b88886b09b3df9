"""The notes of the scopes in view, and how a packet holds them.

What a commit just saw isn't read again."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from ctxrepo.domain.guard.refusals import CONVERTED
from ctxrepo.domain.project.layout import ARCHIVE, is_archived, unsafe
from ctxrepo.domain.text import unescape_field
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import note_paths, read_note, search_order
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.storage.cache.cache import remark_of
from ctxrepo.storage.cache.entries import counted_notes, notes_of_scopes
from ctxrepo.storage.cache.layout import CachedNote
from ctxrepo.storage.memory import Memory

Delivered = Literal["whole", "cut", "line", ""]

_INDEX = "Index of notes"


@dataclass(frozen=True)
class NoteSummary:
    """A note without its text; `path` is relative to the scope's folder."""

    scope: str
    path: str
    description: str
    tags: tuple[str, ...]
    updated: str
    entries: int
    problem: str
    pinned: bool
    """Whether an entry of it is pinned."""

    @property
    def place(self) -> str:
        """Its path in the repository."""
        return f"{self.scope}/{self.path}"


@dataclass(frozen=True)
class NoteDelivery:
    """A note with its size and how a new session has it: whole, cut, by a line of the index; '' for not."""

    note: NoteSummary
    bytes: int
    pinned: bool
    delivered: Delivered


def weighed(memory: Memory, notes: Sequence[NoteSummary], packet: str) -> list[NoteDelivery]:
    """`notes` beside the packet that a session starts with."""
    folders = list(dict.fromkeys(note.scope for note in notes))
    sizes = {p: stamp.size for folder in folders for p, stamp in memory.worktree.scan(folder).files.items()}
    pinned = {note.path for note in memory.cache.ask(notes_of_scopes, folders) if note.is_pinned}
    there = delivered(packet)
    return [
        NoteDelivery(note, sizes.get(note.place, 0), note.place in pinned, there.get(note.place, ""))
        for note in notes
    ]


def delivered(packet: str) -> dict[str, Delivered]:
    """path -> how the note is in the packet, if it is. A checklist whose open items are there is whole."""
    forms: dict[str, Delivered] = {}
    title = ""
    for line in packet.split("\n"):
        if line.startswith("## "):
            title = line[3:]
            if title.endswith(".md"):
                forms[unescape_field(title)] = "whole"
        elif line.startswith("### cut: ") and title.endswith(".md"):
            forms[unescape_field(title)] = "cut"
        elif title == _INDEX and line and not line.startswith(("… ", "<", "#")):
            # A line of the index: `path — description [tags] age`.
            path = line.partition(" — ")[0]
            end = path.rfind(".md")
            forms.setdefault(unescape_field(path[: end + 3] if end >= 0 else path), "line")
    return forms


def list_notes(
    memory: Memory, scope: str, project: Project | None, done: CommitResult | None
) -> list[NoteSummary]:
    """Notes of one scope, or of the project and global, by scope and path. After a commit (`done`) all but
    what it passed over is in the cache; without one the folders are looked through."""
    folders = search_order(memory, project, scope)
    known = {note.path: _known(note, count) for note, count in memory.cache.ask(counted_notes, folders)}
    paths = set(note_paths(memory, folders)) if done is None else _there(memory, folders, known, done)
    marks = dict.fromkeys(memory.cache.ask(remark_of, "ignored"), "only on this machine: git ignores it")
    paths |= {path for path in marks if path.split("/")[0] in folders}
    marks |= {r.path: r.message for r in (done.held if done else ()) if r.rule == CONVERTED}
    summaries = [known.get(path) or _listed(memory, path) for path in paths]
    notes = (replace(note, problem=marks.get(note.place, note.problem)) for note in summaries if note)
    order = {folder: number for number, folder in enumerate(folders)}
    return sorted(notes, key=lambda n: (order[n.scope], n.path))


def _there(memory: Memory, folders: Sequence[str], known: Collection[str], done: CommitResult) -> set[str]:
    """The notes of the cache, but for what was passed over: of that those on disk whose names are sound."""
    passed = {path for path in (*(r.path for r in done.held), *done.skipped) if path.split("/")[0] in folders}
    return {*known} - passed | {p for p in passed if not unsafe(p) and read_note(memory, p) is not None}


def below(notes: Sequence[NoteSummary], folder: str, depth: int | None) -> list[NoteSummary]:
    """Those of `notes` below a folder of their scope or the repository, at most `depth` folders down; the
    archive only by name."""
    top = folder.strip("/").replace(":", "/", 1)
    if top:
        notes = [n for n in notes if n.path.startswith(f"{top}/") or n.place.startswith(f"{top}/")]
    if ARCHIVE not in top.split("/")[:2]:
        notes = [n for n in notes if not is_archived(n.place)]
    return [n for n in notes if depth is None or n.path.count("/") <= depth]


def tagged(notes: Sequence[NoteSummary], tags: Sequence[str]) -> list[NoteSummary]:
    """Those of `notes` that have all of these tags, in any case."""
    folded_tags = {tag.lstrip("#").casefold() for tag in tags}
    return [note for note in notes if folded_tags <= {tag.casefold() for tag in note.tags}]


def _known(note: CachedNote, entries: int) -> NoteSummary:
    path = note.path.partition("/")[2]
    tags = tuple(note.tags.split(", ")) if note.tags else ()
    return NoteSummary(
        note.scope, path, note.description, tags, note.updated, entries, note.problem, note.is_pinned
    )


def _listed(memory: Memory, path: str) -> NoteSummary | None:
    note = read_note(memory, path)
    if note is None:
        return None
    head = note.head
    return NoteSummary(
        scope=note.scope_folder,
        path=note.path.partition("/")[2],
        description=head.description,
        tags=head.tags,
        updated=head.updated or head.created,
        entries=len(note.entries),
        problem=note.problem,
        pinned=any(entry.is_pinned for entry in note.entries),
    )
