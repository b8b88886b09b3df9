"""What one file, or one entry of it, was in earlier commits, on every branch and through renames."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from ctxrepo.domain.merge.tree.moves import Moves, moves_between
from ctxrepo.domain.note.entry import Entry, entries_of, moved, normalised
from ctxrepo.domain.note.note import decode, decode_exactly
from ctxrepo.domain.project.layout import REGISTRY, is_note, moved_path
from ctxrepo.domain.project.registry import parse
from ctxrepo.domain.project.target import SHORTEST, id_meant, ids_meant
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import find_entry, path_by_now
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.storage.objects.trees import Key

if TYPE_CHECKING:
    from ctxrepo.storage.memory import Memory
    from ctxrepo.storage.objects.store import Objects

_REMEMBERED = 1000
"""Places that are looked up twice, for a commit and for the one made from it."""

_COMMITS = 10_000
"""Commits that are looked through for what nobody named by its place."""

_CANDIDATES = 20
"""Files that went when others came are compared with these, but no more of each; so are the notes that an
entry may have been moved out of: it must stay quick."""


@dataclass(frozen=True)
class PastPlace:
    """A file in a commit; `key` is None when it isn't there."""

    path: str
    key: Key | None


@dataclass(frozen=True)
class Step:
    """A commit with a file that is not the same in all of its `parents`; `before` is what it was in each."""

    commit: str
    now: PastPlace
    before: tuple[PastPlace, ...]
    parents: Sequence[str]

    @property
    def is_version(self) -> bool:
        """Whether no parent has the file so: a merge may merely have taken one side's."""
        return self.now not in self.before


def follow(objects: Objects, tip: str, path: str) -> Iterator[Step]:
    """Every step of the file at `path` that leads to `tip`, newest first; under its old name from where a
    commit removed a like file. All parents of a merge are gone through: a version that an editor overwrote
    may be on any."""
    names: dict[str, set[str]] = {tip: {path}}
    place_in = lru_cache(_REMEMBERED)(lambda tree, name: PastPlace(name, objects.key_at(tree, name)))
    for commit, tree, parents in objects.walk(tip):
        for name in sorted(names.pop(commit, ())):
            now = place_in(tree, name)
            before = []
            for parent in parents:
                parent_tree = str(objects.tree_of(parent))
                was = place_in(parent_tree, name)
                if was.key is None and now.key is not None:
                    was = _renamed_from(objects, now, tree, parent_tree) or was
                names.setdefault(parent, set()).add(was.path)
                before.append(was)
            if any(was != now for was in before) or (not parents and now.key):
                yield _without_strangers(objects, Step(commit, now, tuple(before), parents))


def _without_strangers(objects: Objects, step: Step) -> Step:
    """The step; of a merge that took away what one side had made, without the side that never had it."""
    if step.now.key is None and len({*step.before}) == len(step.parents) == 2:
        base = objects.tree_of(objects.merge_base(*step.parents))
        if not objects.files(base, [step.now.path]):
            had = 0 if step.before[0].key else 1
            return Step(step.commit, step.now, (step.before[had],), (step.parents[had],))
    return step


def changes(objects: Objects, tip: str | None) -> Iterator[tuple[str, Key | None, Key | None]]:
    """(path, key before, key after) of what the last commits changed, the newest first."""
    for _, tree, parents in islice(objects.walk(tip), _COMMITS) if tip else ():
        before = objects.tree_of(parents[0]) if parents else None
        yield from ((path, *keys) for path, keys in sorted(objects.diff(before, tree).items()))


def came(objects: Objects, tip: str, folder: str, files: Collection[str]) -> dict[str, datetime]:
    """When each of `files`, all somewhere in `folder`, was last added; commits without it are passed over."""
    times: dict[str, datetime] = {}
    for commit, tree, parents in objects.walk(tip):
        trees = [str(objects.tree_of(parent)) for parent in parents]
        now = objects.key_at(tree, folder)
        if now in [objects.key_at(before, folder) for before in trees]:
            continue
        for file in [f for f in files if f not in times and objects.key_at(tree, f)]:
            if not any(objects.key_at(before, file) for before in trees):
                times[file] = objects.header_of(commit).when
        if len(times) == len(files):
            break
    return times


def former_paths(objects: Objects, tip: str, paths: Sequence[str]) -> Iterator[str]:
    """The paths that these had while their project's folder had another name, newest first."""
    now = _folders(objects, objects.key_at(str(objects.tree_of(tip)), REGISTRY))
    seen, all_paths = set[Key | None](), set(paths)
    for _, tree, _ in objects.walk(tip):
        if (key := objects.key_at(tree, REGISTRY)) in seen:
            continue
        seen.add(key)
        for project, folder in _folders(objects, key).items():
            for path in paths:
                to = moved_path(path, now.get(project, ""), folder)
                if to and to not in all_paths:
                    all_paths.add(to)
                    yield to


def _folders(objects: Objects, key: Key | None) -> Mapping[str, str]:
    return {} if key is None or ":" in key else parse(decode(objects.data_or_empty(key))).projects


def renamed_to(objects: Objects, step: Step) -> str:
    """The path that a file which a step removed has from then on, '' when it is gone."""
    if step.now.key is not None or not step.before or step.before[0].key is None:
        return ""
    tree, before = (objects.tree_of(commit) for commit in (step.commit, step.parents[0]))
    come = {path: new for path, (old, new) in objects.diff(before, tree).items() if new and old is None}
    was = step.before[0]
    return _moves(objects, {was.path: was.key}, come).get(was.path, "")


def whereabouts(memory: Memory, path: str) -> tuple[str, PastPlace | None]:
    """The path that the file has by now, through all its renames; else the path it had last, and its last
    version. What our commits moved is recorded; of the rest the history can only guess by contents."""
    objects, tip, last = memory.objects, memory.head, None
    if tip is None:
        return path, last
    path = path_by_now(memory, path)
    tree, seen = str(objects.tree_of(tip)), set[str]()
    while path not in seen and objects.key_at(tree, path) is None:
        seen.add(path)
        removal = next((s for s in follow(objects, tip, path) if s.now.key is None and s.is_version), None)
        if removal is None:
            return path, last
        last = next(place for place in removal.before if place.key is not None)
        path = renamed_to(objects, removal) or path
    return path, last if objects.key_at(tree, path) is None else None


def _renamed_from(objects: Objects, now: PastPlace, tree: str, parent: str) -> PastPlace | None:
    gone = {path: old for path, (old, new) in objects.diff(parent, tree).items() if old and new is None}
    moves = _moves(objects, gone, {now.path: now.key})
    return next((PastPlace(path, gone[path]) for path in moves), None)


def _moves(objects: Objects, gone: Mapping[str, Key | None], come: Mapping[str, Key | None]) -> Moves:
    same = {*gone.values()} & {*come.values()}
    likely = (sorted(side.items(), key=lambda file: (file[1] not in same, file[0])) for side in (gone, come))
    files = ([(path, key) for path, key in side if key and ":" not in key][:_CANDIDATES] for side in likely)
    return moves_between(*({path: objects.data_or_empty(key) for path, key in side} for side in files))


class PastEntry:
    """The entry that has one of `ids` in some version; steps are to be handed in newest first. `former` are
    ids that it had by what is recorded: it may have been edited before the commit that moved it."""

    def __init__(self, objects: Objects, ids: Collection[str], former: Collection[str] = ()) -> None:
        self._objects = objects
        self._ids = set(ids)
        self._former = {*former}
        self._by_place: dict[PastPlace, Entry] = {}
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
        return self._by_place.get(place)

    def came_from(self, step: Step) -> str:
        """The note that the entry was in until the step brought it into its own; '' when it was new."""
        now = self._known(step.now)
        if now is None or not step.parents:
            return ""
        before, after = (str(self._objects.tree_of(c)) for c in (step.parents[0], step.commit))
        changes = sorted(self._objects.diff(before, after).items())
        notes = [(p, old, new) for p, (old, new) in changes if old and p != step.now.path and is_note(p)]
        for path, old, new in notes[:_CANDIDATES]:
            kept = {e.id for e in self._entries(PastPlace(path, new))}
            gone = [e for e in self._entries(PastPlace(path, old)) if e.id not in kept]
            same = (e for e in gone if e.id in self._former or normalised(e.text) == normalised(now.text))
            if was := next(same, None):
                self._ids.add(was.id)
                return path
        return ""

    def _known(self, place: PastPlace) -> Entry | None:
        if place not in self._by_place:
            entry = next((e for e in self._entries(place) if e.id in self._ids), None)
            if entry:
                self._by_place[place] = entry
        return self._by_place.get(place)

    def _before(self, place: PastPlace, after: PastPlace, now: Entry | None) -> Entry | None:
        """The entry as an older version has it: of the same id, or the one that was edited to be `now`."""
        entries = self._entries(place)
        if now and place not in self._by_place:
            same = next((e for e in entries if e.id == now.id), None)
            pairs = moved(entries, self._entries(after)) if same is None else ()
            was = next((old for old, new in pairs if new.id == now.id), same)
            if was:
                self._by_place[place] = was
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
        note, entry = find_entry(memory, name, project, follows=True)
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
            if ids := ids_meant(name, gone):
                return path, {ids[0]}
    return "", set()


def _in_evidence(memory: Memory, name: str) -> tuple[str, set[str]]:
    records = sorted(evidence_at(memory.objects, memory.head_tree), key=lambda e: e.ts)
    ids, path = {id_meant(name, (e.entry for e in records if e.entry))}, ""
    for evidence in records:
        if evidence.entry in ids:
            path = evidence.path or path
            ids |= {evidence.to} if evidence.kind == "moved" else set()
    return path, ids
