"""What undo is to take back, and how: what of it is its own by now, and what is to be put there."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from ctxrepo.domain.git.commit import subject_of
from ctxrepo.domain.guard.takeback import difference, emptied, keeping_claims, total, without_records
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.note.note import decode, decode_exactly, encode, encoded
from ctxrepo.domain.project.layout import ANCHORS_FILE, REGISTRY, is_archived, is_evidence, is_note, shown
from ctxrepo.domain.records.evidence import Evidence, evidence_of
from ctxrepo.errors import CtxrepoError, Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import commit_named
from ctxrepo.services.history.conflict_copies import paths_without_kept_version
from ctxrepo.services.reading.marks import (
    Files,
    entries_gone,
    entries_in,
    evidence_at,
    evidence_in,
    moved_to,
    standing_heirs,
)
from ctxrepo.services.reading.places import places_by_now
from ctxrepo.services.saving.merge import merge_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import Operation

_CLAIMS = frozenset({"rename", "link", "unlink"})
"""Operations that are about which folder is whose; for others that is a side effect."""

_MOST_COMMITS = 8
"""Commits of a merge that a message names."""

MOST_OPERATIONS = 1000
"""Operations or commits among which the one is looked for that undo takes back, or that stands in its way."""

WIDTH = 60
"""Characters that a message shows of what was said."""


@dataclass(frozen=True)
class ChangeToUndo:
    """What is to be taken back: the files it changed, as they were `before` and `after` it in `commit`. To
    take a commit off the branch is such a change, too: then `commit` is where the branch left its history."""

    what: str
    saying: str
    commit: str
    before: Files
    after: Files
    is_claim: bool = False
    undoes: str = ""
    """The id of the operation or commit that did it."""
    is_commit: bool = False
    """Whether a whole commit did it."""

    @property
    def operation(self) -> str:
        """What it was: the name of an operation, or the beginning of a commit's id."""
        return self.undoes[:10] if self.is_commit else self.what

    @property
    def name(self) -> str:
        return f"`{shown(self.what, WIDTH)}`"

    @property
    def records(self) -> list[str]:
        """Its files of JSON lines that it changed. A tape that went elsewhere is no such file."""
        moves = any(after is None and p.endswith(".jsonl") for p, after in self.after.items())
        return [
            p
            for p, after in self.after.items()
            if p.endswith(".jsonl")
            and not p.endswith(ANCHORS_FILE)  # who writes it knows no tombstones
            and (is_evidence(p) or (after is not None and (self.before[p] is not None or not moves)))
        ]


def of_operation(operation: Operation) -> ChangeToUndo:
    """What an operation wrote; Refused where it was too much to be noted."""
    if not operation.writes:
        raise Refused(
            f"`{operation.op}` changed too much to be taken back by itself",
            f"`ctxrepo undo {operation.commit[:10]}` takes back the commit that holds it.",
        )
    before = {w.path: encoded(w.before) for w in operation.writes}
    after = {w.path: encoded(w.after) for w in operation.writes}
    is_claim = operation.op in _CLAIMS
    return ChangeToUndo(operation.op, operation.note, operation.commit, before, after, is_claim, operation.id)


def of_commit(memory: Memory, commit_id: str) -> ChangeToUndo:
    """What a commit changed or, if it isn't on the branch, that it was taken off. UsageError for the first
    one and for a merge, Refused for one of a history that was rewritten, or of what is no plain file."""
    objects = memory.objects
    parents = objects.parents(commit_id)
    short = commit_id[:10]
    if not parents:
        raise UsageError(f"{short} is the first commit: before it there was no memory")
    if len(parents) > 1:
        inside = [c for c in objects.new_commits(commit_id, parents[0]) if len(objects.parents(c)) == 1]
        summaries = [f"{c[:10]} {subject_of(objects.header_of(c).message)}" for c in inside[:_MOST_COMMITS]]
        more = f" and {len(inside) - len(summaries)} more" if len(inside) > len(summaries) else ""
        raise UsageError(
            f"{short} is a merge: it brought together what {len(inside)} commits did",
            f"Take back one of them: {'; '.join(summaries)}{more}.",
        )
    was, now = parents[0], commit_id
    if (tip := memory.head) and not objects.contains(tip, commit_id):  # to take it off was the deed
        was, now = commit_id, objects.merge_base(tip, commit_id) or ""
    if not now:
        raise Refused(
            f"{short} has no commit in common with the memory, whose history was rewritten since",
            f"`ctxrepo restore NOTE --at {short}` brings back a note as it was there.",
        )
    changes = objects.diff(objects.tree_of(was), objects.tree_of(now))
    if odd := [p for p, keys in changes.items() if any(key and ":" in key for key in keys)]:
        raise Refused(f"{short} changed {odd[0]}, which is not a plain file", "Take it back with git.")
    before, after = (
        {p: None if keys[n] is None else objects.data(str(keys[n])) for p, keys in changes.items()}
        for n in (0, 1)
    )
    subject = subject_of(objects.header_of(commit_id).message)
    return ChangeToUndo(subject, subject, now, before, after, undoes=commit_id, is_commit=True)


_HOW = "`ctxrepo history` of it shows how"

_FIND = "`ctxrepo history` shows in which commit it is by now, as after an amend: `ctxrepo undo COMMIT`."

_MOST_SAID = 3


class ChangedSince(Refused):
    """What is to be taken back was changed since, in the commit whose id begins with `commit`; '' where no
    single one tells."""

    def __init__(self, message: str, commit: str) -> None:
        super().__init__(message, f"Nothing is done. {_HOW}; `ctxrepo restore` brings back a version.")
        self.commit = commit


class NothingLeft(Refused):
    """Nothing of what is to be taken back is there any more."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "`ctxrepo history` shows what is.")


@dataclass(frozen=True)
class WayBack:
    """What takes a deed back. `changes` has path -> (bytes now, bytes to be). `deed` is what of it is its own
    by now, and `stays` tells of the rest, a line each."""

    deed: ChangeToUndo
    changes: dict[str, tuple[bytes | None, bytes | None]]
    stays: tuple[str, ...]

    def records_back(self, path: str, now: str) -> str:
        """The file of JSON lines as it is to be, from how it is now: others may have added to it. What says
        that something moved stays, as another machine may have built on it; see `moves_back`."""
        before, after = (decode_exactly(side[path] or b"") for side in (self.deed.before, self.deed.after))
        moves = {record.id for record in self._moves(path)}
        lines = after.splitlines(keepends=True) if moves else [after]
        stays = (line for line in lines if not (moves and any(e.id in moves for e in evidence_of(line))))
        return without_records(now, before, "".join(stays))

    def moves_back(self) -> Iterator[Evidence]:
        """Records that what the deed edited or moved has its former id, or path, again."""
        paths = {entry.id: entry.path for entry in entries_in(self.deed.before)}
        for move in chain.from_iterable(map(self._moves, self.deed.records)):
            if move.kind == "renamed":
                yield replace(move, path=move.to, to=move.path)
            else:
                yield replace(move, entry=move.to, to=move.entry, path=paths.get(move.entry, move.path))

    def _moves(self, path: str) -> list[Evidence]:
        """The records in this file that the deed made of what it edited or moved."""
        sides = (self.deed.before, self.deed.after) if is_evidence(path) else ()
        was, became = ([*evidence_of(decode(side[path] or b""))] for side in sides) if sides else ([], [])
        return [record for record in became if record.kind in ("moved", "renamed") and record not in was]


def way_back(memory: Memory, deed: ChangeToUndo, tip: str) -> WayBack:
    """How the deed is taken back in the newest commit. ChangedSince where something that it did was changed
    after it, NothingLeft, and Refused where what it did is somebody else's by now, all of it."""
    try:
        return _way_back(memory, deed, tip)
    except ChangedSince as error:
        if error.commit and can_be_undone(memory, error.commit):
            hint = f"Nothing is done. {_HOW}; `ctxrepo undo {error.commit}` takes that back."
            raise Refused(error.message, hint) from error
        raise


def can_be_undone(memory: Memory, start: str) -> bool:
    """Whether `undo` of the commit whose id begins so would do it; not where that is ''."""
    tip = memory.head if start else None
    try:
        return tip is not None and bool(
            _way_back(memory, of_commit(memory, commit_named(memory, start)), tip)
        )
    except CtxrepoError:
        return False


def _way_back(memory: Memory, deed: ChangeToUndo, tip: str) -> WayBack:
    tree = memory.objects.tree_of(tip)
    if not memory.objects.is_in(tip, deed.commit):
        message = f"the commit of {deed.name} is not in the memory any more"
        stands = _stands(memory, deed, tree)
        if any(stands) and not (all(stands) and memory.objects.has(deed.commit)):
            raise Refused(f"{message}, while a part of what it did is", f"Nothing is done. {_FIND}")
        if not any(stands):
            raise NothingLeft(message)
    deed, edited = _without_edited(memory, deed, tree)
    deed, shared = _without_shared(memory, deed, tree)
    back = WayBack(deed, _changes(memory, deed, tip), (*edited, *shared))
    here = _read(memory, tree, deed.records)
    texts = {path: decode_exactly(data or b"") for path, data in here.items()}
    # Whether the deed changed more than dates and spaces.
    says_other = any(_differ(path, deed.before[path], data) for path, data in deed.after.items())
    paths = {p for p, sides in back.changes.items() if _differ(p, *sides) or not says_other}
    paths |= {p for p, text in texts.items() if back.records_back(p, text) != text}
    if all(map(is_evidence, paths)) and not all(map(is_evidence, deed.after)):
        raise NothingLeft(f"nothing that {deed.name} did is there any more")
    return back


def _stands(memory: Memory, deed: ChangeToUndo, tree: str | None) -> list[bool]:
    """Of each entry that the deed added whether it is there, of each that it took away whether it is not."""
    came, went = entries_gone(deed.after, deed.before), entries_gone(deed.before, deed.after)
    there = {entry.id for entry in entries_in(_read(memory, tree, deed.after))}
    return [entry.id in there for entry in came] + [entry.id not in there for entry in went]


def _differ(path: str, was: bytes | None, new: bytes | None) -> bool:
    """Whether one is a file and the other isn't, or they say something else."""
    return (was is None) != (new is None) or total({path: was}) != total({path: new})


def _changes(memory: Memory, deed: ChangeToUndo, tip: str) -> dict[str, tuple[bytes | None, bytes | None]]:
    """What merging the way back of a deed into the newest commit changes, as WayBack has it."""
    objects = memory.objects
    head = objects.tree_of(tip)
    records = set(deed.records)
    archived = _archived_since(memory, deed, tip)
    deed = _elsewhere(memory, _at(deed, archived), tip)
    after = {p: data for p, data in deed.after.items() if p not in records}
    before = _ways_back(deed, after, _read(memory, head, after))
    left_behind = dict.fromkeys(archived)  # else its edit would take the note out of the archive
    tree = objects.edit(objects.tree_of(deed.commit), left_behind)
    base, theirs = (objects.edit(tree, objects.store_files(side)) for side in (after, before))
    merged = merge_of(memory, base, head, theirs, keeps_names=True)
    changes = objects.diff(head, merged.tree)
    now = {path: merged.moves.get(path, path) for path in after}
    paths = {*after, *now.values(), *changes}
    here, there = _read(memory, head, paths), _read(memory, merged.tree, paths)
    expected = total(here)
    expected.subtract(total(after))
    expected.update(total(before))
    for path in (p for p in after if after[p] is None):  # its deletion lost to a change that another made
        expected.subtract(total({path: here[path]}) & total({path: before[path]}))
    left = difference(total(there), expected)
    lost = [p for p in after if before[p] is not None and after[p] is None and there[now[p]] is None]
    lost += paths_without_kept_version(before, after, there)
    stays = [p for p in after if before[p] is None and there[p] is not None]
    if merged.conflict_copies or left or lost or stays:
        fought_over = [f"{a.path}: {shown(normalised(a.base), WIDTH)}" for a in merged.conflict_copies]
        in_the_way = dict.fromkeys(fought_over or lost or stays or _holding(left, here, there, after))
        later = _change_since(memory, deed, tip, {*paths, *merged.moves.values()})[:10]
        raise ChangedSince(
            f"{deed.name} can't be taken back, because it was changed since{' in ' * bool(later)}{later}: "
            f"{'; '.join(list(in_the_way)[:_MOST_SAID])}",
            later,
        )
    return {p: (here[p], there[p]) for p in changes}


def _elsewhere(memory: Memory, deed: ChangeToUndo, tip: str) -> ChangeToUndo:
    """The deed, with each note that it removed, and that a merge kept where another machine had moved it, at
    that place: it isn't to come back beside itself."""
    after, head = total(deed.after), memory.objects.tree_of(tip)
    removed = (p for p, data in deed.after.items() if data is None and is_note(p))
    gone = {p: units for p in removed if not (units := total({p: deed.before[p]})) & after}
    parent = next(iter(memory.objects.parents(deed.commit)), None) if gone else None
    places = moved_to(memory.objects, head, gone) | places_by_now(memory.objects, gone, parent, tip)
    here = _read(memory, head, {*places, *places.values()})
    moves = {p: now for p, now in places.items() if here[p] is None and gone[p] & total({now: here[now]})}
    return _at(deed, moves)


def _archived_since(memory: Memory, deed: ChangeToUndo, tip: str) -> dict[str, str]:
    """path -> where in the archive it is by now, of each note that the deed changed and did not archive."""
    objects, head = memory.objects, memory.objects.tree_of(tip)
    paths = [p for p, data in deed.after.items() if data and deed.before[p] and is_note(p)]
    there = objects.files(head, paths)
    gone = [p for p in paths if p not in there and not is_archived(p)]
    places = places_by_now(objects, gone, deed.commit, tip) if gone else {}
    return {p: now for p, now in places.items() if is_archived(now) and now not in deed.after}


def _at(deed: ChangeToUndo, places: Mapping[str, str]) -> ChangeToUndo:
    """The deed, with its files at these places."""
    before, after = (
        {places.get(p, p): data for p, data in side.items()} for side in (deed.before, deed.after)
    )
    return replace(deed, before=before, after=after)


def _change_since(memory: Memory, deed: ChangeToUndo, tip: str, paths: Collection[str]) -> str:
    """The newest commit that changed something of what a deed did, in one of `paths`; '' where none did."""
    objects = memory.objects
    own = {*difference(total(deed.after), total(deed.before))}
    for later in islice(objects.new_commits(tip, deed.commit), MOST_OPERATIONS):
        trees = [objects.tree_of(commit) for commit in (*objects.parents(later), later)]
        files = [objects.files(tree, paths) for tree in trees]
        if len(files) == 2 and files[0] != files[1]:
            before, after = (total(_read(memory, tree, paths)) for tree in trees)
            if own.intersection(difference(before, after)):
                return later
    beside = _read(memory, objects.tree_of(deed.commit), deed.after)  # in its own commit
    return deed.commit if own.intersection(difference(total(deed.after), total(beside))) else ""


def _ways_back(deed: ChangeToUndo, after: Files, here: Files) -> dict[str, bytes | None]:
    """The files to be merged back. A note that came with the deed and got words since loses only its own."""
    takes_away = any(data is None for data in after.values())
    before = {path: deed.before[path] for path in after}
    for path, data in after.items():
        if before[path] is None and here[path] not in (None, data) and not takes_away:
            before[path] = encode(emptied(decode_exactly(data or b"")))
    if REGISTRY in after and not deed.is_claim:
        texts = (decode(side[REGISTRY] or b"") for side in (before, after, here))
        before[REGISTRY] = encode(keeping_claims(*texts))
    return before


def _read(memory: Memory, tree: str | None, paths: Iterable[str]) -> dict[str, bytes | None]:
    """path -> bytes in a tree, None where there is no file."""
    objects = memory.objects
    keys = objects.files(tree, names := list(paths))
    return {p: objects.data(keys[p]) if p in keys else None for p in names}


def _holding(units: Iterable[str], *sides: Files) -> Iterator[str]:
    """What is in the way, as `path: words`, as far as a file has it."""
    for unit in islice(units, _MOST_SAID):
        place = next((p for side in sides for p, data in side.items() if total({p: data})[unit]), "")
        yield f"{place}: {shown(unit, WIDTH)}" if place else shown(unit, WIDTH)


def _without_shared(memory: Memory, deed: ChangeToUndo, tree: str | None) -> tuple[ChangeToUndo, list[str]]:
    """The deed without the entries that it added and that somebody else has stated, too; and a line about
    each of these. Refused where it did nothing else."""
    come = entries_gone(deed.after, deed.before)
    own = evidence_in({path: data for path, data in deed.after.items() if data and is_evidence(path)})
    hosts = {record.host for record in own}
    stated: set[str] = set()
    for record in sorted(evidence_at(memory.objects, tree) if come and own else (), key=lambda e: e.ts):
        if record.kind == "forgotten":
            stated.discard(record.entry)
        elif record.kind == "stated" and record.host not in hosts:
            stated.add(record.entry)
        elif record.kind == "moved" and record.source and record.host not in hosts:  # brought by an import
            stated.add(record.to)
    shared = [entry for entry in come if entry.id in stated]
    lines = [f"`{shown(normalised(e.text), WIDTH)}` stays: somebody else remembered it, too" for e in shared]
    if lines and len(shared) == len(come) and not entries_gone(deed.before, deed.after):
        hint = f"Nothing is done. `ctxrepo forget ^{shared[0].id}` takes it away for all."
        raise Refused(f"{deed.name} can't be taken back: {lines[0]}", hint)
    return replace(deed, after=_without(deed.after, shared)), [f"* {line}" for line in lines]


def _without_edited(memory: Memory, deed: ChangeToUndo, tree: str | None) -> tuple[ChangeToUndo, list[str]]:
    """The deed without what it took away that stands, as somebody edited it meanwhile: both would stand; and
    a line about each of these. Refused where it took away nothing else."""
    heirs = standing_heirs(memory.objects, tree, deed.before, deed.after)
    lines = [
        f"`{shown(normalised(entry.text), WIDTH)}` is there, changed meanwhile, as ^{heir.id}"
        for entry, heir in heirs.items()
    ]
    if lines and len(heirs) == len(entries_gone(deed.before, deed.after)):
        hint = f"Nothing is done. `ctxrepo restore ^{next(iter(heirs)).id}` brings back what it said."
        raise Refused(f"{deed.name} can't be taken back: {lines[0]}", hint)
    return replace(deed, before=_without(deed.before, [*heirs])), [f"* {line}" for line in lines]


def _without(files: Files, entries: Sequence[Entry]) -> dict[str, bytes | None]:
    """The files without these entries of theirs, which are in the order of the text."""
    rest = dict(files)
    for entry in reversed(entries):
        rest[entry.path] = encode(compose.replace(decode_exactly(rest[entry.path] or b""), entry, ""))
    return rest
