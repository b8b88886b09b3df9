"""links: what notes point at, and what points at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxrepo.domain.links import named_by, resolve
from ctxrepo.domain.target import Target
from ctxrepo.services.find import find_note, scope_named, search_order
from ctxrepo.services.project import Project
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Link:
    """`[[link]]` as it stands at `at`; `to` is the path of the note it leads to, '' when it leads nowhere."""

    at: str
    link: str
    to: str

    @property
    def source(self) -> str:
        return self.at.partition("#L")[0]


@dataclass(frozen=True)
class Linked:
    """What a note points at, and what points at it."""

    outgoing: tuple[Link, ...]
    incoming: tuple[Link, ...]


def broken_links(memory: Memory, scope: str, project: Project | None) -> list[Link]:
    """Links that lead nowhere, in one scope or in the project and global, by place.

    The cache must be up to date: call `commit` first.
    """
    folders = [scope_named(memory, scope, project).folder] if scope else search_order(memory, project)
    places = tuple(f"{folder}/" for folder in folders)
    return [link for link in _links(memory) if not link.to and link.source.startswith(places)]


def links(memory: Memory, target: Target, project: Project | None) -> Linked:
    """The links from and to the note that a target names; NotFound when there is none."""
    path = find_note(memory, target, project).path
    every = list(_links(memory))
    outgoing = tuple(link for link in every if link.source == path)
    return Linked(outgoing, tuple(link for link in every if link.to == path and link.source != path))


def _links(memory: Memory) -> Iterator[Link]:
    cache = memory.cache
    notes = {note.path for note in cache.notes_with(())}
    for found, *_ in cache.entries_by_letters(["[["]):
        for link in found.entry.links:
            yield Link(found.entry.at, link, _leads_to(memory, link, found.entry.path, notes))


def _leads_to(memory: Memory, link: str, source: str, notes: set[str]) -> str:
    name = named_by(link)
    if name.startswith("^"):
        known = memory.cache.find_entry(name[1:])
        return known.entry.path if known else ""
    return resolve(link, source, notes, memory.global_folder)
