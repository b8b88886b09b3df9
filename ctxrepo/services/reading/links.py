"""What notes point at, and what points at them."""

from collections.abc import Callable, Iterator
from functools import lru_cache

from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.note.links import leads_to, spots
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.evidence import fate
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.evidence_view import EvidenceView, evidence_in_view
from ctxrepo.services.reading.find import entries_of_renamed, search_order
from ctxrepo.services.reading.targets import find_note
from ctxrepo.storage.cache.entries import entries_by_text, entry_by_id, notes_with
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Link:
    """A link in the entry at `at`: what it names, how it is written, and `to` which note it leads, '' for
    nowhere."""

    at: str
    link: str
    to: str
    written: str

    @property
    def source(self) -> str:
        return self.at.partition("#L")[0]


@dataclass(frozen=True)
class NoteLinks:
    """What a note points at, and what points at it."""

    outgoing: tuple[Link, ...]
    incoming: tuple[Link, ...]


def broken_links(memory: Memory, scope: str, project: Project | None) -> list[Link]:
    """Links that lead nowhere, in one scope or in the project and global, by place. The cache must be up to
    date: call `commit` first."""
    places = tuple(f"{folder}/" for folder in search_order(memory, project, scope))
    return [link for link in _links(memory) if not link.to and link.source.startswith(places)]


def links(memory: Memory, target: Target, project: Project | None) -> NoteLinks:
    """The links from and to the note that a target names; NotFound when there is none."""
    path = find_note(memory, target, project).path
    every = list(_links(memory))
    outgoing = tuple(link for link in every if link.source == path)
    return NoteLinks(outgoing, tuple(link for link in every if link.to == path and link.source != path))


def _links(memory: Memory) -> Iterator[Link]:
    notes = {note.path for note in memory.cache.ask(notes_with, ())}
    view = lru_cache(1)(lambda: evidence_in_view(memory))
    former = lru_cache(1)(lambda: entries_of_renamed(memory, view().renames()))
    for cached, *_ in memory.cache.ask(entries_by_text, lambda text: "[[" in text or ".md" in text.lower()):
        entry = cached.entry
        for spot in {spot.written: spot for spot in spots(entry.text)}.values():
            to = (
                _entry_at(memory, spot.name[1:], view, former)
                if spot.name.startswith("^")
                else leads_to(spot, entry.path, notes, memory.global_folder)
            )
            yield Link(entry.at, spot.link, to, spot.written)


def _entry_at(
    memory: Memory,
    name: str,
    view: Callable[[], EvidenceView],
    former: Callable[[], dict[str, tuple[Note, Entry]]],
) -> str:
    """The note of an entry, also of one that has another id since it was edited, moved or archived."""
    known = memory.cache.ask(entry_by_id, name)
    if known is None:
        kind, now = fate(view().about([name]), name)
        if kind is None and name in former():
            return former()[name][0].path
        known = memory.cache.ask(entry_by_id, now) if kind == "moved" else None
    return known.entry.path if known else ""
