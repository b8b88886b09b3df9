"""What goes along when something moves or is edited without a command: what is recorded of entries, in
commits and merges (ADR 79), the notes of a project whose folder gets another name, and what is written to
the path that a note or a project had before."""

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.jsonl import with_room
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.oid import blob_id, blob_id_of
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.merge.tree.moves import moves_of
from ctxrepo.domain.merge.tree.surroundings import Blobs
from ctxrepo.domain.note.entry import Entry, entries_of, moved, same_texts
from ctxrepo.domain.note.note import decode, decode_exactly, encode, units_of
from ctxrepo.domain.project.layout import (
    EVIDENCE,
    REGISTRY,
    anchors_file,
    is_aside,
    is_evidence,
    is_note,
    moved_path,
    scope_of,
    tapes_of,
)
from ctxrepo.domain.project.registry import is_folder_name, parse, with_project
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.evidence import Evidence, Kind, latest_successors, renamed, to_line
from ctxrepo.domain.records.save import TOOL
from ctxrepo.domain.text import blake2b
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.reading.evidence_view import EvidenceView
from ctxrepo.services.reading.marks import (
    evidence_at,
    evidence_in,
    evidence_keys,
    evidence_path,
    moment_after,
    named_by,
    newest_moment,
)
from ctxrepo.services.reading.places import below, folders_by_now, places_by_now
from ctxrepo.services.saving.pending import Pending
from ctxrepo.storage.cache.evidence_rows import EvidenceFiles
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.worktree.worktree import FileUpdate

if TYPE_CHECKING:
    from ctxrepo.storage.objects.store import Objects

MOST_RENAMES = 100
"""Of more notes that move at once, as with a folder, the history tells where they are."""

MOST_MOVES = 1000
"""So many entries of which nothing is said are followed to another note in one commit: as the one note is no
successor of the other, a merge couldn't tell that what another machine makes of an entry is that entry."""


def moved_evidence(
    memory: Memory,
    changes: Mapping[str, bytes | None],
    moves: Mapping[str, str],
    tree: str | None,
    now: datetime,
) -> dict[str, bytes]:
    """The evidence file with a `renamed` record for every note that moved without a command, as `moves`
    tells, and a `moved` record for every entry that `changes` move to another note, or edit, or move with
    its note, while evidence names it: else correcting a typo would lose a pin. Commands have already recorded
    what they moved, forgot or replaced."""
    committed = evidence_keys(memory, tree)
    files = {p: data for p, data in changes.items() if data is not None and is_evidence(p)}

    def bytes_of(path: str) -> bytes:
        key = committed.get(path)
        return files[path] if path in files else memory.objects.data_or_empty(key) if key else b""

    keys = committed | {path: blob_id(data) for path, data in files.items()}
    view = EvidenceView(memory.cache, EvidenceFiles(keys, bytes_of))
    replaced = {p: memory.objects.data_or_empty(committed[p]) for p in files if p in committed}
    known = {e.id for e in evidence_in(replaced)}
    since = [e for e in evidence_in(files) if e.id not in known]
    heir = latest_successors(since)
    stated = {(e.path, e.entry) for e in since if e.kind == "stated"}
    gone_ids = {e.entry for e in since if e.kind in ("moved", "forgotten")}
    head = {path: key for path, key in memory.objects.files(tree, changes).items() if is_note(path)}
    notes = {path: data for path, data in changes.items() if data is not None and is_note(path)}
    stay = {path: path for path in head if path in notes}
    went = {old: new for old, new in sorted(moves.items()) if old in head and new in notes}
    renames = islice(went.items(), MOST_RENAMES)
    records: list[tuple[Kind, str, str, str]] = [("renamed", "", *rename) for rename in renames]
    blobs = Blobs(memory.objects.data_or_empty, view.every)
    was = {path: memory.objects.data_or_empty(key) for path, key in head.items()}
    named = named_by(view.naming(e.id for path, data in was.items() for e in entries_of(path, decode(data))))
    likely = moves_of(head, {**notes, **{path: head[path] for path in stay}}, head, blobs)
    for old_path, note in {**likely, **went, **stay}.items():
        before = entries_of(old_path, decode(was[old_path]))
        young = {entry for path, entry in stated if path == note}
        for old, new in _moved_scopes(before, entries_of(note, decode(notes[note])), heir, young):
            if old in named and old not in gone_ids:
                records.append(("moved", old, note, new))
    known_olds = {r[1] for r in records} | gone_ids
    known_news = {r[3] for r in records} | {e for _, e in stated}
    olds = [e for e in _gone(was, notes) if e.id not in known_olds]
    news = [e for e in _gone(notes, was) if e.id not in known_news] if olds else []
    by_hand = [(old, new) for old, new in same_texts(olds, news) if old.id != new.id]
    records += [("moved", old.id, new.path, new.id) for old, new in by_hand if old.id in named]
    split = _split(by_hand, notes)
    others = ((old, new) for old, new in by_hand if old.id not in named and old.path in split)
    records += [("moved", old.id, new.path, new.id) for old, new in islice(others, MOST_MOVES)]
    at = max(stamp(now), moment_after(newest_moment(memory), now))
    by = _tools(memory, {path for kind, _, path, _ in records if kind == "moved"})
    lines = [
        to_line(Evidence(random_name(), at, kind, entry, path, to, memory.host, by.get((path, to), "")))
        for kind, entry, path, to in records
    ]
    return _appended(bytes_of, evidence_path(memory.host, now, bytes_of), lines)


def _tools(memory: Memory, paths: Collection[str]) -> dict[tuple[str, str], str]:
    """(path, id of an entry) -> the session whose tool wrote it first, of what no commit holds yet."""
    saves = [
        save for save in memory.journal.read() if save.op == TOOL and save.path in paths and save.by.session
    ]
    return {
        (save.path, entry.id): save.by.session
        for save in reversed(saves)
        for entry in entries_of(save.path, decode(save.after or b""))
    }


def _split(pairs: Iterable[tuple[Entry, Entry]], notes: Container[str]) -> set[str]:
    """The paths of the notes of which only a part went to another; `pairs` are entries that moved."""
    places: defaultdict[str, set[str]] = defaultdict(set)
    for old, new in pairs:
        places[old.path].add(new.path)
    return {path for path, new in places.items() if len(new) > 1 or (path in notes and new != {path})}


def _gone(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Entry]:
    """The entries that notes have `before` a change and not `after` it, under the same path."""
    entries = []
    for path, data in before.items():
        stay = {entry.id for entry in entries_of(path, decode(after.get(path, b"")))}
        entries += [entry for entry in entries_of(path, decode(data)) if entry.id not in stay]
    return entries


def with_moved_evidence(
    objects: "Objects", moves: Mapping[str, str], sides: Iterable[str | None], merged: str
) -> str:
    """The tree `merged` with a `moved` record for every entry of which something is said, and whose note has
    another path in the merge than on one of the `sides`, by `moves`: one machine moved the note while another
    pinned or superseded the entry; and a `renamed` one for a note that a machine had moved elsewhere.
    Every machine that merges these makes the same records."""
    if not moves:
        return merged
    evidence = evidence_at(objects, merged)
    by_time = sorted(evidence, key=lambda e: e.ts)
    newest = {name: record.ts for record in by_time for name in (record.path, record.entry, record.to)}
    known = {(record.entry, record.to) for record in evidence if record.kind == "moved"}
    now = objects.files(merged, {*moves, *moves.values()})
    moves = {old: new for old, new in moves.items() if old in newest and new in now}
    went = moves.keys() & renamed(evidence).keys() - now.keys()
    lines = {_of_merge("renamed", "", old, moves[old], newest) for old in went}
    for tree in sides:
        for path, key in objects.files(tree, moves).items():
            files = ((path, key), (to := moves[path], now[to]))
            before, after = (entries_of(name, decode(objects.data_or_empty(oid))) for name, oid in files)
            for old, new in same_texts(before, after):
                if old.id != new.id and old.id in newest and (old.id, new.id) not in known:
                    lines.add(_of_merge("moved", old.id, to, new.id, newest))
    texts = {path: objects.data_or_empty(key) for path, key in objects.below(merged, EVIDENCE).items()}
    more = _appended(
        lambda path: texts.get(path, b""), with_room(f"{EVIDENCE}/merges", texts.get), sorted(lines)
    )
    return objects.edit(merged, objects.store_files(more)) if more else merged


def _of_merge(kind: Kind, entry: str, path: str, to: str, newest: Mapping[str, str]) -> str:
    """The line of a record that a merge makes, as `newest` as what it follows from."""
    # `~` comes last: it may lead back what a command moved at the same time.
    old = entry or path
    name = "~" + blake2b(encode(f"{old} {to}"), digest_size=8).hexdigest()
    return to_line(Evidence(name, max(newest[old], newest.get(to, "")), kind, entry, path, to))


def _appended(bytes_of: Callable[[str], bytes], path: str, lines: Sequence[str]) -> dict[str, bytes]:
    text = bytes_of(path)
    gap = b"" if not text or text.endswith(b"\n") else b"\n"
    return {path: text + gap + encode("".join(f"{line}\n" for line in lines))} if lines else {}


def _moved_scopes(
    before: list[Entry], after: list[Entry], heir: Mapping[str, str], young: Collection[str]
) -> Iterator[tuple[str, str]]:
    """(old id, new id) of the entries of a note that were edited. The old id is the replacement's (one of
    `young`) where an entry was replaced since the last commit, and its replacement edited."""
    there = {entry.id for entry in after}
    for old, new in moved(before, after):
        stands = heir.get(old.id, old.id)
        if stands != new.id:
            yield stands if stands in young and stands not in there else old.id, new.id


_MOST_COMMITS = 50
"""In so many commits a folder is looked for that has gone."""


def moved_projects(
    memory: Memory, changes: Mapping[str, bytes | None], head: str | None
) -> dict[str, bytes | None]:
    """What a commit of `changes` on top of `head` adds for projects whose folders were renamed by hand: the
    registry with their new names, and their tapes below these. The new folder is one that no project has,
    and holds, under the same names, most of the files that the old one held."""
    if head is None:
        return {}
    objects = memory.objects
    tree = objects.tree_of(head)
    data = changes[REGISTRY] if REGISTRY in changes else objects.find(tree, REGISTRY)
    text = decode_exactly(data or b"")
    projects = parse(text).projects
    was = parse(decode(objects.find(tree, REGISTRY) or b"")).projects
    top = objects.items(tree)
    emptied = {scope_of(path) for path, new in changes.items() if new is None}
    if not any(folder in emptied or folder not in top for folder in projects.values()):
        return {}
    after = objects.edit(tree, objects.store_files(changes))
    names = objects.names_in(after, "")
    unclaimed = {name for name, key in names.items() if key is None and is_folder_name(name)}
    unclaimed -= {*projects.values(), memory.global_folder}
    more: dict[str, bytes | None] = {}
    for identity, old in projects.items():
        # A command may have named it anew since the last commit, and moved the folder.
        folders = [old, *(folder for folder in [was.get(identity, old)] if folder not in names)]
        if old not in names and (new := _new_name(memory, head, after, folders, unclaimed)):
            unclaimed.discard(new)
            text = with_project(text, identity, new)
            more[REGISTRY] = encode(text)
            for path in (*objects.below(after, tapes_of(old)), anchors_file(old)):
                if (tape := objects.find(after, path)) is not None:
                    more |= {path: None, moved_path(path, old, new): tape}
    return more


def _new_name(memory: Memory, head: str, after: str, olds: Sequence[str], unclaimed: set[str]) -> str:
    """The one of the folders `unclaimed` that holds what the first of the folders `olds` held that commits
    have; '' if none does."""
    folders = ((old, files) for old in olds for files in islice(_files_of(memory, head, old), 1))
    old, before = next(folders, ("", {})) if unclaimed else ("", {})
    if not before:
        return ""
    shared = {
        name: sum(moved_path(path, old, name) in files for path in before)
        for name in sorted(unclaimed)
        if (files := memory.objects.below(after, name))
    }
    best = max(shared, key=lambda name: shared[name], default="")
    return best if best and 2 * shared[best] > len(before) else ""


def _files_of(memory: Memory, head: str, folder: str) -> Iterator[Mapping[str, object]]:
    """The files of a folder in the newest commits that have it."""
    for commit in islice(memory.objects.recent(head), _MOST_COMMITS):
        if files := memory.objects.below(memory.objects.tree_of(commit), folder):
            yield files


_MOST_COMMITS = 500
"""In so many commits, the newest, we look for the note that was at a path: an agent knows the paths that its
session began with, and an editor those that it opened."""


def follow_moves(memory: Memory, pending: Pending, head: str) -> Mapping[str, str]:
    """Take what was written to paths that no commit has any more to where their notes are in `head`: a
    writer's changes of a note that was there, and whole notes in a folder that was a project's. Returns old
    path -> new path. The write lock is held."""
    by_command = {save.path for save in pending.saves if save.is_command}
    new = [p for p, ground in pending.grounds.items() if ground.base is None and pending.on_disk.get(p)]
    tops = set(memory.objects.names_in(pending.tree, "")) if new else set()
    strays = [p for p in new if is_note(p) and p not in by_command]
    known = memory.objects.files(pending.tree, strays)
    moves = {}
    for path in (path for path in strays if path not in known):
        data = pending.on_disk[path]
        for place, was in _places(memory, path, data, head, is_in_new_folder=scope_of(path) not in tops):
            if _put(memory, (path, place), (was, data)):
                moves[path] = place
    memory.journal.move(moves)
    return moves


def _places(
    memory: Memory, path: str, data: bytes | None, head: str, *, is_in_new_folder: bool
) -> Iterator[tuple[str, bytes | None]]:
    """Where the note at a path is by now, if it moved, and what it said when it was last at that path."""
    objects = memory.objects
    for commit in islice(objects.recent(head), _MOST_COMMITS):
        if key := objects.files(objects.tree_of(commit), [path]).get(path):
            was = objects.data_or_empty(key)
            place = places_by_now(objects, [path], commit, head).get(path, path)
            shared = units_of(path, was) & units_of(path, data)
            is_edit = shared.total() * 2 >= units_of(path, was).total()
            # Where no file is at the new path, a hand has given the note its old name again.
            if place != path and is_edit and not is_aside(place) and memory.worktree.exists(place):
                yield place, was
            return
    place = below(folders_by_now(objects, None, head), path) if is_in_new_folder else path
    folder = scope_of(place)
    is_there = folder in read_registry(memory).projects.values() and memory.worktree.scan(folder).files
    if place != path and is_there:
        yield place, None


def _put(memory: Memory, paths: tuple[str, str], edit: tuple[bytes | None, bytes | None]) -> bool:
    """Put what was written to the first path into the file at the second; False where somebody writes to one
    of them right now: the next commit looks again."""
    (path, place), (was, data) = paths, edit
    on_disk = memory.worktree.read(place)
    merged = merge_file(place, was, data, on_disk) if on_disk is not None else None
    memory.worktree.write_all(dict(map(copy_as_file, merged.conflict_copies if merged else ())))
    update = FileUpdate(blob_id_of(on_disk), merged.data if merged else data)
    if memory.worktree.update_unchanged({place: update}):
        return False
    return not memory.worktree.update_unchanged({path: FileUpdate(blob_id_of(data), None)})
