"""A note or entry is moved, archived or forgotten, and what is known about it follows."""

from dataclasses import field, replace
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import Entry, added, entries_of, normalised
from ctxrepo.domain.note.note import Note, bump_updated
from ctxrepo.domain.project.layout import archived, is_archived, scope_of
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import destination_of, scope_named, spelt
from ctxrepo.services.reading.marks import named_in_evidence
from ctxrepo.services.reading.targets import Reading, read
from ctxrepo.services.saving.evidence import new_record, record, record_all, settle_keys
from ctxrepo.services.saving.relocate import follow_links, moves_of
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class MoveResult:
    """Where it was and is; the `id` of a moved entry, '' for a note; how many notes are `linking` to it; and
    `lines` about what was superseded, as one of two values of a key."""

    before: str
    at: str
    id: str = field(default="", metadata=ENTRY_ID)
    linking: int = 0
    lines: tuple[str, ...] = ()


def move(
    memory: Memory, target: Target, to: Target, project: Project | None, origin: Origin, now: datetime
) -> MoveResult:
    """Move a note to another path or scope, or an entry to the end of another note, made when missing, with
    pins and all that was said of it. Refused (nothing changed) where a note is in the way."""
    if to.entry_id or to.lines:
        raise UsageError("an entry's place is a note, not an entry", "Name a note: [SCOPE:]PATH.")
    with drafting(memory, "move", origin, now) as draft:
        reading = read(memory, target, project)
        to = destination_of(memory, completed(to, reading.note.path.partition("/")[2]), project)
        scope = scope_named(memory, to.scope, project)
        draft.register(scope.project)
        path = f"{scope.folder}/{to.path}"
        twin = spelt(memory, path)
        return _moved(draft, reading, path if twin == reading.note.path else twin, now)


def archive(
    memory: Memory, target: Target, project: Project | None, origin: Origin, now: datetime
) -> MoveResult:
    """Move a note, or an entry, below `archive/` of its scope: kept and found, never delivered. A note gets a
    number where its place is taken; an entry goes to the note of that name."""
    with drafting(memory, "archive", origin, now) as draft:
        reading = read(memory, target, project)
        if is_archived(reading.note.path):
            raise Refused(f"{reading.note.path} is in the archive already")
        path = archived(reading.note.path)
        return _moved(draft, reading, path if reading.entry else _free(draft, path), now)


def completed(to: Target, rest: str) -> Target:
    """A destination that names only a scope or a folder, with what the note is called in its own."""
    if not to.path:
        return replace(to, path=rest)
    return replace(to, path=to.path + rest.rpartition("/")[2]) if to.path.endswith("/") else to


def _moved(draft: Draft, reading: Reading, to: str, now: datetime) -> MoveResult:
    """What was read put at the path `to`, with all that was said of it."""
    note, entry = reading.note, reading.entry
    if note.path == to:
        raise UsageError(f"{to} is where it is already")
    draft.require_kept({note.path: to})
    draft.saying = f"{normalised(entry.text)[:60]} to {to}" if entry else to
    result = move_entry(draft, note, entry, to, now) if entry else _note_moved(draft, note, to, now)
    if scope_of(to) == scope_of(note.path) and not is_archived(note.path):
        return result
    return replace(result, lines=settle_keys(draft, now, comes_first=entry is not None))


def _note_moved(draft: Draft, note: Note, to: str, now: datetime) -> MoveResult:
    moves = moves_of(draft.memory, {note.path: to})
    before = draft.there(note.path) or note.text
    text = bump_updated(moves.rewrite(note.path, before), day(now))
    if draft.there(to) not in (None, text):
        raise Refused(f"there is a note {to} already", "Move its entries one by one, or rename it.")
    draft.remove(note.path)
    draft.put_again(to, text)  # a move that was killed may have left it: it goes on
    linking = follow_links(draft, moves)
    olds = entries_of(note.path, before)
    named = named_in_evidence(draft.memory, (old.id for old in olds))
    for old, new in zip(olds, entries_of(to, text), strict=True):
        if old.id in named or old.text != new.text:
            _carry(draft, old.id, new, now)
    # One line for all other entries: a line for each would soon fill the file, which has a limit.
    record(draft, "renamed", "", note.path, now, to=to)
    return MoveResult(note.path, to, linking=len(linking))


def move_entry(draft: Draft, note: Note, entry: Entry, to: str, now: datetime) -> MoveResult:
    """Move an entry of `note` to the end of the note at `to` in a draft, with what was said of it."""
    there = draft.text(to)
    here = draft.text(note.path) or note.text
    text = there if there is not None else compose.new_note(to, day(now))
    line = moves_of(draft.memory, {}).rewrite(note.path, entry.text, to).replace("\r\n", "\n")
    known = entries_of(to, text)
    title = next((t for t in reversed(entry.heading) if any(t in e.heading for e in known)), "")
    new_text = compose.append(text, line, title)
    come = added(known, entries_of(to, new_text))
    draft.put(to, bump_updated(new_text, day(now)))
    draft.put(note.path, bump_updated(compose.replace(here, entry, ""), day(now)))
    _carry(draft, entry.id, come, now)
    return MoveResult(entry.at, come.at, come.id)


def _carry(draft: Draft, former: str, entry: Entry, now: datetime) -> None:
    """An id follows the place: what was said of the former one must be read as said of the new, and who holds
    that is told the new."""
    if former != entry.id:
        record(draft, "moved", former, entry.path, now, to=entry.id)


def _free(draft: Draft, path: str) -> str:
    """`path`, with a number where a note is there already."""
    stem, number = path.removesuffix(".md"), 2
    while draft.there(path) is not None:
        path, number = f"{stem}-{number}.md", number + 1
    return path


@dataclass(frozen=True)
class Forgotten:
    """What is gone: the place it had, and the id and the text if it was an entry."""

    at: str
    id: str = field(default="", metadata=ENTRY_ID)
    text: str = ""


def forget(
    memory: Memory, target: Target, project: Project | None, origin: Origin, now: datetime
) -> Forgotten:
    """Remove the note or entry that a target names; `history` of its path or id shows it still."""
    with drafting(memory, "forget", origin, now) as draft:
        reading = read(memory, target, project)
        note, entry = reading.note, reading.entry
        if entry is None:
            draft.saying = note.path
            forget_note(draft, note, now)
            return Forgotten(note.path)
        draft.saying = normalised(entry.text)[:100]
        forget_entry(draft, entry, now)
        return Forgotten(entry.at, entry.id, normalised(entry.text))


def forget_note(draft: Draft, note: Note, now: datetime) -> None:
    """Remove a note in a draft; Refused where nothing could bring it back."""
    if draft.ignores(note.path):
        raise Refused(
            f"{note.path} is in no commit, as git ignores it: nothing could bring it back",
            "Remove the file yourself if you mean it.",
        )
    draft.remove(note.path)
    named = named_in_evidence(draft.memory, (entry.id for entry in note.entries))
    # An import isn't to bring these again.
    records = [new_record(draft, "forgotten", e.id, note.path, now) for e in note.entries if e.id in named]
    record_all(draft, records, now)


def forget_entry(draft: Draft, entry: Entry, now: datetime) -> None:
    """Remove an entry of a note in a draft."""
    text = draft.text(entry.path) or ""
    draft.put(entry.path, bump_updated(compose.replace(text, entry, ""), day(now)))
    record(draft, "forgotten", entry.id, entry.path, now)
