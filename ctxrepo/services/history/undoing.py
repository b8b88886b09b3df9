"""The last command, or a commit, is taken back by one more write."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice

from ctxrepo.domain.git.commit import writers_of
from ctxrepo.domain.guard.deletions import DeletionSummary
from ctxrepo.domain.guard.takeback import UNDO, named, told_back, way_back_of
from ctxrepo.domain.note.entry import entries_of, normalised
from ctxrepo.domain.note.note import decode_exactly, encoded
from ctxrepo.domain.project.layout import is_note, shown
from ctxrepo.domain.records.evidence import Marks, marks
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import anchors_of, to_line
from ctxrepo.errors import Busy, CtxrepoError, NotFound, Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import commit_named
from ctxrepo.services.history.way_back import (
    MOST_OPERATIONS,
    WIDTH,
    ChangeToUndo,
    NothingLeft,
    can_be_undone,
    of_commit,
    of_operation,
    way_back,
)
from ctxrepo.services.reading.find import find_entry
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.reading.tape_files import BY_ITSELF, MOMENT, told_handoff
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.describe import describe
from ctxrepo.services.saving.evidence import new_record, record_all, settle_keys
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.cache.cache import put_handoffs
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.committed_records import Operation, PastWrite

_UNASKED = frozenset({BY_ITSELF, MOMENT})
"""Operations that no user asked for, so that none is meant by the last command."""


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
    with `only` the last of that name. One of which nothing is there any more is passed over, and told. What
    was written since stays: Refused, with nothing done, where the very thing was changed."""
    _require_all_committed(memory, now)
    passed = dict[str, str]()
    while True:
        standing, undone = _steps(memory, origin.session, only, passed)
        if not standing:
            whose = f"`{only}` " if only else ""
            more, when = ("more ", "before") if undone or passed else ("", "lately")
            raise NotFound(
                f"there is nothing {more}to take back: no {whose}command of ours wrote anything {when}",
                "`ctxrepo history` shows what happened; `ctxrepo undo COMMIT` takes back one commit of it.",
            )
        try:
            outcome = _take_back_operation(memory, standing[0], origin, now)
        except NothingLeft:
            passed[standing[0].id] = f"{_name(standing[0])} is passed over: nothing of it is there any more"
            continue
        except Refused as error:
            hint = f"{error.hint}{_further_back(memory, standing)}"
            raise Refused("; ".join((*passed.values(), error.message)), hint) from error
        before = standing[1] if standing[1:] else None
        lines = (*(f"* {line}" for line in passed.values()), *outcome.lines)
        return replace(outcome, lines=lines, next_undo=_name(before), next_redo=_name(standing[0]))


def _further_back(memory: Memory, standing: Sequence[Operation]) -> str:
    """How to take back the command before one that can't be, if it has a commit of its own, and that can."""
    step, *before = standing
    head = memory.head or ""
    if not before or before[0].commit == step.commit or not memory.objects.is_in(head, before[0].commit):
        return ""
    if not can_be_undone(memory, before[0].commit):
        return ""
    return f" Before it was {_name(before[0])}: `ctxrepo undo {before[0].commit[:10]}` takes back its commit."


def note_confirmed(memory: Memory, since: str | None, origin: Origin) -> None:
    """Keep as an operation, which undo takes back, each deletion by hand that somebody has confirmed here
    since a commit."""
    new = memory.objects.new_commits(memory.head, since) if memory.head and since else ()
    for commit_id in reversed([*islice(new, MOST_OPERATIONS)]):
        writers = writers_of(memory.objects.header_of(commit_id).message)
        summary = DeletionSummary.parse(next(iter(writers.deleted), ""))
        if summary and summary.is_confirmed and memory.host in writers.hosts:
            deed = of_commit(memory, commit_id)
            texts = ((p, _text(deed.before[p]), _text(deed.after[p])) for p in deed.before)
            writes, name = tuple(PastWrite(*each) for each in texts), random_name(6)
            note = f"{summary.path}{f' and {summary.more} more' if summary.more else ''}"
            memory.done_log.note(Operation(name, "delete", commit_id, origin.session, note, writes))


def _text(data: bytes | None) -> str | None:
    return None if data is None else decode_exactly(data)


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
    outcome = _take_back_operation(memory, undone[0], origin, now)
    return replace(outcome, next_undo=_name(undone[0]), next_redo=_name(undone[1] if undone[1:] else None))


def undo_commit(memory: Memory, start: str, origin: Origin, now: datetime) -> Undone:
    """Take back what the commit did whose id begins with `start`, whoever made it; of one that was made here
    and isn't on the branch any more, as after a reset, that it was taken off."""
    _require_all_committed(memory, now)
    outcome = _take_back(memory, of_commit(memory, commit_named(memory, start)), origin, now)
    return replace(outcome, next_redo=outcome.what)


def _name(operation: Operation | None) -> str:
    return shown(named(operation.op, operation.note), WIDTH) if operation else ""


def _steps(
    memory: Memory, session: str, only: str = "", passed: Collection[str] = ()
) -> tuple[list[Operation], list[Operation]]:
    """The next two operations that stand, and what was undone since the last of them, the newest first;
    without those whose ids are `passed`. Each undo is a step further: it takes back no undo, and nothing that
    another one took back already."""
    standing, undone = list[Operation](), list[Operation]()
    gone, is_ahead = set[str](), True
    for operation in islice(memory.done_log.newest(), MOST_OPERATIONS):
        is_meant = not session or operation.session == session
        if operation.op in _UNASKED or operation.id in passed:
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
    refusals = {r.path: r for r in commit(memory, now).held}
    for save in reversed([save for save in memory.journal.read() if save.is_command]):
        refusal = refusals.get(save.path)
        why = f"{refusal.at}: {refusal.message}" if refusal else f"{save.path} waits for a commit"
        raise Refused(
            f"the last write is held back, so it can't be undone: {why}", "`ctxrepo status` tells more."
        )


def _take_back_operation(memory: Memory, operation: Operation, origin: Origin, now: datetime) -> Undone:
    if operation.is_final:
        hint = "Nothing is done: it wrote nothing that could be taken back."
        raise Refused(f"the last decision can't be undone: {_name(operation)}", hint)
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
    memory.cache.change(put_handoffs, [told_handoff(memory, memory.head_tree, folder) for folder in folders])
    lines = [f"- {anchor.name}" for anchor in gone] + [f"+ {anchor.name}" for anchor in back]
    return Undone(operation.op, operation.note, "", (), tuple(lines))


def _take_back(memory: Memory, deed: ChangeToUndo, origin: Origin, now: datetime) -> Undone:
    tip = memory.head
    if tip is None:
        raise NothingLeft(f"the commit of {deed.name} is not in the memory any more")
    back, marked = way_back(memory, deed, tip), marks(evidence_now(memory))
    with drafting(memory, way_back_of(deed.operation), origin, now) as draft:
        draft.saying, draft.undoes = deed.saying, deed.undoes
        if memory.head != tip:
            raise Busy("something else was committed just now", "Run the command again.")
        for path, (was, new) in back.changes.items():
            _put(draft, path, was, new)
        for path in back.deed.records:
            text = draft.text(path) or ""
            if (text_back := back.records_back(path, text)) != text:
                draft.put(path, text_back)
        moves = (new_record(draft, m.kind, m.entry, m.path, now, m.to) for m in back.moves_back())
        record_all(draft, moves, now)
        superseded = settle_keys(draft, now, comes_first=False)
        touched = {p: t for p, t in draft.after.items() if t != draft.before[p]}
        here = memory.objects.files(memory.head_tree, touched)
        changes = describe(memory, {p: encoded(t) for p, t in touched.items()}, here)
        paths = tuple(p for p in touched if not p.startswith("."))
    known, there = (
        {e.id for path, text in side.items() if is_note(path) for e in entries_of(path, text or "")}
        for side in ({path: draft.before[path] for path in touched}, touched)
    )
    state = [
        line
        for name, line in _marked(memory, marked, known ^ there)
        if not any(f"restore ^{name}`" in notice for notice in superseded)
    ]
    lines = (*told_back(changes, deed.operation), *back.stays, *superseded, *state)
    return Undone(deed.what, deed.saying, deed.commit, paths, lines)


def _marked(memory: Memory, before: Marks, other: Collection[str]) -> Iterator[tuple[str, str]]:
    """(id, line) of each entry that is pinned now or superseded, and wasn't, or the other way round; but for
    those `other` ones that came or went themselves."""
    after = marks(evidence_now(memory))
    for ids, what in (
        (after.pinned - before.pinned, "pinned again"),
        (before.pinned - after.pinned, "no longer pinned"),
        (after.struck - before.struck, "superseded again"),
        (before.struck - after.struck, "holds again"),
    ):
        for name in sorted(ids.difference(other)):
            with suppress(CtxrepoError):
                entry = find_entry(memory, name, None)[1]
                yield name, f"* {what}: {shown(normalised(entry.text), WIDTH)}"


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
