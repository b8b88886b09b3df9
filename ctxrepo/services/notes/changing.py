"""A note is made; notes and entries are changed where they stand: edited, tagged, touched."""

from collections import Counter
from dataclasses import field, replace
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note import compose, frontmatter
from ctxrepo.domain.note.compose import word
from ctxrepo.domain.note.entry import Entry, entries_of, moved, normalised, reworded
from ctxrepo.domain.note.markdown import split_blocks
from ctxrepo.domain.note.note import Note, bump_updated, decode_exactly, encode
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.requests import NewNoteRequest, TagChange
from ctxrepo.services.reading.find import destination_of, scope_named, search_order, spelt
from ctxrepo.services.reading.targets import find_note, read
from ctxrepo.services.saving.evidence import record_edits
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.entries import entries_of_scopes, notes_of_scopes
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user import assets


@dataclass(frozen=True)
class NewNote:
    """Where the note is, and the blob id of what was written."""

    path: str
    hash: str


MAX_DESCRIPTION = 1000
"""Characters of a line that every session is shown."""


def new(
    memory: Memory, request: NewNoteRequest, project: Project | None, origin: Origin, now: datetime
) -> NewNote:
    """Write a new note; Refused when there is one at its path already."""
    target, description, body = request.target, request.description, request.body
    today = day(now)
    if request.template:
        body = _from_template(request.template, body, today)
        description = description if description.strip() else frontmatter.read(body).description
    if target.entry_id or target.lines:
        raise UsageError("a new note needs a path, and this names an entry", "Write [SCOPE:]PATH.")
    if not description.strip():
        raise UsageError("the description is empty", "One line: what will somebody find in this note?")
    if len(description) > MAX_DESCRIPTION:
        raise UsageError(
            f"the description is longer than {MAX_DESCRIPTION} characters", "One line; the rest is the body."
        )
    target = destination_of(memory, target, project)
    scope = scope_named(memory, target.scope, project)
    path = spelt(memory, f"{scope.folder}/{target.path}")
    words = [word(tag.lstrip("#"), "tag") for tag in request.tags]
    if frontmatter.split(body)[0]:
        text = frontmatter.set_field(body, "description", description)
        text = frontmatter.set_field(text, "tags", words) if words else text
    else:
        fields: dict[str, frontmatter.Value] = {"description": description, "tags": words}
        fields |= {"created": today, "updated": today}
        text = frontmatter.render({k: v for k, v in fields.items() if v}) + ("\n" if body else "") + body
    text = text if text.endswith("\n") else text + "\n"
    with drafting(memory, "new", origin, now) as draft:
        if draft.text(path) is not None:
            raise Refused(f"there is a note {path} already", "Add to it with `ctxrepo remember --note`.")
        draft.saying = description
        draft.put(path, text)
        draft.register(scope.project)
    return NewNote(path, blob_id(encode(text)))


def templates() -> dict[str, str]:
    """The notes that a new one can begin as, by their names."""
    files = assets.files("templates/notes")
    return {path.removesuffix(".md"): decode_exactly(data) for path, data in files.items()}


def _from_template(name: str, body: str, today: str) -> str:
    known = templates()
    if name not in known:
        raise UsageError(f"there is no template {name!r}", f"There are {', '.join(known)}.")
    if frontmatter.split(body)[0]:
        raise UsageError("the text has frontmatter of its own", "Leave --template out, or its frontmatter.")
    head, samples = frontmatter.split(frontmatter.set_field(known[name], "created", today))
    return f"{head}\n{body}" if body else head + samples


@dataclass(frozen=True)
class Passage:
    """`old` stands just once in what is edited, and becomes `text`. Both are given the line ends of a note in
    which all are CR LF, since whoever read it was shown none."""

    old: str
    text: str

    def put(self, text: str, name: str) -> str:
        if "\r\n" in text and text.count("\r\n") == text.count("\n"):
            ends = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (self.old, self.text))
            return Passage(*ends)._put(text, name)
        return self._put(text, name)

    def _put(self, text: str, name: str) -> str:
        count = text.count(self.old) if self.old else 0
        if count != 1:
            state = f"stands {count} times" if count else "is not"
            how = "; give more of the passage" if count else ", to the letter"
            hint = f"`ctxrepo read {name}` shows what is there{how}."
            raise UsageError(f"{shown(self.old, 60)!r} {state} in {name}", hint)
        return text.replace(self.old, self.text)


@dataclass(frozen=True)
class Whole:
    """Everything becomes `text`; a note keeps its head where this has none."""

    text: str

    def put(self, text: str, name: str) -> str:
        if not self.text.strip():
            raise UsageError(f"nothing would be left of {name}", "`ctxrepo forget` removes it.")
        head = frontmatter.split(text)[0] if not frontmatter.split(self.text)[0] else ""
        return head + self.text


@dataclass(frozen=True)
class EditResult:
    """The note at `path` with its blob id, and the `id` and `at` of the entry that alone was edited, and its
    id before, if that `was` another; `gone` are texts of entries that no longer stand there."""

    path: str
    hash: str
    changed: bool
    id: str = field(default="", metadata=ENTRY_ID)
    at: str = ""
    was: str = field(default="", metadata=ENTRY_ID)
    gone: tuple[str, ...] = ()


@dataclass(frozen=True)
class EditRequest:
    """A change of what `target` names; with `if_hash` only while the note's blob id begins with it."""

    target: Target
    change: Passage | Whole
    if_hash: str = ""


def edit(
    memory: Memory, request: EditRequest, project: Project | None, origin: Origin, now: datetime
) -> EditResult:
    """Change the note or entry that a target names, and no byte outside it. Refused when the note has changed
    since the request's hash."""
    change, if_hash = request.change, request.if_hash
    with drafting(memory, "edit", origin, now) as draft:
        reading = read(memory, request.target, project)
        path, entry = reading.note.path, reading.entry
        if if_hash and not reading.hash.startswith(if_hash.lower()):
            hint = f"It has {reading.hash} now: read it again, then edit."
            raise Refused(f"{path} was changed since it had the hash {shown(if_hash, 40)}", hint)
        text = draft.text(path) or ""
        new_text = rewritten(text, entry, change) if entry else change.put(text, path)
        if not entry and text.endswith("\n") and not new_text.endswith("\n"):
            new_text += "\n"
        if new_text == text:
            return _edited(path, text, entry, text)
        draft.saying = normalised(change.text)[:100]
        draft.put(path, bump_updated(new_text, day(now)))
        record_edits(draft, path, text, now)
        return _edited(path, text, entry, draft.after[path] or "")


def edit_by_hand(memory: Memory, path: str, before: str, origin: Origin, now: datetime) -> EditResult:
    """Make one edit of what an editor left in a note that was `before` when it was opened, if anything."""
    with drafting(memory, "edit", origin, now) as draft:
        text = draft.on_disk(path)
        draft.saying = path
        draft.put_again(path, text, before)
        record_edits(draft, path, before, now)
        return replace(_edited(path, before, None, text or ""), id="", at=path, was="")


def _edited(path: str, before: str, entry: Entry | None, after: str) -> EditResult:
    olds, news = entries_of(path, before), entries_of(path, after)
    edits = reworded(olds, news)
    was, now = edits[0] if len(edits) == 1 else (None, None)
    if entry is not None:  # as many entries as before: it is still the n-th
        now = news[[old.first_line for old in olds].index(entry.first_line)]
    stay = {old.id for old, _ in (*edits, *moved(olds, news))} | {new.id for new in news}
    gone = tuple(normalised(old.text) for old in olds if old.id not in stay)
    place = (now.id, now.at) if now else ("", path)
    return EditResult(path, blob_id(encode(after)), before != after, *place, was.id if was else "", gone)


def rewritten(text: str, entry: Entry, change: Passage | Whole) -> str:
    """The note's text with the entry changed; UsageError where that would be no longer one entry."""
    new = change.put(entry.text.replace("\r\n", "\n"), f"^{entry.id}").strip("\n")
    if isinstance(change, Whole):
        new = compose.in_place_of(entry, new)
    new_text = compose.replace(text, entry, new)
    is_one = len(split_blocks(new)) == 1
    if not is_one or len(entries_of(entry.path, new_text)) != len(entries_of(entry.path, text)):
        hint = "Indent what belongs to it by two spaces, or edit the whole note."
        raise UsageError(f"^{entry.id} would no longer be one entry", hint)
    return new_text


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
    """The tags of a scope, or of the project and global, most used first. The cache must be up to date: call
    `commit` first."""
    folders = search_order(memory, project, scope)
    of_notes = Counter(
        t for n in memory.cache.ask(notes_of_scopes, folders) for t in filter(None, n.tags.split(", "))
    )
    of_entries = Counter(
        t for e in memory.cache.ask(entries_of_scopes, folders) if "#" in e.entry.text for t in e.entry.tags
    )
    all_tags = [Tag(name, of_notes[name], of_entries[name]) for name in of_notes | of_entries]
    return sorted(all_tags, key=lambda tag: (-tag.notes - tag.entries, tag.name))


def set_tags(
    memory: Memory, change: TagChange, project: Project | None, origin: Origin, now: datetime
) -> TagResult:
    """Add and take tags in the head of a note, keeping the order. Refused for a head that can't be read:
    nothing in it must be lost."""
    new_tags = [word(tag.lstrip("#"), "tag") for tag in change.add]
    unwanted = {tag.lstrip("#").casefold() for tag in change.remove}
    with drafting(memory, "tags", origin, now) as draft:
        path = find_note(memory, change.target, project).path
        text = draft.text(path) or ""
        head = Note(path, text).head
        if head.problem:
            raise Refused(f"{path}: {head.problem}", "`ctxrepo check` tells more; mend it first.")
        tags = [tag for tag in head.tags if tag.casefold() not in unwanted]
        known = {tag.casefold() for tag in tags}
        now_there = (*tags, *(tag for tag in dict.fromkeys(new_tags) if tag.casefold() not in known))
        draft.saying = ", ".join(now_there)
        if now_there != head.tags:
            draft.put(path, bump_updated(frontmatter.set_field(text, "tags", now_there), day(now)))
        return TagResult(path, now_there, now_there != head.tags)


@dataclass(frozen=True)
class TouchResult:
    """`updated` is the day that the note has now, '' for one without the field: none is added."""

    path: str
    updated: str
    changed: bool


def touch(
    memory: Memory, target: Target, project: Project | None, origin: Origin, now: datetime
) -> TouchResult:
    """Set the note's `updated` to today where its head has that field."""
    with drafting(memory, "touch", origin, now) as draft:
        path = find_note(memory, target, project).path
        before = draft.text(path) or ""
        after = bump_updated(before, day(now))
        draft.saying = path
        draft.put(path, after)
        return TouchResult(path, Note(path, after).head.updated, before != after)
