"""From a target to the one note or entry that it names, read as it is now, or to what may be meant by it."""

from itertools import chain
from typing import NoReturn

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.note.note import Note, encode
from ctxrepo.domain.project.layout import ARCHIVE, is_archived
from ctxrepo.domain.project.target import WHOLE, Target, near_notes
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import (
    SHOWN,
    find_entry,
    note_paths,
    places_of,
    read_note,
    spelt,
    where_else,
)
from ctxrepo.storage.memory import Memory


def resolve(
    memory: Memory, target: Target, project: Project | None, *, follows: bool = False
) -> tuple[Note, Entry | None]:
    """The note that a target names, and the entry if it names one, as they are in the worktree. A note's name
    does without folders while it is alone; `follows` accepts an id from before an entry was edited, moved or
    archived. NotFound names what is near, UsageError all that could be meant."""
    if target.entry_id:
        return find_entry(memory, target.entry_id, project, follows=follows)
    note = _note_at(memory, target, project)
    if note is not None:
        return note, _entry_at(note, target.lines) if target.lines else None
    if not target.word:
        return _no_note(memory, target, project)
    try:
        return find_entry(memory, target.word, project, follows=follows)
    except NotFound:
        if len(target.word) == WHOLE:
            raise
        return _no_note(memory, target, project)


def find_note(memory: Memory, target: Target, project: Project | None) -> Note:
    """The note that a target names, or the one of the entry that it names."""
    return resolve(memory, target, project)[0]


def entry_named(memory: Memory, target: Target, project: Project | None) -> Entry:
    """The entry that a target names; UsageError when that is a note."""
    note, entry = resolve(memory, target, project)
    if entry is None:
        raise UsageError(f"{note.path} is a note, and an entry is asked for", "Give ^ID, or PATH#L9.")
    return entry


def _note_at(memory: Memory, target: Target, project: Project | None) -> Note | None:
    """The note at the path of a target, however that is spelt, else the only one of that name."""
    folders, paths = places_of(memory, target, project)
    for path in chain(paths, (spelt(memory, path) for path in paths)):
        if (note := read_note(memory, path)) is not None:
            return note
    for path in paths:
        if memory.worktree.exists(path):
            raise CtxrepoError(f"{path} is there but can't be read as a note", "`ctxrepo check` says why.")
    if "/" in target.path:
        return None
    for folder in folders:
        named = [
            p for p in note_paths(memory, [folder]) if p.endswith(f"/{target.path}") and not is_archived(p)
        ]
        if len(named) > 1:
            raise UsageError(f"{len(named)} notes are named {target.path}", f"They are {', '.join(named)}.")
        if named and (note := read_note(memory, named[0])) is not None:
            return note
    return None


def _entry_at(note: Note, lines: tuple[int, int]) -> Entry:
    """The entry that stands at these lines of a note, or around them."""
    first, last = lines
    entries = note.entries_at(first, last)
    if len(entries) == 1:
        return entries[0]
    place = f"lines {first} to {last}" if last > first else f"line {first}"
    if entries:
        places = ", ".join(f"^{e.id} {e.at}" for e in entries[:SHOWN])
        raise UsageError(f"{len(entries)} entries stand at {place} of {note.path}", f"They are {places}.")
    raise NotFound(f"no entry stands at {place} of {note.path}", f"`ctxrepo read {note.path}` shows it.")


def _no_note(memory: Memory, target: Target, project: Project | None) -> NoReturn:
    folders, _ = places_of(memory, target, project)
    problem = f"there is no note {target.path} in {' or '.join(folders)}"
    known = {p.partition("/")[2] for p in note_paths(memory, folders)}
    archived = [
        p for p in sorted(known) if p.startswith(f"{ARCHIVE}/") and f"/{p}".endswith(f"/{target.path}")
    ]
    if archived:
        raise NotFound(f"{problem} any more", f"It is in the archive: {archived[0]}.")
    near = near_notes(target.path, known)
    if near:
        raise NotFound(problem, f"Near it: {', '.join(near)}.")
    shows = "`ctxrepo list` shows the notes."
    raise NotFound(problem, shows if target.scope else where_else(memory, shows))


@dataclass(frozen=True)
class Reading:
    """`hash` is the blob id of the note, by which an edit can tell that it changed meanwhile."""

    note: Note
    hash: str
    entry: Entry | None = None

    @property
    def text(self) -> str:
        """The entry's, or the note's."""
        return self.entry.text if self.entry else self.note.text


def read(memory: Memory, target: Target, project: Project | None, *, follows: bool = False) -> Reading:
    """The note or entry a target names; NotFound when there is none. `follows` accepts a former id of an
    entry; but who changes one shall know what it says by now."""
    note, entry = resolve(memory, target, project, follows=follows)
    memory.require_text(note.path)
    return Reading(note, blob_id(encode(note.text)), entry)
