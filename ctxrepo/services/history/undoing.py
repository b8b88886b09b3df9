"""The last command, or a commit, is taken back by one more write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice

from ctxrepo.domain.git.commit import subject_of
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.guard.takeback import (
    difference,
    emptied,
    encoded,
    keeping_claims,
    total,
    way_back_of,
    without_records,
)
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode, decode_exactly, encode
from ctxrepo.domain.project.layout import ANCHORS_FILE, REGISTRY, is_evidence, shown
from ctxrepo.errors import Busy, NotFound, Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import commit_named
from ctxrepo.services.reading.tape_files import BY_ITSELF, MOMENT
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.describe import lines_of_change
from ctxrepo.services.saving.merge import merge_of
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import Operation

_CLAIMS = frozenset({"rename", "link", "unlink"})
"""Operations that are about which folder is whose; for others that is a side effect."""

_UNASKED = frozenset({BY_ITSELF, MOMENT})
"""Operations that no user asked for, so that none is meant by the last command."""

_MOST_COMMITS = 8


@dataclass(frozen=True)
class Undone:
    """What was taken back: an operation's name, or the subject of a commit. `lines` tell of entries: `- ` is
    gone again, `+ ` is back, `~ ` reads as it did. The ways back of `remember` are `undo remember` and `redo
    remember`."""

    what: str
    saying: str
    commit: str
    paths: tuple[str, ...]
    lines: tuple[str, ...]


def undo(memory: Memory, origin: Origin, now: datetime, *, only: str = "") -> Undone:
    """Take back the last command's write on this machine, or of an agent's session; with `only` the last of
    that name which can be. What was written since stays: Refused, with nothing done, where the very thing was
    changed."""
    _require_all_committed(memory, now)
    mine = (o for o in memory.done_log.newest() if o.op not in _UNASKED and only in ("", o.op))
    found = [o for o in islice(mine, 200) if not origin.session or o.session == origin.session]
    if not found:
        raise NotFound(
            "there is nothing to take back: no command of ours wrote anything here lately",
            "`ctxrepo history` shows what happened; `ctxrepo undo COMMIT` takes back one commit of it.",
        )
    if not only:
        return _take_back(memory, _of_operation(found[0]), origin, now)
    for operation in found:
        try:
            return _take_back(memory, _of_operation(operation), origin, now)
        except Refused as error:
            refused = error
    raise refused


def undo_commit(memory: Memory, start: str, origin: Origin, now: datetime) -> Undone:
    """Take back what the commit did whose id begins with `start`, whoever made it."""
    _require_all_committed(memory, now)
    return _take_back(memory, _of_commit(memory, commit_named(memory, start)), origin, now)


def _require_all_committed(memory: Memory, now: datetime) -> None:
    """Everything that was written is in a commit; Refused while the last write is held back."""
    held = {r.path: r for r in commit(memory, now).held}
    for save in reversed([save for save in memory.journal.read() if save.is_command]):
        refusal = held.get(save.path)
        why = f"{refusal.at}: {refusal.message}" if refusal else f"{save.path} waits for a commit"
        raise Refused(
            f"the last write is held back, so it can't be undone: {why}", "`ctxrepo status` tells more."
        )


def _of_operation(operation: Operation) -> ChangeToUndo:
    if not operation.writes:
        raise Refused(
            f"`{operation.op}` changed too much to be taken back by itself",
            f"`ctxrepo undo {operation.commit[:10]}` takes back the commit that holds it.",
        )
    before = {w.path: encoded(w.before) for w in operation.writes}
    after = {w.path: encoded(w.after) for w in operation.writes}
    is_claim = operation.op in _CLAIMS
    return ChangeToUndo(operation.op, operation.note, operation.commit, before, after, is_claim)


def _of_commit(memory: Memory, commit_id: str) -> ChangeToUndo:
    objects = memory.objects
    parents = objects.parents(commit_id)
    short = commit_id[:10]
    if not parents:
        raise UsageError(f"{short} is the first commit: before it there was no memory")
    if len(parents) > 1:
        inside = [c for c in objects.new_commits(commit_id, parents[0]) if len(objects.parents(c)) == 1]
        told = [f"{c[:10]} {subject_of(objects.header_of(c).message)}" for c in inside[:_MOST_COMMITS]]
        more = f" and {len(inside) - len(told)} more" if len(inside) > len(told) else ""
        raise UsageError(
            f"{short} is a merge: it brought together what {len(inside)} commits did",
            f"Take back one of them: {'; '.join(told)}{more}.",
        )
    changed = objects.diff(objects.tree_of(parents[0]), objects.tree_of(commit_id))
    if odd := [p for p, keys in changed.items() if any(key and ":" in key for key in keys)]:
        raise Refused(f"{short} changed {odd[0]}, which is not a plain file", "Take it back with git.")
    before, after = (
        {p: None if keys[n] is None else objects.data(str(keys[n])) for p, keys in changed.items()}
        for n in (0, 1)
    )
    subject = subject_of(objects.header_of(commit_id).message)
    return ChangeToUndo(subject, "", commit_id, before, after, is_operation=False)


def _take_back(memory: Memory, deed: ChangeToUndo, origin: Origin, now: datetime) -> Undone:
    objects = memory.objects
    tip = memory.head
    if tip is None or not objects.is_in(tip, deed.commit):
        raise Refused(
            f"the commit of {deed.name} is not in the memory any more", "`ctxrepo history` shows what is."
        )
    changes = changes_back(memory, deed, tip)
    records = deed.records
    with drafting(memory, way_back_of(deed.operation), origin, now) as draft:
        draft.saying = deed.saying
        if memory.head != tip:
            raise Busy("something else was committed just now", "Run the command again.")
        for path, (was, new) in changes.items():
            _put(draft, path, was, new)
        for path in records:
            before, after = (decode_exactly(side[path] or b"") for side in (deed.before, deed.after))
            if (text := draft.text(path)) is not None:
                draft.put(path, without_records(text, before, after))
        touched = {p: t for p, t in draft.after.items() if t != draft.before[p]}
        if not touched:
            raise Refused(
                f"nothing that {deed.name} did is there any more", "`ctxrepo history` shows what is."
            )
        lines = [line for p, (was, new) in sorted(changes.items()) for line in lines_of_change(p, was, new)]
        paths = tuple(p for p in touched if not p.startswith("."))
    return Undone(deed.what, deed.saying, deed.commit, paths, tuple(lines))


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


_SHOWN = 60
_MOST_SAID = 3

Files = Mapping[str, bytes | None]


@dataclass(frozen=True)
class ChangeToUndo:
    """What is to be taken back: the files it changed, as they were `before` and `after` it in `commit`."""

    what: str
    saying: str
    commit: str
    before: Files
    after: Files
    is_claim: bool = False
    is_operation: bool = True
    """Whether a command of ours did it; else it is all that a commit did."""

    @property
    def operation(self) -> str:
        """What it was: the name of an operation, or the beginning of a commit's id."""
        return self.what if self.is_operation else self.commit[:10]

    @property
    def name(self) -> str:
        return f"`{shown(self.what, _SHOWN)}`"

    @property
    def records(self) -> list[str]:
        """Its files of JSON lines that it added to. A tape that went elsewhere is no such file."""
        moves = any(after is None and p.endswith(".jsonl") for p, after in self.after.items())
        return [
            p
            for p, after in self.after.items()
            if p.endswith(".jsonl")
            and not p.endswith(ANCHORS_FILE)  # who writes it knows no tombstones
            and after is not None
            and (is_evidence(p) or self.before[p] is not None or not moves)
        ]


def changes_back(
    memory: Memory, deed: ChangeToUndo, tip: str
) -> dict[str, tuple[bytes | None, bytes | None]]:
    """path -> (bytes now, bytes to be): what merging the way back of a deed into the newest commit changes.
    Refused where something that it did was changed since."""
    objects = memory.objects
    head = objects.tree_of(tip)
    records = set(deed.records)
    after = {p: data for p, data in deed.after.items() if p not in records}
    before = _ways_back(deed, after, _read(memory, head, after))
    tree = objects.tree_of(deed.commit)
    base, theirs = (objects.edit(tree, objects.store_files(side)) for side in (after, before))
    merged = merge_of(objects, base, head, theirs)
    changed = objects.diff(head, merged.tree)
    paths = {*after, *changed}
    here, there = _read(memory, head, paths), _read(memory, merged.tree, paths)
    expected = total(here)
    expected.subtract(total(after))
    expected.update(total(before))
    left = difference(total(there), expected)
    lost = [p for p in after if before[p] is not None and after[p] is None and there[p] is None]
    stays = [p for p in after if before[p] is None and there[p] is not None]
    if merged.conflict_copies or left or lost or stays:
        fought_over = [f"{a.path}: {shown(normalised(a.base), _SHOWN)}" for a in merged.conflict_copies]
        in_the_way = dict.fromkeys(fought_over or lost or stays or _holding(left, here, there))
        raise Refused(
            f"{deed.name} can't be taken back, because it was changed since: "
            f"{'; '.join(list(in_the_way)[:_MOST_SAID])}",
            "Nothing is done. `ctxrepo history` of it shows how; `ctxrepo restore` brings back a version.",
        )
    return {p: (here[p], there[p]) for p in changed}


def _ways_back(deed: ChangeToUndo, after: Files, here: Files) -> dict[str, bytes | None]:
    """The files to be merged back. A note that came with the deed and got other words since loses only its
    own."""
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
        yield f"{place}: {shown(unit, _SHOWN)}" if place else shown(unit, _SHOWN)
