"""One entry through the versions of its note: its id follows the text, and each edit gives it another."""

from __future__ import annotations

from collections.abc import Collection

from ctxrepo.domain.entry import Entry, entries_of, normalised
from ctxrepo.domain.evidence import evidence_of
from ctxrepo.domain.likeness import moved
from ctxrepo.domain.note import decode_exactly
from ctxrepo.errors import NotFound
from ctxrepo.services.evidence import evidence_files
from ctxrepo.services.find import find_entry
from ctxrepo.services.project import Project
from ctxrepo.services.versions import Place, Step
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects import Objects


class PastEntry:
    """The entry that has one of `ids` in some version; steps are to be handed in newest first."""

    def __init__(self, objects: Objects, ids: Collection[str]) -> None:
        self._objects = objects
        self._ids = ids
        self._found: dict[Place, Entry] = {}
        self._read: dict[Place, list[Entry]] = {}

    def lines(self, step: Step) -> list[str]:
        """What the step did to the entry, as one line; nothing when it left the entry as it was."""
        now = self._known(step.now)
        before = [was for place in step.before if (was := self._before(place, step.now, now))]
        self._read = {place: self._read[place] for place in step.before if place in self._read}
        if not step.is_version or (now is None and not before):
            return []
        if now is None:
            after = self._after(before[0], step)
            return [f"~ {normalised(after.text)}" if after else f"- {normalised(before[0].text)}"]
        if normalised(now.text) in [normalised(was.text) for was in before]:
            return []
        return [f"{'~' if before else '+'} {normalised(now.text)}"]

    def text(self, place: Place) -> str | None:
        """The entry as a version has it whose step was handed in; None when it isn't in it."""
        return self._found[place].text if place in self._found else None

    def _known(self, place: Place) -> Entry | None:
        if place not in self._found:
            named = next((e for e in self._entries(place) if e.id in self._ids), None)
            if named:
                self._found[place] = named
        return self._found.get(place)

    def _before(self, place: Place, after: Place, now: Entry | None) -> Entry | None:
        """The entry as an older version has it: of the same id, or the one that was edited to be `now`."""
        entries = self._entries(place)
        if now and place not in self._found:
            same = next((e for e in entries if e.id == now.id), None)
            pairs = moved(entries, self._entries(after)) if same is None else ()
            was = next((old for old, new in pairs if new.id == now.id), same)
            if was:
                self._found[place] = was
        return self._known(place)

    def _after(self, was: Entry, step: Step) -> Entry | None:
        """What it was edited to, when what it became is not what was asked for."""
        pairs = moved(self._entries(step.before[0]), self._entries(step.now))
        return next((new for old, new in pairs if old.id == was.id), None)

    def _entries(self, place: Place) -> list[Entry]:
        if place not in self._read:
            text = "" if place.key is None else decode_exactly(self._objects.data(place.key))
            self._read[place] = entries_of(place.path, text)
        return self._read[place]


def find_past_entry(memory: Memory, entry_id: str, project: Project | None) -> tuple[str, set[str]]:
    """(path of its note, every id that it has had since) of an entry that is there, or that evidence names.

    NotFound when neither is so.
    """
    try:
        return find_entry(memory, entry_id, project)[0].path, {entry_id}
    except NotFound:
        path, ids = _in_evidence(memory, entry_id)
        if not path:
            raise
        return path, ids


def _in_evidence(memory: Memory, entry_id: str) -> tuple[str, set[str]]:
    tree = memory.objects.tree_of(memory.objects.ref(memory.clone.branch_ref))
    files = evidence_files(memory, tree)
    said = sorted(
        (e for data in files.values() for e in evidence_of(decode_exactly(data))), key=lambda e: e.ts
    )
    ids, path = {entry_id}, ""
    for evidence in said:
        if evidence.entry in ids:
            path = evidence.path or path
            ids |= {evidence.to} if evidence.kind == "moved" else set()
    return path, ids
