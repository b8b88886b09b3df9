"""One note of a source beside what the memory has: what it lacks is added, and nothing is changed."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.guard.refusals import Refusal, check_file
from ctxrepo.domain.merge.supplement import Supplement, gist, supplemented, without
from ctxrepo.domain.note import compose, frontmatter
from ctxrepo.domain.note.entry import MANY, NEAREST, Entry, entries_of, normalised, similarity, words_of
from ctxrepo.domain.note.note import bump_updated, decode_exactly, encode
from ctxrepo.domain.project.layout import archived, is_archived
from ctxrepo.domain.records.evidence import Evidence, Marks, marks, moved_away, withheld
from ctxrepo.domain.secrets import mask
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.notes.remarks import NEAR
from ctxrepo.services.reading.find import note_paths, read_note, topic_if_there
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.sources.source import SourceNote
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.cache.layout import is_pinned
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user import assets

Reader = Callable[[str], str | None]
"""The text of a note as it is now, None where there is none; Refused where something else is in the way."""


@dataclass(frozen=True)
class FittedNote:
    """What a source's note comes to: the `text` of the note at `path`, perhaps a new one, with what it
    lacked; `known` entries are here, and `withheld` ones were changed or put away here.
    `pins` are ids. `refused` is why the guard holds back it or its entries, a line each; a refused
    note is not written. `rivals` are keys that say something else here, and `near` the places of entries that
    say much the same as new ones."""

    path: str
    text: str
    is_new: bool = False
    new: int = 0
    known: int = 0
    withheld: int = 0
    pins: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    remark: str = ""
    """What of the source's note is not brought, though entries are."""

    @property
    def changes(self) -> bool:
        return self.new > 0 or self.is_new or bool(self.pins)


class KnownEntries:
    """What the memory knows of entries beside the note that is looked at, read once; what is accepted for a
    scope is known there from then on."""

    def __init__(self, memory: Memory, today: str) -> None:
        self.memory = memory
        self.today = today
        self._scopes: dict[str, list[Entry]] = {}
        self._words: dict[str, dict[str, list[Entry]]] = {}
        self._texts: dict[str, tuple[set[str], set[str]]] = {}

    @cached_property
    def _evidence(self) -> list[Evidence]:
        return evidence_now(self.memory)

    @cached_property
    def gone(self) -> frozenset[str]:
        """Ids of entries that were forgotten, superseded or changed here, and don't come again."""
        return withheld(self._evidence, self.lives)

    @cached_property
    def moved_away(self) -> dict[str, str]:
        """id -> the id under which the records have the entry by now."""
        return moved_away(self._evidence)

    @cached_property
    def marks(self) -> Marks:
        return marks(self._evidence)

    def lives(self, entry: str) -> bool:
        """Whether an entry with this id is here, as the cache has it."""
        return self.memory.cache.ask(entry_by_id, entry) is not None

    @cached_property
    def begun(self) -> dict[str, str]:
        """The files that `init` begins a memory with, by their path: one that is still so is nobody's."""
        files = assets.new_repository(self.memory.global_folder)
        return {path: decode_exactly(data) for path, data in files.items()}

    @property
    def allow(self) -> tuple[str, ...]:
        return tuple(self.memory.settings.secrets.allow_secret)

    def of_scope(self, folder: str) -> list[Entry]:
        """The entries of a scope's notes."""
        if folder not in self._scopes:
            paths = [path for path in note_paths(self.memory, [folder]) if not is_archived(path)]
            notes = filter(None, (read_note(self.memory, path) for path in paths))
            self._scopes[folder] = [entry for note in notes for entry in note.entries]
        return self._scopes[folder]

    def texts_and_keys(self, folder: str) -> tuple[set[str], set[str]]:
        """(the words of each entry of a scope, the keys there, whatever their case)"""
        if folder not in self._texts:
            scope = self.of_scope(folder)
            keys = {entry.key.casefold() for entry in scope if entry.key}
            self._texts[folder] = {normalised(entry.text) for entry in scope}, keys
        return self._texts[folder]

    def near(self, folder: str, text: str) -> Entry | None:
        """The entry of a scope that says much the same as `text`, of those that share most rare words."""
        if folder not in self._words:
            index = self._words[folder] = {}
            for entry in self.of_scope(folder):
                for word in words_of(_untagged(entry.text)):
                    index.setdefault(word, []).append(entry)
        text = _untagged(text)
        having = [self._words[folder].get(word, []) for word in words_of(text)]
        shared = Counter(entry for entries in having if len(entries) <= MANY for entry in entries)
        likely = (entry for entry, _ in shared.most_common(NEAREST))
        return next((entry for entry in likely if similarity(_untagged(entry.text), text) >= NEAR), None)


def _untagged(text: str) -> str:
    """The words of an entry without its tags, whatever their case."""
    return " ".join(word for word in text.casefold().split() if not word.startswith("#"))


def fitted(note: SourceNote, known: KnownEntries, read: Reader) -> FittedNote:
    """What becomes of `note` in the memory; `read` gives notes of it as they are now."""
    try:
        return _with_bullets(note, known, read) if note.bullets else _as_note(note, known, read)
    except Refused as error:
        return FittedNote(note.path, "", refused=(error.message,))


def _as_note(note: SourceNote, known: KnownEntries, read: Reader) -> FittedNote:
    there = read(note.path)
    is_begun = there is not None and there == known.begun.get(note.path) and there != note.text
    if is_begun and (note.is_own or frontmatter.split(note.text)[0]):
        there = None  # as `init` made it, and nobody wrote to it
    lacking = _added(note, there, known, read)
    is_empty = not note.text.strip() and not note.is_own
    is_new = there is None and (lacking.new > 0 or not (is_empty or lacking.known or lacking.withheld))
    text = lacking.text if there is None or not lacking.new else bump_updated(lacking.text, known.today)
    if (lacking.new or is_new) and (refused := _refused(note.path, text, known)):
        return FittedNote(
            note.path, there or "", known=lacking.known, withheld=lacking.withheld, refused=refused
        )
    entries = entries_of(note.path, text) if note.pins and (there is not None or is_new) else ()
    pinned = [entry for entry in entries if normalised(entry.text) in note.pins]
    pins = tuple(entry.id for entry in pinned if not is_pinned(entry, known.marks))
    theirs = frontmatter.read(note.text).description if there is not None and lacking.new else ""
    is_left = theirs and theirs != frontmatter.read(there or "").description
    remark = "its description stays out, for the note here has its own head" if is_left else ""
    counts = lacking.new, lacking.known, lacking.withheld
    return FittedNote(note.path, text, is_new, *counts, pins, remark=remark)


def _added(note: SourceNote, there: str | None, known: KnownEntries, read: Reader) -> Supplement:
    """The note with what it lacks; a new one is the source's byte for byte, but for entries gone here."""
    was_archived = read(archived(note.path)) if there is None else None
    entries = entries_of(note.path, note.text)
    if there == note.text:
        return Supplement(there, 0, len(entries))
    here_no_more = known.gone
    if was_archived is not None:
        put_away = {gist(e.text) for e in entries_of(note.path, was_archived)}
        here_no_more = here_no_more | {e.id for e in entries if gist(e.text) in put_away}
    out = sum(entry.id in here_no_more for entry in entries)
    if there is None and (not out or out < len(entries)):
        text = without(note.path, note.text, here_no_more) if out else note.text
        return Supplement(text, len(entries) - out, 0, out)
    return supplemented(note.path, there or "", note.text, here_no_more)


def _with_bullets(note: SourceNote, known: KnownEntries, read: Reader) -> FittedNote:
    """Entries without a note, at the end of that of their category; none whose key or words are there."""
    path = topic_if_there(note.path, read)
    folder = path.partition("/")[0]
    texts, keys = known.texts_and_keys(folder)
    there = read(path)
    accepted: list[str] = []
    old = gone = 0
    refused: list[str] = []
    rivals: list[str] = []
    near: list[Entry] = []
    for bullet in note.bullets:
        (entry,) = entries_of(path, bullet)
        words, key = normalised(bullet), entry.key
        if words in texts:
            old += 1
        elif entry.id in known.gone:
            gone += 1
        elif key and key.casefold() in keys:
            rivals.append(key)
        elif why := check_file(path, encode(bullet), known.allow):
            refused.append(f"{mask(key) or counted(1, 'entry')}: {_words(replace(why[0], line=0))}")
        else:
            accepted.append(bullet)
            near += filter(None, [known.near(folder, bullet)])
            texts.add(words)
            keys |= {key.casefold()} if key else set()
    text = _with_all(path, there, accepted, [note.days.get(bullet, "") for bullet in accepted], known.today)
    whole = _refused(path, text, known) if accepted else ()
    return FittedNote(
        path,
        there or "" if whole else text,
        is_new=there is None and bool(accepted) and not whole,
        new=0 if whole else len(accepted),
        known=old,
        withheld=gone,
        refused=(*refused, *whole),
        rivals=tuple(rivals),
        near=tuple(dict.fromkeys(entry.at for entry in near)),
    )


def _with_all(path: str, there: str | None, bullets: Sequence[str], days: Sequence[str], today: str) -> str:
    """The note with these entries at its end. It is as old as the newest of them, where the day of each is
    known, unless it says of itself that it is newer."""
    if not bullets:
        return there or ""
    last = min(max(days), today) if all(days) else today
    if there is None:
        category = path.rpartition("/")[2].removesuffix(".md")
        note = compose.new_note(path, min(*days, today) if all(days) else today, [category])
        return bump_updated(compose.append(note, "\n".join(bullets)), last)
    is_newer = str(frontmatter.read(there).fields.get("updated", "")) > last
    text = compose.append(there, "\n".join(bullets))
    return text if is_newer else bump_updated(text, last)


def _refused(path: str, text: str, known: KnownEntries) -> tuple[str, ...]:
    """Why the guard doesn't take the note as it would be; nothing where it does."""
    return tuple(dict.fromkeys(map(_words, check_file(path, encode(text), known.allow))))


def _words(refusal: Refusal) -> str:
    """What is wrong, where, and by which name a secret that is none can be let through."""
    at = f", line {refusal.line}" if refusal.line else ""
    return f"{refusal.message}{at}" + (f", fingerprint {refusal.fingerprint}" if refusal.fingerprint else "")
