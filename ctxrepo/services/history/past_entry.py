"""One entry through the versions of its note: its id follows the text, and each edit gives it another."""

from collections.abc import Collection

from ctxrepo.domain.note.entry import Entry, entries_of, moved, normalised
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.project.target import SHORTEST, id_meant, ids_meant
from ctxrepo.errors import NotFound
from ctxrepo.services.history.versions import PastPlace, Step, changes
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import follow_entry
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects

_CANDIDATES = 20
"""Notes of one commit that are looked at for an entry that was moved out of them."""


class PastEntry:
    """The entry that has one of `ids` in some version; steps are to be handed in newest first."""

    def __init__(self, objects: Objects, ids: Collection[str]) -> None:
        self._objects = objects
        self._ids = set(ids)
        self._found: dict[PastPlace, Entry] = {}
        self._read: dict[PastPlace, list[Entry]] = {}

    def lines(self, step: Step) -> list[str]:
        """What the step did to the entry, as one line; nothing when it left the entry as it was."""
        now = self._known(step.now)
        before = [was for place in step.before if (was := self._before(place, step.now, now))]
        self._read = {place: self._read[place] for place in step.before if place in self._read}
        if not step.is_version or (now is None and not before):
            return []
        if now is None:
            pairs = moved(self._entries(step.before[0]), self._entries(step.now))
            after = next((new for old, new in pairs if old.id == before[0].id), None)
            return [f"~ {normalised(after.text)}" if after else f"- {normalised(before[0].text)}"]
        if normalised(now.text) in [normalised(was.text) for was in before]:
            return []
        return [f"{'~' if before else '+'} {normalised(now.text)}"]

    def at(self, place: PastPlace) -> Entry | None:
        """The entry in a version whose step was handed in; None when it isn't in it."""
        return self._found.get(place)

    def came_from(self, step: Step) -> str:
        """The note that the entry was in until the step brought it into its own; '' when it was new."""
        now = self._known(step.now)
        if now is None or not step.parents:
            return ""
        before, after = (str(self._objects.tree_of(c)) for c in (step.parents[0], step.commit))
        changed = sorted(self._objects.diff(before, after).items())
        notes = [(p, old, new) for p, (old, new) in changed if old and p != step.now.path and is_note(p)]
        for path, old, new in notes[:_CANDIDATES]:
            kept = {e.id for e in self._entries(PastPlace(path, new))}
            gone = [e for e in self._entries(PastPlace(path, old)) if e.id not in kept]
            was = next((e for e in gone if normalised(e.text) == normalised(now.text)), None)
            if was:
                self._ids.add(was.id)
                return path
        return ""

    def _known(self, place: PastPlace) -> Entry | None:
        if place not in self._found:
            named = next((e for e in self._entries(place) if e.id in self._ids), None)
            if named:
                self._found[place] = named
        return self._found.get(place)

    def _before(self, place: PastPlace, after: PastPlace, now: Entry | None) -> Entry | None:
        """The entry as an older version has it: of the same id, or the one that was edited to be `now`."""
        entries = self._entries(place)
        if now and place not in self._found:
            same = next((e for e in entries if e.id == now.id), None)
            pairs = moved(entries, self._entries(after)) if same is None else ()
            was = next((old for old, new in pairs if new.id == now.id), same)
            if was:
                self._found[place] = was
        return self._known(place)

    def _entries(self, place: PastPlace) -> list[Entry]:
        if place not in self._read:
            text = "" if place.key is None else decode_exactly(self._objects.data_or_empty(place.key))
            self._read[place] = entries_of(place.path, text)
        return self._read[place]


def find_past_entry(memory: Memory, name: str, project: Project | None) -> tuple[str, set[str]]:
    """(path of its note, ids by which it is known) of the entry with this id or beginning of one. Where
    evidence doesn't name it, commits are looked through. NotFound when there is none."""
    try:
        note, entry = follow_entry(memory, name, project)
        return note.path, {name, entry.id}
    except NotFound:
        path, ids = _in_evidence(memory, name)
        if not path and len(name) >= SHORTEST:
            path, ids = _in_history(memory, name)
        if not path:
            raise
        return path, ids


def _in_history(memory: Memory, name: str) -> tuple[str, set[str]]:
    """The entry that a commit took away last, of all whose id begins so."""
    objects = memory.objects
    for path, old, new in changes(objects, memory.head):
        if old and is_note(path) and ":" not in old + (new or ""):
            was, now = (decode_exactly(objects.data_or_empty(key)) if key else "" for key in (old, new))
            gone = {e.id for e in entries_of(path, was)} - {e.id for e in entries_of(path, now)}
            if found := ids_meant(name, gone):
                return path, {found[0]}
    return "", set()


def _in_evidence(memory: Memory, name: str) -> tuple[str, set[str]]:
    records = sorted(evidence_at(memory.objects, memory.head_tree), key=lambda e: e.ts)
    ids, path = {id_meant(name, (e.entry for e in records if e.entry))}, ""
    for evidence in records:
        if evidence.entry in ids:
            path = evidence.path or path
            ids |= {evidence.to} if evidence.kind == "moved" else set()
    return path, ids
