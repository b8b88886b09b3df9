"""The last command, or a commit, is taken back by one more write."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice

from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.guard.takeback import (
    UNDO,
    difference,
    emptied,
    keeping_claims,
    named,
    told_back,
    total,
    way_back_of,
    without_records,
)
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode, decode_exactly, encode, encoded
from ctxrepo.domain.project.layout import REGISTRY, is_evidence, is_note, shown
from ctxrepo.domain.tape.anchors import anchors_of, to_line
from ctxrepo.errors import Busy, CtxrepoError, NotFound, Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.change_to_undo import WIDTH, ChangeToUndo, of_commit, of_operation
from ctxrepo.services.history.commits import commit_named
from ctxrepo.services.history.conflict_copies import paths_without_kept_version
from ctxrepo.services.reading.marks import (
    Files,
    entries_gone,
    evidence_at,
    evidence_in,
    moved_to,
    standing_heirs,
)
from ctxrepo.services.reading.tape_files import BY_ITSELF, MOMENT, told_handoff
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.describe import describe
from ctxrepo.services.saving.merge import merge_of
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.committed_records import Operation

_UNASKED = frozenset({BY_ITSELF, MOMENT})
"""Operations that no user asked for, so that none is meant by the last command."""

_HOW = "`ctxrepo history` of it shows how"

_MOST_OPERATIONS = 1000
"""Operations among which the one is looked for that undo takes back."""


@dataclass(frozen=True)
class Undone:
    """What was taken back: an operation's name, or the subject of a commit. `commit` has what was taken back,
    '' for what no commit has; where that is that a commit was taken off the branch, it is the last one that
    both have. `lines` tell of entries, anchors and whole notes: `- ` is gone again, `+ ` is back, `~ ` reads
    as it did; `* ` tells of what moved back, and of what stays as somebody edited it.
    `next_undo` and `next_redo` name what these would change now, '' for nothing. The ways back of `remember`
    are `undo remember` and `redo remember`."""

    what: str
    saying: str
    commit: str
    paths: tuple[str, ...]
    lines: tuple[str, ...]
    next_undo: str = ""
    next_redo: str = ""


def undo(memory: Memory, origin: Origin, now: datetime, *, only: str = "") -> Undone:
    """Take back the last write of a command on this machine, or of an agent's session, that still stands;
    with `only` the last of that name. What was written since stays: Refused, with nothing done, where the
    very thing was changed."""
    _require_all_committed(memory, now)
    standing, undone = _steps(memory, origin.session, only)
    if not standing:
        whose, when = f"`{only}` " if only else "", "before" if undone else "lately"
        raise NotFound(
            f"there is nothing {'more ' if undone else ''}to take back: "
            f"no {whose}command of ours wrote anything {when}",
            "`ctxrepo history` shows what happened; `ctxrepo undo COMMIT` takes back one commit of it.",
        )
    done = _take_back_operation(memory, standing[0], origin, now)
    before = standing[1] if standing[1:] else None
    return replace(done, next_undo=_name(before), next_redo=_name(standing[0]))


def redo(memory: Memory, origin: Origin, now: datetime) -> Undone:
    """Do again what the last undo took back; NotFound when a command wrote something since."""
    _require_all_committed(memory, now)
    standing, undone = _steps(memory, origin.session)
    if not undone:
        since = f" since {_name(standing[0])}" if standing else ""
        raise NotFound(
            f"there is nothing to do again: nothing was undone{since}",
            "`ctxrepo history` shows each undo as a commit, and `ctxrepo undo COMMIT` takes that back.",
        )
    done = _take_back_operation(memory, undone[0], origin, now)
    return replace(done, next_undo=_name(undone[0]), next_redo=_name(undone[1] if undone[1:] else None))


def undo_commit(memory: Memory, start: str, origin: Origin, now: datetime) -> Undone:
    """Take back what the commit did whose id begins with `start`, whoever made it; of one that was made here
    and isn't on the branch any more, as after a reset, that it was taken off."""
    _require_all_committed(memory, now)
    done = _take_back(memory, of_commit(memory, commit_named(memory, start)), origin, now)
    return replace(done, next_redo=done.what)


def _name(operation: Operation | None) -> str:
    return shown(named(operation.op, operation.note), WIDTH) if operation else ""


def _steps(memory: Memory, session: str, only: str = "") -> tuple[list[Operation], list[Operation]]:
    """The next two operations that stand, and what was undone since the last of them, the newest first. Each
    undo is a step further: it takes back no undo, and nothing that another one took back already."""
    standing, undone = list[Operation](), list[Operation]()
    gone, is_ahead = set[str](), True
    for operation in islice(memory.done_log.newest(), _MOST_OPERATIONS):
        is_meant = not session or operation.session == session
        if operation.op in _UNASKED:
            continue
        if not gone.isdisjoint((operation.id, operation.commit)):
            is_ahead &= not is_meant or bool(operation.undoes)  # what it wrote ended the way forward
        elif operation.undoes:
            gone.add(operation.undoes)
            if is_meant and is_ahead and not standing and operation.op.startswith(f"{UNDO} "):
                undone.append(operation)
        elif is_meant and only in ("", operation.op):
            standing.append(operation)
        if len(standing) > 1:
            break
    return standing, undone


def _require_all_committed(memory: Memory, now: datetime) -> None:
    """Everything that was written is in a commit; Refused while the last write is held back."""
    held = {r.path: r for r in commit(memory, now).held}
    for save in reversed([save for save in memory.journal.read() if save.is_command]):
        refusal = held.get(save.path)
        why = f"{refusal.at}: {refusal.message}" if refusal else f"{save.path} waits for a commit"
        raise Refused(
            f"the last write is held back, so it can't be undone: {why}", "`ctxrepo status` tells more."
        )


def _take_back_operation(memory: Memory, operation: Operation, origin: Origin, now: datetime) -> Undone:
    if operation.commit:
        return _take_back(memory, of_operation(operation), origin, now)
    (write,) = operation.writes
    back, gone = (anchors_of(side or "") for side in (write.before, write.after))
    way_back = way_back_of(operation.op)
    with drafting(memory, way_back, origin, now):  # nobody else writes meanwhile
        local = LocalTape(memory.state)
        local.take_out({anchor.id for anchor in gone})
        local.keep(*back)
        went, came = ([*map(to_line, anchors)] for anchors in (gone, back))
        memory.done_log.note_here(way_back, origin, operation.note, went, came, operation.id)
    folders = {anchor.project for anchor in (*back, *gone)}
    memory.cache.set_handoffs([told_handoff(memory, memory.head_tree, folder) for folder in folders])
    told = [f"- {anchor.name}" for anchor in gone] + [f"+ {anchor.name}" for anchor in back]
    return Undone(operation.op, operation.note, "", (), tuple(told))


def _take_back(memory: Memory, deed: ChangeToUndo, origin: Origin, now: datetime) -> Undone:
    objects = memory.objects
    tip = memory.head
    if tip is None or not objects.is_in(tip, deed.commit):
        raise Refused(
            f"the commit of {deed.name} is not in the memory any more", "`ctxrepo history` shows what is."
        )
    tip_tree = objects.tree_of(tip)
    deed, stays = _own_part(memory, deed, tip_tree)
    try:
        changes = changes_back(memory, deed, tip)
    except ChangedSince as error:
        if error.commit and _may_be_undone(memory, error.commit, tip):
            hint = f"Nothing is done. {_HOW}; `ctxrepo undo {error.commit}` takes that back."
            raise Refused(error.message, hint) from error
        raise
    records = deed.records
    with drafting(memory, way_back_of(deed.operation), origin, now) as draft:
        draft.saying, draft.undoes = deed.saying, deed.undoes
        if memory.head != tip:
            raise Busy("something else was committed just now", "Run the command again.")
        for path, (was, new) in changes.items():
            _put(draft, path, was, new)
        for path in records:
            before, after = (decode_exactly(side[path] or b"") for side in (deed.before, deed.after))
            if (text := draft.text(path)) is not None:
                draft.put(path, without_records(text, before, after))
        touched = {p: t for p, t in draft.after.items() if t != draft.before[p]}
        if all(map(is_evidence, touched)) and not all(map(is_evidence, deed.after)):
            raise Refused(
                f"nothing that {deed.name} did is there any more", "`ctxrepo history` shows what is."
            )
        told = describe(memory, {p: encoded(t) for p, t in touched.items()}, objects.files(tip_tree, touched))
        paths = tuple(p for p in touched if not p.startswith("."))
    return Undone(deed.what, deed.saying, deed.commit, paths, (*told_back(told, deed.operation), *stays))


def _own_part(memory: Memory, deed: ChangeToUndo, tree: str | None) -> tuple[ChangeToUndo, list[str]]:
    """What of the deed nobody else has made their own since, and a line about each entry that stays."""
    deed, edited = _without_edited(memory, deed, tree)
    deed, shared = _without_shared(memory, deed, tree)
    return deed, edited + shared


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
    shared = [entry for entry in come if entry.id in stated]
    told = [f"`{shown(normalised(e.text), WIDTH)}` stays: somebody else remembered it, too" for e in shared]
    if told and len(shared) == len(come) and not entries_gone(deed.before, deed.after):
        hint = f"Nothing is done. `ctxrepo forget ^{shared[0].id}` takes it away for all."
        raise Refused(f"{deed.name} can't be taken back: {told[0]}", hint)
    after = dict(deed.after)
    for entry in reversed(shared):
        after[entry.path] = encode(compose.replace(decode_exactly(after[entry.path] or b""), entry, ""))
    return replace(deed, after=after), [f"* {line}" for line in told]


def _without_edited(memory: Memory, deed: ChangeToUndo, tree: str | None) -> tuple[ChangeToUndo, list[str]]:
    """The deed without what it took away that stands, as somebody edited it meanwhile: both would stand; and
    a line about each of these. Refused where it took away nothing else."""
    heirs = standing_heirs(memory.objects, tree, deed.before, deed.after)
    told = [
        f"`{shown(normalised(entry.text), WIDTH)}` is there, changed meanwhile, as ^{heir.id}"
        for entry, heir in heirs.items()
    ]
    if told and len(heirs) == len(entries_gone(deed.before, deed.after)):
        hint = f"Nothing is done. `ctxrepo restore ^{next(iter(heirs)).id}` brings back what it said."
        raise Refused(f"{deed.name} can't be taken back: {told[0]}", hint)
    before = dict(deed.before)
    for entry in reversed(heirs):
        text = decode_exactly(before[entry.path] or b"")
        before[entry.path] = encode(compose.replace(text, entry, ""))
    return replace(deed, before=before), [f"* {line}" for line in told]


def _put(draft: Draft, path: str, was: bytes | None, new: bytes | None) -> None:
    if encoded(draft.there(path)) != was:
        raise Refused(
            f"{path} is not on disk as the last commit has it",
            "`ctxrepo status` says whether it is held back; if it was being edited, run the command again.",
        )
    if new is None:
        draft.remove(path)
    else:
        draft.put(path, decode_exactly(new))


_MOST_SAID = 3


def _may_be_undone(memory: Memory, start: str, tip: str) -> bool:
    """Whether `undo` of the commit whose id begins so would do it."""
    try:
        deed = of_commit(memory, commit_named(memory, start))
        return bool(changes_back(memory, _own_part(memory, deed, memory.head_tree)[0], tip))
    except CtxrepoError:
        return False


class ChangedSince(Refused):
    """What is to be taken back was changed since, in the commit whose id begins with `commit`; '' where no
    single one tells."""

    def __init__(self, message: str, commit: str) -> None:
        super().__init__(message, f"Nothing is done. {_HOW}; `ctxrepo restore` brings back a version.")
        self.commit = commit


def changes_back(
    memory: Memory, deed: ChangeToUndo, tip: str
) -> dict[str, tuple[bytes | None, bytes | None]]:
    """path -> (bytes now, bytes to be): what merging the way back of a deed into the newest commit changes.
    ChangedSince where something that it did was changed after it."""
    objects = memory.objects
    head = objects.tree_of(tip)
    records = set(deed.records)
    deed = _elsewhere(memory, deed, head)
    after = {p: data for p, data in deed.after.items() if p not in records}
    before = _ways_back(deed, after, _read(memory, head, after))
    tree = objects.tree_of(deed.commit)
    base, theirs = (objects.edit(tree, objects.store_files(side)) for side in (after, before))
    merged = merge_of(memory, base, head, theirs, keeps_names=True)
    changed = objects.diff(head, merged.tree)
    now = {path: merged.moves.get(path, path) for path in after}
    paths = {*after, *now.values(), *changed}
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
    return {p: (here[p], there[p]) for p in changed}


def _elsewhere(memory: Memory, deed: ChangeToUndo, head: str | None) -> ChangeToUndo:
    """The deed, with each note that it removed, and that a merge kept where another machine had moved it, at
    that place: it isn't to come back beside itself."""
    said = total(deed.after)
    removed = (p for p, data in deed.after.items() if data is None and is_note(p))
    gone = {p: units for p in removed if not (units := total({p: deed.before[p]})) & said}
    places = moved_to(memory.objects, head, gone)
    here = _read(memory, head, {*places, *places.values()})
    kept = {p: now for p, now in places.items() if here[p] is None and gone[p] & total({now: here[now]})}
    before, after = ({kept.get(p, p): data for p, data in side.items()} for side in (deed.before, deed.after))
    return replace(deed, before=before, after=after)


def _change_since(memory: Memory, deed: ChangeToUndo, tip: str, paths: Collection[str]) -> str:
    """The newest commit that changed something of what a deed did, in one of `paths`; '' where none did."""
    objects = memory.objects
    own = {*difference(total(deed.after), total(deed.before))}
    for later in islice(objects.new_commits(tip, deed.commit), _MOST_OPERATIONS):
        trees = [objects.tree_of(one) for one in (*objects.parents(later), later)]
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
        if before[path] is None and here[path] not in (None, data) and data and not takes_away:
            before[path] = encode(emptied(decode_exactly(data)))
    if REGISTRY in after and not deed.is_claim:
        texts = (decode(side[REGISTRY] or b"") for side in (before, after))
        before[REGISTRY] = encode(keeping_claims(*texts))
    return before


def _read(memory: Memory, tree: str | None, paths: Iterable[str]) -> dict[str, bytes | None]:
    """path -> bytes in a tree, None where there is no file."""
    objects = memory.objects
    keys = objects.files(tree, wanted := list(paths))
    return {p: objects.data(keys[p]) if p in keys else None for p in wanted}


def _holding(units: Iterable[str], *sides: Files) -> Iterator[str]:
    """What is in the way, as `path: words`, as far as a file has it."""
    for unit in islice(units, _MOST_SAID):
        place = next((p for side in sides for p, data in side.items() if total({p: data})[unit]), "")
        yield f"{place}: {shown(unit, WIDTH)}" if place else shown(unit, WIDTH)
