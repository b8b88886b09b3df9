"""From what a person names to what is in the worktree: scopes, notes, entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn

from ctxrepo.domain.entry import Entry, entries_of
from ctxrepo.domain.evidence import Evidence, Kind, fate, renamed
from ctxrepo.domain.note import Note, decode_exactly, utf16
from ctxrepo.domain.paths import ARCHIVE, is_note
from ctxrepo.domain.target import GLOBAL, PROJECT, Target
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.services.evidence import evidence_now
from ctxrepo.services.project import Project, read_registry
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Scope:
    """A folder of the memory repository; `project` is set when it is a project's."""

    name: str
    folder: str
    project: Project | None = None


def scope_named(memory: Memory, name: str, project: Project | None) -> Scope:
    """The scope a person means: '' is the project inside one and global elsewhere."""
    if name in (GLOBAL, memory.global_folder) or (not name and project is None):
        return Scope(GLOBAL, memory.global_folder)
    if name in ("", PROJECT):
        project = project_here(project)
        return Scope(PROJECT, project.folder, project)
    if project is not None and name in (project.id, project.folder):
        return Scope(project.id, project.folder, project)
    registry = read_registry(memory)
    projects = registry.projects
    for identity, folder in projects.items():
        if identity == registry.canonical(name) or name == folder:
            return Scope(identity, folder, Project(identity, folder, is_registered=True))
    known = [GLOBAL, PROJECT, *projects, *projects.values()]
    near = get_close_matches(name, known, n=1)
    folders = ", ".join([GLOBAL, *projects.values()][:20])
    raise NotFound(
        f"there is no scope {name!r}", f"Did you mean {near[0]}?" if near else f"There are {folders}."
    )


def project_here(project: Project | None, hint: str = "Use --scope global, or go into one.") -> Project:
    """The project one stands in; UsageError when there is none."""
    if project is None:
        raise UsageError("this folder belongs to no project", hint)
    return project


def search_order(memory: Memory, project: Project | None) -> list[str]:
    """The folders a path without scope is looked for in, nearest first."""
    # pi-memory-md lets the global folder be a project's as well.
    return list(dict.fromkeys([*([project.folder] if project else []), memory.global_folder]))


def find_note(memory: Memory, target: Target, project: Project | None) -> Note:
    """The note a target names, as it is in the worktree now; NotFound names the nearest paths."""
    if target.entry_id:
        return find_entry(memory, target.entry_id, project)[0]
    folders, paths = places_of(memory, target, project)
    for path in paths:
        if (note := read_note(memory, path)) is not None:
            return note
    for path in paths:
        if memory.worktree.exists(path):
            raise CtxrepoError(f"{path} is there but can't be read as a note", "`ctxrepo check` says why.")
    known = {p.partition("/")[2] for p in note_paths(memory, folders)}
    if f"{ARCHIVE}/{target.path}" in known:
        raise NotFound(
            f"there is no note {target.path} in {' or '.join(folders)} any more",
            f"It is in the archive: {ARCHIVE}/{target.path}.",
        )
    near = get_close_matches(target.path, known, n=3)
    raise NotFound(
        f"there is no note {target.path} in {' or '.join(folders)}",
        f"Near it: {', '.join(near)}." if near else "`ctxrepo list` shows the notes.",
    )


def places_of(memory: Memory, target: Target, project: Project | None) -> tuple[Sequence[str], Sequence[str]]:
    """The folders in which a note is looked for, and the paths that it may have, nearest first."""
    scoped = bool(target.scope)
    folders = [scope_named(memory, target.scope, project).folder] if scoped else search_order(memory, project)
    paths = [f"{folder}/{target.path}" for folder in folders]
    if not scoped and "/" in target.path:
        paths.append(target.path)  # as the index and every message of ours write it
    return folders, paths


def placed(memory: Memory, target: Target, project: Project | None) -> Target:
    """Where something new goes: beside the entry that is named, or to the path.

    A path that begins with the folder of a scope one is in, as the index and every message of ours write it,
    is one in that scope.
    """
    if target.entry_id:
        folder, _, rest = find_entry(memory, target.entry_id, project)[0].path.partition("/")
        return Target(folder, rest)
    folder, slash, rest = target.path.partition("/")
    if target.scope or not slash or folder not in search_order(memory, project):
        return target
    return Target(GLOBAL if folder == memory.global_folder else PROJECT, rest)


def find_entry(memory: Memory, entry_id: str, project: Project | None) -> tuple[Note, Entry]:
    """The entry with this id, and its note; NotFound says what became of it, as far as that is known."""
    return _located(memory, entry_id, project) or _lost(memory, entry_id, project)


def follow_entry(memory: Memory, entry_id: str, project: Project | None) -> tuple[Note, Entry]:
    """`find_entry`, also by an id that the entry had before it was edited, moved or archived."""
    if found := _located(memory, entry_id, project):
        return found
    kind, found = _became(memory, entry_id, project)
    return found if found and kind == "moved" else _lost(memory, entry_id, project)


def _located(memory: Memory, entry_id: str, project: Project | None) -> tuple[Note, Entry] | None:
    """The cache says where, the worktree says what."""
    cached = memory.cache.find_entry(entry_id)
    likely = [cached.entry.path] if cached else []
    likely += [w.path for w in memory.writes.read()]
    everywhere = note_paths(memory)
    near = [p for p in everywhere if p.startswith(tuple(f"{f}/" for f in search_order(memory, project)))]
    for path in dict.fromkeys([*likely, *near, *everywhere]):
        note = read_note(memory, path)
        entry = note.entry(entry_id) if note else None
        if note and entry:
            return note, entry
    return None


def _lost(memory: Memory, entry_id: str, project: Project | None) -> NoReturn:
    kind, found = _became(memory, entry_id, project)
    hint = "It may have been edited since: an id follows the text. `ctxrepo search` finds it by its words."
    if kind == "forgotten":
        hint = f"It was forgotten; `ctxrepo history ^{entry_id}` has it still."
    elif found:
        name = f"^{found[1].id}"
        hint = f"It is {name} now, at" if kind == "moved" else f"It was superseded by {name} at"
        hint = f"{hint} {found[1].at}."
    raise NotFound(f"there is no entry ^{entry_id}", hint)


def _became(
    memory: Memory, entry_id: str, project: Project | None
) -> tuple[Kind | None, tuple[Note, Entry] | None]:
    """What became of an entry that is not there under this id, and what stands for it now, with its note."""
    evidence = evidence_now(memory)
    kind, now = fate(evidence, entry_id)
    if kind is None:
        found = entries_of_renamed(memory, evidence).get(entry_id)
        return "moved" if found else None, found
    return kind, _located(memory, now, project) if now != entry_id else None


def entries_of_renamed(memory: Memory, evidence: Iterable[Evidence]) -> dict[str, tuple[Note, Entry]]:
    """Entries of notes that commands moved as a whole, by the ids that they had where the note was before."""
    found: dict[str, tuple[Note, Entry]] = {}
    former = renamed(evidence)
    # Evidence comes from other machines as well: only a note of ours is opened for what it says.
    for path in sorted(former.keys() & note_paths(memory)) if former else ():
        if note := read_note(memory, path):
            for before in former[path]:
                pairs = zip(entries_of(before, note.text), note.entries, strict=True)
                found |= {was.id: (note, entry) for was, entry in pairs}
    return found


def live_entries(memory: Memory, folder: str, word: str) -> Iterator[tuple[Note, Entry]]:
    """Entries of a scope whose text contains `word`, as the worktree has them."""
    for path in note_paths(memory, [folder]):
        if "/archive/" not in path and (note := read_note(memory, path)) and word in note.text:
            yield from ((note, e) for e in note.entries if word in e.text)


def note_paths(memory: Memory, folders: Iterable[str] | None = None) -> list[str]:
    """Paths of all notes in these folders (in all scopes without), sorted."""
    scans = [memory.worktree.scan(folder) for folder in ([""] if folders is None else dict.fromkeys(folders))]
    return sorted(path for scan in scans for path in scan.files if is_note(path) and "/" in path)


def read_note(memory: Memory, path: str) -> Note | None:
    data = memory.worktree.read(path) if is_note(path) else None
    return None if data is None else Note(path, utf16(data) or decode_exactly(data))
