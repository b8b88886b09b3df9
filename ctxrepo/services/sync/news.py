"""What merges and other machines changed that nobody would see: told once, by the next sync for a person."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from ctxrepo.domain.git.commit import writers_of
from ctxrepo.domain.note.entry import Entry, entries_of, normalised
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import REGISTRY, is_aside, is_conflict_copy, is_note, scope_of, tapes_of
from ctxrepo.domain.project.registry import Registry, parse
from ctxrepo.domain.records.evidence import Evidence, end_of, marks, renamed
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.past_deletions import confirmed_since
from ctxrepo.services.locate.identify import read_registry, registry_problem
from ctxrepo.services.reading.marks import (
    entries_gone,
    entries_in,
    evidence_at,
    moved_to,
    note_versions,
    standing_heirs,
)
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects

_TOLD, _MOST_COMMITS = "refs/ctxrepo/told", 500
"""A ref to the commit up to which somebody was told; so many newer ones are read."""


def news(memory: Memory, before: str | None, registry: Registry, *, tells: bool) -> tuple[str, ...]:
    """What is to be told, if this sync tells somebody; else it is left for one that does. `before` and
    `registry` are the newest commit and the projects as they were before the exchange."""
    objects = memory.objects
    since = objects.ref(_TOLD) or before
    if tip := memory.head if tells else since:
        objects.set_ref(_TOLD, tip)
    if not (tells and since and objects.has(since)):
        return ()
    problem = registry_problem(memory)
    notices = [problem] if problem else _renamed(memory, since, registry)
    meetings = [*_meetings(objects, since, memory.head)]
    for ours, theirs in meetings:
        notices = [*notices, *_pins_lost(ours, theirs), *_pins_lost(theirs, ours), *_come_back(ours, theirs)]
    notices = [*notices, *confirmed_since(memory, since)]
    away = (line for meeting in meetings for side in meeting for line in _moved_away(memory, side))
    return *notices, *away, *_out_of_view(memory, since)


def _renamed(memory: Memory, since: str, before: Registry) -> Iterator[str]:
    """A line for each project that got another folder since that commit, unless a command here gave it."""
    was = parse(decode(memory.objects.find(memory.objects.tree_of(since), REGISTRY) or b""))
    for identity, new in read_registry(memory).projects.items():
        if any(registry.canonical(identity) != identity for registry in (before, was)):
            continue  # unlinked, which moves no notes
        former = [old for registry in (before, was) if (old := registry.folder_of(identity)) and old != new]
        operations = memory.done_log.newest() if former and before.folder_of(identity) == new else ()
        if not former or any(operation.note.endswith(f" is {new}") for operation in operations):
            continue
        folders = memory.objects.names_in(memory.head_tree, "")
        is_of_another = any(name == new and owner != identity for owner, name in was.projects.items())
        stays = is_of_another and former[0] in folders and _has_stayed(memory, since, former[0], new)
        if new in folders and not stays:
            yield f"the notes of {identity} are in {new}/ now, no longer in {former[0]}/"
            continue
        is_anothers = former[0] in read_registry(memory).projects.values()
        tapes, says = tapes_of(former[0]), f"the folder of {identity} is {new}/ by {REGISTRY}"
        if stays or (former[0] in folders and not is_anothers):
            why = f"its notes are in {former[0]}/" if new in folders else "there is no such folder"
            way = f"`ctxrepo project link {former[0]}` in a checkout of it"
            if is_anothers:  # to link them would make one project of two
                way = f"{former[0]}/ as its folder there"
            yield f"{says}, and {why}: {way} has its notes in view again"
        elif not is_anothers and memory.objects.below(memory.head_tree, tapes):
            why = f"its anchors are in {tapes}/: {former[0]}/ as its folder there has them in view again"
            yield f"{says}, and {why}"
        else:  # nothing was written in it, or only anchors, which went along
            yield f"the folder of {identity} is {new}/ now, no longer {former[0]}/"


def _has_stayed(memory: Memory, since: str, former: str, new: str) -> bool:
    """Whether most of what the folder `former` said in a commit is still there, and not in the folder `new`:
    somebody gave a project another one's folder, and moved no notes."""
    objects, head = memory.objects, memory.head_tree
    places = (objects.tree_of(since), former), (head, former), (head, new)
    files = ({p: objects.data_or_empty(k) for p, k in objects.below(*place).items()} for place in places)
    was, stays, went = (Counter(entry.text for entry in entries_in(notes)) for notes in files)
    return (was & stays).total() > (was & went).total()


@dataclass(frozen=True)
class _SideOfMerge:
    """One side of a merge: its newest commit and the other side's; what both began from, what this side made
    of it, and what both have come to, as trees. `tip` is the tree of now."""

    objects: Objects
    mine: str
    other: str
    base: str
    tree: str
    merged: str
    tip: str

    @cached_property
    def records(self) -> list[Evidence]:
        """What was said of entries on this side alone."""
        known = {*evidence_at(self.objects, self.base)}
        return [record for record in evidence_at(self.objects, self.tree) if record not in known]

    def is_of(self, host: str) -> bool:
        """Whether a machine made any of the commits that this side has alone."""
        commits = islice(self.objects.new_commits(self.mine, self.other), _MOST_COMMITS)
        return any(host in writers_of(self.objects.header_of(commit).message).hosts for commit in commits)


def _meetings(objects: Objects, since: str, head: str | None) -> Iterator[tuple[_SideOfMerge, _SideOfMerge]]:
    """Both sides of each merge since a commit, whichever machine made it."""
    for merge in islice(objects.new_commits(head, since) if head else (), _MOST_COMMITS):
        commits = objects.parents(merge)
        base = objects.tree_of(objects.merge_base(*commits)) if len(commits) == 2 else None
        if base:
            trees = [objects.tree_of(commit) or "" for commit in (merge, head)]
            ours, theirs = (
                _SideOfMerge(objects, mine, other, base, objects.tree_of(mine) or "", *trees)
                for mine, other in (commits, reversed(commits))
            )
            yield ours, theirs


def _come_back(ours: _SideOfMerge, theirs: _SideOfMerge) -> Iterator[str]:
    """A line for each note or entry that a merge has again: one side had removed it, or put the note aside,
    and the other one edited or moved it. Also for each entry that one side superseded and the other one
    edited."""
    objects, tip = ours.objects, ours.tip
    retired = {e.to: e for pair in ((ours, theirs), (theirs, ours)) for e in _superseded(*pair)}
    for side in (ours, theirs):
        back = [*_notes_back(side)]
        for what, name, path in back:
            if objects.files(tip, [path]):
                yield _line(name, what, "there again" if path == name else f"at {path} now")
        notes = {path for _, *names in back for path in names}
        for old, what, new in _entries_back(side):
            is_told = new.id in retired or not notes.isdisjoint((old.path, new.path))
            if not is_told and new.id in _ids(objects, tip, new.path):
                yield _line(f"an entry of {old.path}", what, f"^{new.id} in {new.path} now")
    for edit, to in (*_moves_left(ours, theirs), *_moves_left(theirs, ours)):
        if edit.to not in retired:
            yield _line(f"an entry of {edit.path}", f"moved to {to}", f"^{edit.to} in {edit.path} now")
    for name, edit in retired.items():
        now = f"^{name} in {edit.path}, superseded; `ctxrepo restore ^{name}` has it hold again"
        yield _line(f"an entry of {edit.path}", "superseded", now)


def _superseded(ours: _SideOfMerge, theirs: _SideOfMerge) -> Iterator[Evidence]:
    """The record of each edit by one side of an entry that the other superseded: it doesn't hold any more."""
    former = {record.to: record.entry for record in ours.records if record.kind == "moved"}
    ids = {end_of(former, record.entry) for record in ours.records if record.kind == "superseded"}
    edits = [record for record in theirs.records if record.kind == "moved" and record.entry in ids]
    struck = marks(evidence_at(ours.objects, ours.tip)).struck if edits else ()
    return (e for e in edits if e.to in struck and e.to in _ids(ours.objects, ours.tip, e.path))


def _pins_lost(ours: _SideOfMerge, theirs: _SideOfMerge) -> Iterator[str]:
    """A line for each entry that one side pinned, and the other one removed, superseded or put aside."""
    objects, tip = ours.objects, ours.tip
    pins = {record.entry: record.path for record in ours.records if record.kind == "pinned"}
    for record in theirs.records if pins else ():
        entry, path, kind = record.entry, record.path, record.kind
        is_aside_now = kind == "moved" and is_aside(path)
        name = record.to if is_aside_now else entry
        if entry in pins and (is_aside_now or kind in ("forgotten", "superseded")):
            is_there = name in _ids(objects, tip, path)
            is_struck = name in marks(evidence_at(objects, tip)).struck
            if {"forgotten": not is_there, "superseded": is_struck}.get(kind, is_there):
                what = {"forgotten": "removed", "moved": "archived"}.get(kind, kind)
                now = f"`ctxrepo restore ^{name}` has it hold again"
                yield f"an entry of {pins[entry]} was pinned on one machine and {what} on another; {now}"


def _moves_left(ours: _SideOfMerge, theirs: _SideOfMerge) -> Iterator[tuple[Evidence, str]]:
    """(record of the last edit, note to which it was moved) of each entry that one side moved to another note
    and that the other one edited, if it stayed where that has it."""
    objects, tip = ours.objects, ours.tip
    moved, edited = (
        {record.entry: record for record in side.records if record.kind == "moved"} for side in (ours, theirs)
    )
    for entry in sorted(moved.keys() & edited.keys()):
        went, stays = _chain(moved, entry), _chain(edited, entry)
        standing = [edit for edit in (*went, *stays) if edit.to in _ids(objects, tip, edit.path)]
        last = next((edit for edit in reversed(standing) if edit in stays), None)
        to = went[-1].path
        if last is None or {*went}.intersection(standing) or to == last.path or is_aside(to):
            continue
        if entry in _ids(objects, ours.base, last.path):  # else both moved it, or its note
            yield last, to


def _chain(records: Mapping[str, Evidence], entry: str) -> list[Evidence]:
    """The records that lead from an entry to what it became, in order."""
    chain = list[Evidence]()
    while entry in records and records[entry] not in chain:
        chain.append(records[entry])
        entry = chain[-1].to
    return chain


def _line(name: str, what: str, now: str) -> str:
    return f"{name} was {what} on one machine and changed on another: it is {now}"


def _notes_back(side: _SideOfMerge) -> Iterator[tuple[str, str, str]]:
    """(what this side did, path in the base, path by now) of notes that only the merged tree has in view."""
    objects = side.objects
    come = [p for p, (old, _) in objects.diff(side.tree, side.merged).items() if not old and is_note(p)]
    changes = objects.diff(side.base, side.tree) if come else {}
    former, moved = (renamed(evidence_at(objects, tree)) if come else {} for tree in (side.merged, side.tree))
    for path in come:
        for name, key in objects.files(side.base, [path, *former.get(path, ())]).items():
            names = {new for new, old in moved.items() if name in old}
            names |= {new for new, (_, now) in changes.items() if now == key and is_note(new)}
            there = objects.files(side.tree, [name, *names])
            if name not in there and all(map(is_aside, there)):
                yield "archived" if there else "removed", name, path


def _entries_back(side: _SideOfMerge) -> Iterator[tuple[Entry, str, Entry]]:
    """(entry as it was in the base, what this side did with it, what stands for it by now) of those that this
    side removed or put aside, and the other one edited."""
    before, after = note_versions(side.objects, side.base, side.tree)
    aside = [entry for entry in entries_in(after) if is_aside(entry.path)]
    in_view = {path: data for path, data in after.items() if not is_aside(path)}
    for old, new in sorted(standing_heirs(side.objects, side.merged, before, in_view).items()):
        if new.id not in {entry.id for entry in aside}:
            is_aside_there = old.plain in {entry.plain for entry in aside}
            yield old, "archived" if is_aside_there else "removed", new


def _ids(objects: Objects, tree: str | None, path: str) -> set[str]:
    return {entry.id for entry in entries_of(path, decode(objects.find(tree, path) or b""))}


def _moved_away(memory: Memory, side: _SideOfMerge) -> Iterator[str]:
    """A line for each note that this machine, on its side, wrote to or moved while another one moved it to
    another project, or to a folder of none, and that the merge has there: what was written was acknowledged
    as kept in this project, and no session of it is given that."""
    went, twice = _places(side), _moved_twice(side)
    is_ours = bool(went or twice) and side.is_of(memory.host)
    there = memory.objects.files(memory.head_tree, [*went.values(), *twice.values()]) if is_ours else ()
    known = {*read_registry(memory).projects.values(), memory.global_folder} if there else ()
    for old, new in sorted((old, new) for old, new in went.items() if new in there):
        of_none = "" if scope_of(new) in known else ", in a folder of no project"
        yield f"{old} was written to here and moved on another machine: it is {new} now{of_none}"
    for old, new in sorted((old, new) for old, new in twice.items() if new in there):
        yield f"the note moved to {old} here is {new} now: another machine moved it there"


def _moved_twice(side: _SideOfMerge) -> dict[str, str]:
    """path -> path in the merge of the notes that a side moved to the first, and another one to the folder of
    another project."""
    new = {record.to for record in side.records if record.kind == "renamed"}
    paths = new - side.objects.files(side.merged, new).keys()
    by_now = moved_to(side.objects, side.merged, paths)
    return {old: new for old, new in by_now.items() if scope_of(old) != scope_of(new)}


def _out_of_view(memory: Memory, since: str) -> Iterator[str]:
    """A line for each folder of no project to which notes have moved since a commit, as they were, or which
    has come with notes."""
    objects, folders = memory.objects, {memory.global_folder, *read_registry(memory).projects.values()}
    changes = objects.diff(objects.tree_of(since), memory.head_tree)
    notes = {path: keys for path, keys in changes.items() if is_note(path) and not is_aside(path)}
    gone = {was for path, (was, now) in notes.items() if now is None and scope_of(path) in folders}
    come = {path: now in gone for path, (was, now) in notes.items() if was is None and "/" in path}
    known = objects.names_in(objects.tree_of(since), "")
    for folder in sorted({*map(scope_of, come)} - folders):
        has_moved = [moved for path, moved in come.items() if scope_of(path) == folder]
        count = sum(has_moved) or (len(has_moved) if folder not in known else 0)
        if count:
            are = "1 note has" if count == 1 else f"{count} notes have"
            verb = "moved to" if any(has_moved) else "come in"
            it = "it" if count == 1 else "them"
            yield f"{are} {verb} {folder}/, a folder of no project, and no session is given {it}"


def _places(side: _SideOfMerge) -> dict[str, str]:
    """path -> path in the merged tree of the notes that this side wrote to, and that another project has
    there, or none, though it isn't just that the folder of their project has another name."""
    objects = side.objects
    changes, differing = objects.diff(side.base, side.tree), objects.diff(side.tree, side.merged)
    both = {path for path in changes.keys() & differing.keys() if is_note(path) and changes[path][0]}
    was, now = note_versions(objects, side.base, side.tree) if both else ({}, {})
    entries = entries_gone(*({path: files.get(path) for path in both} for files in (now, was)))
    if not entries:
        return {}
    standing = entries_in(note_versions(objects, side.tree, side.merged)[1])
    there = {normalised(entry.text): entry.path for entry in standing if not is_conflict_copy(entry.path)}
    there |= {normalised(entry.text): entry.path for entry in standing if entry.path in both}
    places = {entry.path: there[text] for entry in entries if (text := normalised(entry.text)) in there}
    former, present = (_owners(objects, tree) for tree in (side.tree, side.merged))
    return {
        old: new
        for old, new in places.items()
        if former.get(scope_of(old), scope_of(old)) != present.get(scope_of(new), scope_of(new))
    }


def _owners(objects: Objects, tree: str | None) -> Mapping[str, str]:
    """Folder -> its project, as the registry of a tree says."""
    projects = parse(decode(objects.find(tree, REGISTRY) or b"")).projects
    return {folder: project for project, folder in projects.items()}
