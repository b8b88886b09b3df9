"""The words that notes and entries are grouped by, and giving them to a note."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.compose import word
from ctxrepo.domain.note.note import Note, bump_updated
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.requests import TagChange
from ctxrepo.services.reading.find import scope_named, search_order
from ctxrepo.services.reading.resolve import find_note
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Tag:
    """How many notes have the tag in their head, and how many entries in their text."""

    name: str
    notes: int
    entries: int


@dataclass(frozen=True)
class TagResult:
    path: str
    tags: tuple[str, ...]
    changed: bool


def tags(memory: Memory, scope: str, project: Project | None) -> list[Tag]:
    """The tags of one scope, or of the project and global, the most used first.

    The cache must be up to date: call `commit` first.
    """
    folders = [scope_named(memory, scope, project).folder] if scope else search_order(memory, project)
    of_notes = Counter(t for n in memory.cache.notes(folders) for t in filter(None, n.tags.split(", ")))
    of_entries = Counter(
        t for e in memory.cache.entries(folders) if "#" in e.entry.text for t in e.entry.tags
    )
    found = [Tag(name, of_notes[name], of_entries[name]) for name in of_notes | of_entries]
    return sorted(found, key=lambda tag: (-tag.notes - tag.entries, tag.name))


def set_tags(
    memory: Memory, change: TagChange, project: Project | None, origin: Origin, now: datetime
) -> TagResult:
    """Give tags to the head of a note, and take others from it; the order of the rest stays.

    Refused for a head that can't be read: what is in it must not be written over.
    """
    wanted = [word(tag.lstrip("#"), "tag") for tag in change.add]
    unwanted = {tag.lstrip("#").casefold() for tag in change.remove}
    with drafting(memory, "tags", origin, now) as draft:
        path = find_note(memory, change.target, project).path
        text = draft.text(path) or ""
        head = Note(path, text).head
        if head.problem:
            raise Refused(f"{path}: {head.problem}", "`ctxrepo check` tells more; mend it first.")
        kept = [tag for tag in head.tags if tag.casefold() not in unwanted]
        known = {tag.casefold() for tag in kept}
        now_there = (*kept, *(tag for tag in dict.fromkeys(wanted) if tag.casefold() not in known))
        draft.saying = ", ".join(now_there)
        if now_there != head.tags:
            draft.put(path, bump_updated(frontmatter.set_field(text, "tags", now_there), day(now)))
        return TagResult(path, now_there, now_there != head.tags)
