"""What was said of entries: where it stands, in the files or in a commit, to which marks it amounts, and what
stands for entries that somebody edited."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.jsonl import with_room
from ctxrepo.domain.formats.moment import month, seconds_of, stamp
from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import decode, decode_exactly
from ctxrepo.domain.project.layout import EVIDENCE, is_evidence, is_note, scope_of
from ctxrepo.domain.records.evidence import (
    MOST_HEIRS,
    Evidence,
    Marks,
    closure,
    edits_in,
    evidence_of,
    marks,
    names_in,
    places_of_keys,
    renamed,
)
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.storage.cache.evidence_rows import EvidenceFiles
from ctxrepo.storage.memory import Memory

if TYPE_CHECKING:
    from ctxrepo.storage.objects.store import Objects


def evidence_path(host: str, now: datetime, there: Callable[[str], Sized | None]) -> str:
    """This machine's evidence file of the month that has room; `there` gives the content of a file."""
    return with_room(f"{EVIDENCE}/{host}-{month(now)}", there)


def newest_moment(memory: Memory) -> str:
    """The moment of the newest record, '' for none. A machine's newest is the last one of its last file."""
    last = {path.rpartition("-")[0]: path for path in sorted(memory.worktree.scan(EVIDENCE).files)}
    ends = ((memory.worktree.read(path) or b"").rstrip().rpartition(b"\n")[2] for path in last.values())
    moments = (record.ts for end in ends for record in evidence_of(decode(end)))
    return max((moment for moment in moments if seconds_of(moment) is not None), default="")


def moment_after(moment: str, now: datetime) -> str:
    """The next moment after one of the future; else ''."""
    if moment <= stamp(now):
        return ""
    try:
        return stamp(datetime.fromisoformat(moment) + timedelta(milliseconds=1))
    except OverflowError:  # in the year 9999
        return moment


def evidence_keys(memory: Memory, tree: str | None) -> dict[str, str]:
    """path -> blob id of every evidence file in a tree."""
    return {path: key for path, key in memory.objects.below(tree, EVIDENCE).items() if ":" not in key}


def evidence_files(memory: Memory, tree: str | None) -> EvidenceFiles:
    """The evidence files of a tree, read where they are needed."""
    keys = evidence_keys(memory, tree)
    return EvidenceFiles(keys, lambda path: memory.objects.data_or_empty(keys[path]))


def evidence_at(objects: "Objects", *trees: str | None) -> list[Evidence]:
    """All that is said of entries in some trees; what several have, once."""
    keys = {key for tree in trees for key in objects.below(tree, EVIDENCE).values() if ":" not in key}
    return evidence_in({key: objects.data_or_empty(key) for key in sorted(keys)})


def moved_to(objects: "Objects", tree: str | None, paths: Collection[str]) -> dict[str, str]:
    """path -> where its note is by now, of those of these paths that a record in a tree says have moved."""
    by_now = _by_now(evidence_at(objects, tree)) if paths else {}
    return {old: new for old, new in by_now.items() if old in paths}


def _by_now(evidence: Iterable[Evidence]) -> dict[str, str]:
    """Each path that a note had -> its path by now."""
    return {old: new for new, names in renamed(evidence).items() for old in names}


def evidence_now(memory: Memory) -> list[Evidence]:
    """All that was said of entries, as the files have it now. It takes long where they are many: whoever asks
    about some entries asks `evidence_in_view`."""
    return evidence_in_view(memory).every()


def marks_now(memory: Memory, ids: Iterable[str]) -> Marks:
    """The marks of some entries, and of those that became of them, as the files have it now."""
    return marks(evidence_in_view(memory).about(ids))


def records_about(memory: Memory, ids: Collection[str], paths: Collection[str]) -> list[Evidence]:
    """What was said of an entry that has, had or got one of these ids, and of the renaming of notes to or
    from these paths; oldest first."""
    view = evidence_in_view(memory)
    known, fresh, all_records = {*ids}, {*ids}, set[Evidence]()
    while fresh and len(known) <= MOST_HEIRS:
        records = {*view.naming(fresh)} - all_records
        all_records |= records
        fresh = {name for e in records if e.kind == "moved" for name in names_in(e)} - known
        known |= fresh
    all_records |= {e for e in view.renames() if {e.path, e.to} & {*paths}}
    return sorted(all_records, key=lambda e: (e.ts, e.id))


_MAKING = ("stated", "moved", "forgotten", "superseded")


def records_made(objects: "Objects", commit: str, parents: Sequence[str]) -> list[Evidence]:
    """The records that a commit added which say that entries were stated, edited, moved, forgotten or
    replaced, the oldest first."""
    new = set[bytes]()
    for path, keys in objects.changed_by(commit, parents).items():
        if is_evidence(path):
            was, now = ({*(objects.file_or_none(key) or b"").split(b"\n")} for key in keys)
            new |= now - was
    records = (e for e in evidence_of(decode(b"\n".join(new))) if e.kind in _MAKING)
    return sorted(records, key=lambda e: (e.ts, e.id))


def named_in_evidence(memory: Memory, ids: Iterable[str]) -> set[str]:
    """Those of these ids of which something was said, as the files have it now."""
    ids = {*ids}
    return ids & named_by(evidence_in_view(memory).naming(ids))


def stated_keys(memory: Memory, keys: Collection[str] | None = None) -> dict[str, set[str]]:
    """Folder of a scope -> the keys under which commands stated something there, in small letters; all, or
    those of some."""
    known = keys_in(evidence_in_view(memory).keyed(keys))
    return known if keys is None else {folder: {*keys} & those for folder, those in known.items()}


def keys_in(evidence: Iterable[Evidence]) -> defaultdict[str, set[str]]:
    """The same, of some evidence."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for path, key in places_of_keys(evidence):
        keys[scope_of(path)].add(key)
    return keys


def evidence_in(files: Mapping[str, bytes]) -> list[Evidence]:
    """All records in some evidence files, by path -> bytes."""
    return [e for data in files.values() for e in evidence_of(decode(data))]


def named_by(evidence: Iterable[Evidence]) -> set[str]:
    """The ids of the entries that records are about."""
    return {name for record in evidence for name in names_in(record)}


Files = Mapping[str, bytes | None]
"""path -> bytes, None for no file."""


def note_versions(objects: "Objects", old: str | None, new: str | None) -> tuple[Files, Files]:
    """The notes in which two trees differ, as the one and as the other has them."""
    changes = {p: keys for p, keys in objects.diff(old, new).items() if is_note(p)}
    before, after = (
        {path: objects.data_or_empty(key) if (key := keys[side]) else None for path, keys in changes.items()}
        for side in (0, 1)
    )
    return before, after


def entries_gone(before: Files, after: Files) -> list[Entry]:
    """The entries that notes had `before` a change, and none of them has `after` it."""
    ids = {entry.id for entry in entries_in(after)}
    return [entry for entry in entries_in(before) if entry.id not in ids]


def standing_heirs(objects: "Objects", tree: str | None, before: Files, after: Files) -> dict[Entry, Entry]:
    """Entry -> what stands for it in a tree by now, of those that went in a change and that were edited or
    moved elsewhere; not of those of which the change itself did that."""
    entries = entries_gone(before, after)
    evidence = evidence_at(objects, tree) if entries else []
    edits, by_now = edits_in(evidence), _by_now(evidence)
    known = {entry.id for entry in entries_in(after)}
    heirs = {entry: closure(edits, entry.id, MOST_HEIRS) for entry in entries}
    heirs = {entry: ids for entry, ids in heirs.items() if ids.isdisjoint(known)}
    heir_ids = {heir for ids in heirs.values() for heir in ids}
    paths = (record.path for record in evidence if record.kind == "moved" and record.to in heir_ids)
    notes = {path: objects.find(tree, path) for path in sorted({by_now.get(p, p) for p in paths})}
    there = {entry.id: entry for entry in entries_in(notes) if entry.id in heir_ids}
    standing = ((entry, sorted(ids & there.keys())) for entry, ids in heirs.items())
    return {entry: there[ids[0]] for entry, ids in standing if ids}


def entries_in(files: Files) -> list[Entry]:
    """All entries of the notes among some files."""
    notes = ((path, decode_exactly(data or b"")) for path, data in files.items() if is_note(path))
    return [entry for note in notes for entry in entries_of(*note)]
