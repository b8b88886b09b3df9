"""From what a person names to what is in the worktree: scopes, notes, entries."""

from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import Note, decode_note
from ctxrepo.domain.project.layout import GLOBAL, MEMORY, PROJECT, fold, is_note
from ctxrepo.domain.project.registry import is_folder_name
from ctxrepo.domain.project.target import (
    SHORTEST,
    TOO_SHORT,
    Target,
    id_meant,
    ids_meant,
    may_be_derived,
    nearest,
    several_ids,
)
from ctxrepo.domain.records.evidence import (
    MOST_HEIRS,
    Evidence,
    Kind,
    closure,
    edits_in,
    fate,
    names_in,
    renamed,
)
from ctxrepo.domain.text import size
from ctxrepo.domain.words.categories import TOPIC_FILES
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project, read_registry
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.storage.cache.cache import remark_of
from ctxrepo.storage.cache.entries import entries_beginning, note_digests
from ctxrepo.storage.cache.layout import digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import KeptOutFile

_MANY = 50
"""How many entries with the same beginning of an id are looked at: for more, give more characters."""

OF_NO_PROJECT = "`ctxrepo move` takes a note elsewhere; a repository with that name takes the folder over."

SHOWN = 5
"""Candidates that a message names."""


@dataclass(frozen=True)
class NamedScope:
    """A scope by the name that a person or a command gave it; `project` is set when it is a project's."""

    name: str
    folder: str
    project: Project | None = None


def scope_named(memory: Memory, name: str, project: Project | None) -> NamedScope:
    """The scope a person means: '' means the current folder's project, or global outside of one."""
    if name in (GLOBAL, memory.global_folder) or (not name and project is None):
        return NamedScope(GLOBAL, memory.global_folder)
    if name in ("", PROJECT):
        project = require_project(project)
        return NamedScope(PROJECT, project.folder, project)
    if project is not None and name in (project.id, project.folder):
        return NamedScope(project.id, project.folder, project)
    registry = read_registry(memory)
    projects = registry.projects
    for identity, folder in projects.items():
        if identity == registry.canonical(name) or name == folder:
            return NamedScope(identity, folder, Project(identity, folder, is_registered=True))
    if is_folder_name(name) and note_paths(memory, [name]):
        raise NotFound(f"{name}/ belongs to no project", OF_NO_PROJECT)
    known = [GLOBAL, PROJECT, *projects, *projects.values()]
    near = nearest(name, known)
    folders = ", ".join([GLOBAL, *projects.values()][:20])
    raise NotFound(
        f"there is no scope {name!r}", f"Did you mean {near}?" if near else f"There are {folders}."
    )


def require_project(project: Project | None, hint: str = "Use --scope global, or go into one.") -> Project:
    """The project of the current folder; UsageError when there is none."""
    if project is None:
        raise UsageError("this folder belongs to no project", hint)
    return project


def search_order(memory: Memory, project: Project | None, scope: str = "") -> list[str]:
    """The folder of this scope, or without one those that are looked in, nearest first."""
    if scope:
        return [scope_named(memory, scope, project).folder]
    # pi-memory-md lets the global folder be a project's as well.
    return list(dict.fromkeys([*([project.folder] if project else []), memory.global_folder]))


def places_of(memory: Memory, target: Target, project: Project | None) -> tuple[Sequence[str], Sequence[str]]:
    """The folders in which a note is looked for, and the paths that it may have, nearest first."""
    folders = search_order(memory, project, target.scope)
    paths = [f"{folder}/{target.path}" for folder in folders]
    if not target.scope and "/" in target.path:
        paths.append(target.path)  # as the index and every message of ours write it
    return folders, paths


def destination_of(memory: Memory, target: Target, project: Project | None) -> Target:
    """Where something new goes: to the path, or to the note of the entry. A path with its scope's folder
    (`global/topics/a.md`), as the index and our messages write it, is taken as one in that scope."""
    if target.entry_id:
        folder, _, rest = find_entry(memory, target.entry_id, project)[0].path.partition("/")
        return Target(folder, rest)
    folder, slash, rest = target.path.partition("/")
    if target.scope or not slash or folder not in search_order(memory, project):
        return Target(target.scope, target.path)
    return Target(GLOBAL if folder == memory.global_folder else PROJECT, rest)


def find_entry(
    memory: Memory, name: str, project: Project | None, *, follows: bool = False
) -> tuple[Note, Entry]:
    """The entry with this id, or the only one whose id begins so; with `follows` also by an id that it had
    before it was edited, moved or archived. NotFound says what became of it."""
    if match := _located(memory, name, project):
        return match
    _, kind, heir = _became(memory, name, project) if follows else ("", None, None)
    return heir if heir and kind == "moved" else _lost(memory, name, project)


def _located(memory: Memory, name: str, project: Project | None) -> tuple[Note, Entry] | None:
    """The cache says where, the worktree says what. Entries in view come before those of other projects."""
    view = tuple(f"{folder}/" for folder in search_order(memory, project))
    likely = [cached.entry.path for cached in memory.cache.ask(entries_beginning, name, _MANY)]
    pairs = _among(memory, [*likely, *(save.path for save in memory.journal.read())], name)
    pairs = pairs or _among(memory, sorted(note_paths(memory), key=lambda p: not p.startswith(view)), name)
    if name in pairs:
        return pairs[name]
    every = [pairs[entry_id] for entry_id in sorted(pairs)]
    near = [pair for pair in every if pair[0].path.startswith(view)] or every
    if len(near) > 1:
        raise several_ids(name, [f"^{entry.id} {entry.at}" for _, entry in near])
    return near[0] if near else None


def _among(memory: Memory, paths: Iterable[str], name: str) -> dict[str, tuple[Note, Entry]]:
    """id -> the entries of these notes that `name` may stand for; of the very id only the first."""
    matches: dict[str, tuple[Note, Entry]] = {}
    for path in dict.fromkeys(paths):
        if note := read_note(memory, path):
            ids = ids_meant(name, (e.id for e in note.entries))
            matches = {e.id: (note, e) for e in reversed(note.entries) if e.id in ids} | matches
        if name in matches:
            break
    return matches


def _lost(memory: Memory, name: str, project: Project | None) -> NoReturn:
    whole, kind, heir = _became(memory, name, project)
    hint = "It may have been edited since: an id follows the text. `ctxrepo search` finds it by its words."
    if kind == "forgotten":
        hint = f"It was forgotten; `ctxrepo history ^{whole}` has it still."
    elif heir:
        words = "It is ^{} now, at {}." if kind == "moved" else "It was superseded by ^{} at {}."
        hint = words.format(heir[1].id, heir[1].at)
    elif len(name) < SHORTEST:
        hint = TOO_SHORT
    elif not may_be_derived(name):
        hint = (
            f"An id has 12 characters, 0-9 and a-f; the first {SHORTEST} may do. `ctxrepo search` shows them."
        )
    else:
        hint = where_else(memory, hint)
    raise NotFound(f"there is no entry ^{name}", hint)


def _became(
    memory: Memory, name: str, project: Project | None
) -> tuple[str, Kind | None, tuple[Note, Entry] | None]:
    """The whole id of an entry that is not there under it, what became of it, and what stands for it now."""
    view = evidence_in_view(memory)
    whole = id_meant(name, (entry_id for record in view.beginning(name) for entry_id in names_in(record)))
    evidence = view.about([whole])
    kind, now = fate(evidence, whole)
    if kind is None:
        former = entries_of_renamed(memory, view.renames())
        whole = id_meant(name, former)
        return whole, "moved" if whole in former else None, former.get(whole)
    names = [now]
    if kind == "moved":  # of the places to which two machines moved it one is left
        names += sorted(closure(edits_in(evidence), whole, MOST_HEIRS))
    places = (_located(memory, heir, project) for heir in dict.fromkeys(names) if heir != whole)
    return whole, kind, next(filter(None, places), None)


def entries_of_renamed(memory: Memory, evidence: Iterable[Evidence]) -> dict[str, tuple[Note, Entry]]:
    """Entries of notes that commands moved as a whole, by the ids that they had where the note was before."""
    entries: dict[str, tuple[Note, Entry]] = {}
    former = renamed(evidence)
    # Evidence comes from other machines as well: only a note of ours is opened for what it says.
    for path in sorted(former.keys() & note_paths(memory)) if former else ():
        if note := read_note(memory, path):
            for before in former[path]:
                pairs = zip(entries_of(before, note.text), note.entries, strict=True)
                entries |= {was.id: (note, entry) for was, entry in pairs}
    return entries


def spelt(memory: Memory, path: str) -> str:
    """The path as the only note has it whose path differs at most in case or in the form of its letters: a
    second one would be that note on another machine."""
    if memory.worktree.exists(path):
        return path
    twins = [other for other in note_paths(memory, [path.partition("/")[0]]) if fold(other) == fold(path)]
    return twins[0] if len(twins) == 1 else path


def path_by_now(memory: Memory, path: str) -> str:
    """Where the note is by now that was at `path` before it moved."""
    there = memory.worktree.exists
    former = {} if there(path) else renamed(evidence_in_view(memory).renames())
    return next((now for now, names in former.items() if path in names and there(now)), path)


def entries_of_key(memory: Memory, folder: str, key: str) -> list[Entry]:
    """Entries of a scope that have the key in the worktree, in any case; superseded ones too."""
    key = key.casefold()
    notes = (read_note(memory, path) for path in note_paths(memory, [folder]) if "/archive/" not in path)
    likely = (note for note in notes if note and f"{key}:" in note.text.casefold())
    return [entry for note in likely for entry in note.entries if entry.key.casefold() == key]


def note_paths(memory: Memory, folders: Iterable[str] | None = None) -> list[str]:
    """Paths of all notes in these folders (in all scopes without), sorted; also where a deletion is held."""
    below = [""] if folders is None else [*dict.fromkeys(folders)]
    there = {path for folder in below for path in memory.worktree.scan(folder).files}
    there |= {path for path in undeleted(memory) if {"", path.partition("/")[0]}.intersection(below)}
    return sorted(path for path in there if is_note(path) and "/" in path)


def folders_left_out(memory: Memory) -> Set[str]:
    """The folders with notes of the last commit that a sparse clone hasn't brought; none of a full one."""
    cone = memory.clone.cone
    if cone is None:
        return frozenset()
    names = memory.objects.names_in(memory.head_tree, "")
    folders = (name for name, key in names.items() if key is None and is_folder_name(name))
    return frozenset(folder for folder in folders if not cone.is_whole(folder))


def where_else(memory: Memory, hint: str) -> str:
    """What helps where nothing was found: `hint`, or that it may be in what a sparse clone hasn't brought."""
    if not (left_out := sorted(folders_left_out(memory))):
        return hint
    names = f"{', '.join(left_out[:SHOWN])}{f' and {len(left_out) - SHOWN} more' * (len(left_out) > SHOWN)}"
    return (
        f"It may be in what is not on this machine: {names}. A command that names one of them brings it, as "
        f"`ctxrepo list --scope {left_out[0]}` does."
    )


def undeleted(memory: Memory) -> Set[str]:
    """Files of which so much was deleted by hand that it is held back: all of it is still memory."""
    return _undeleted(memory.state.held, stamp_of(str(memory.state.held)))


@lru_cache(1)
def _undeleted(file: Path, _stamp: str) -> Set[str]:
    """They may be thousands, and whoever reads a note asks for them."""
    return {refusal.path for refusal in KeptOutFile(file).read().by("deletions")}


def kept_notes(memory: Memory) -> list[Note]:
    """The notes on disk that no commit of ours holds: ignored ones, and edited ones that git converts."""
    converted = KeptOutFile(memory.state.held).read().by("converted")
    paths = [*memory.cache.ask(remark_of, "ignored"), *(refusal.path for refusal in converted)]
    notes = (note for path in dict.fromkeys(paths) if (note := read_note(memory, path)))
    known = memory.cache.ask(note_digests) if paths else {}
    return [note for note in notes if known.get(note.path) != digest_of(note.text)]


def read_note(memory: Memory, path: str) -> Note | None:
    """The note as it is now, by `read_data`."""
    data = read_data(memory, path) if is_note(path) else None
    return None if data is None else Note(path, decode_note(data))


def read_data(memory: Memory, path: str) -> bytes | None:
    """The file as it is on disk; one of which deletions are held back without these, as sessions know it."""
    data = data_in_view(memory, path) if path in undeleted(memory) else None
    return memory.worktree.read(path) if data is None else data


def data_in_view(memory: Memory, path: str) -> bytes | None:
    """The file as the last commit has it, and commands since; whatever was done by hand."""
    data = memory.objects.find(memory.head_tree, path)
    for save in memory.journal.read():
        if save.path == path and save.is_command:
            from ctxrepo.domain.merge import merge_file  # 2,000 lines, and nearly always nothing is held

            data = merge_file(path, save.base, save.after, data).data
    return data


def too_large_to_show(path: str, body: str) -> str:
    """What a session isn't shown at its start of a scope's MEMORY.md with this body; '' where it is shown
    all, and for other notes."""
    if path.partition("/")[2] != MEMORY:
        return ""
    from ctxrepo.hooks.packet.lane import DEFAULT  # most notes are others
    from ctxrepo.hooks.packet.note_lanes import MEMORY_LANE

    whole, most = size(body.strip("\n")), MEMORY_LANE.bounds[DEFAULT].cap
    remark = f"of its {whole:,} bytes a session is shown {most:,} at most, its first and its last lines"
    return remark if whole > most else ""


def topic_if_there(path: str, read: Callable[[str], str | None]) -> str:
    """The note in which the category's entries stand: `topics/lessons.md` for `topics/lesson.md`, where that
    note is there and this one isn't, and `topics/completions.md` for `topics/done.md`."""
    folder, _, name = path.removesuffix(".md").rpartition("/")
    names = (name, f"{name}s", *filter(None, [TOPIC_FILES.get(name)]))
    paths = (f"{folder}/{name}.md" for name in names)
    return next((there for there in paths if read(there) is not None), path)
