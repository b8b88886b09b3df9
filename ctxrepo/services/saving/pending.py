"""What was written since the last commit: by commands, by agents' editors and by hand, path by path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.merge import ConflictCopy, merge_file
from ctxrepo.domain.note.note import encode
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.state.writelog import Write
from ctxrepo.storage.worktree.snapshot import Snapshot

RECENT = 50
"""Commits that are looked through for a version: a sync may have taken it before its hook's word came."""


@dataclass(frozen=True)
class Version:
    """Bytes of a memory file as a session of an agent left them; another editor may have overwritten them.

    `base` is what they were made from; unknown (None), the version adds to the file and takes nothing away.
    Without an agent they are bytes that reached a file while it was being replaced.
    """

    path: str
    agent: str
    session: str
    data: bytes
    base: bytes | None = None


_Told = TypeVar("_Told", Write, Version)


@dataclass(frozen=True)
class PendingEdit:
    """A file that somebody changed from `base` to `data` (None: not there).

    `commanded` is what commands alone would have made of `base`: what is missing against it, nobody asked for
    by a command, though one may have found it gone. `conflict_copies` lost on the way; `versions` are what
    agents left in the file one after the other, which may end with `data`: they are for the history and not
    for the file.
    """

    path: str
    base: bytes | None
    data: bytes | None
    commanded: bytes | None
    conflict_copies: tuple[ConflictCopy, ...] = ()
    versions: tuple[bytes, ...] = ()


def pending_edits(
    memory: Memory,
    snapshot: Snapshot,
    tree: str | None,
    writes: Sequence[Write],
    versions: Sequence[Version],
) -> list[PendingEdit]:
    """Every file that is not as a tree and its own base have it, with acknowledged writes replayed.

    Of one that can't be looked at now only the versions count, which agents left while it could.
    """
    written = {w.path for w in writes} | {v.path for v in versions}
    paths = memory.checkout.edited(snapshot, tree) | {p for p in written if not snapshot.is_out_of_reach(p)}
    passed_over = {v.path for v in versions if v.agent} - paths
    bases = memory.objects.files(snapshot.base, paths | passed_over)
    done, left = _by_path(writes), _by_path(versions)
    return [
        *(_edit(memory, p, bases.get(p), done.get(p, []), left.get(p, [])) for p in sorted(paths)),
        *(_passed_over(memory, p, bases.get(p), left[p]) for p in sorted(passed_over)),
    ]


def _by_path(things: Iterable[_Told]) -> dict[str, list[_Told]]:
    found: dict[str, list[_Told]] = {}
    for thing in things:
        found.setdefault(thing.path, []).append(thing)
    return found


def _edit(
    memory: Memory, path: str, key: Key | None, writes: Sequence[Write], versions: Sequence[Version]
) -> PendingEdit:
    base = _data(memory, key)
    data, replayed = _replay(path, memory.worktree.read_saved(path, is_empty=not base), writes)
    unseen = _unseen(versions, is_gone=data is None)
    if data is None:
        unseen = [v for v in unseen if not _was_removed(memory, v, writes)]
    data, folded = fold(path, data, [_as_commanded(v, writes) for v in unseen])
    return PendingEdit(
        path, base, data, _commanded(path, base, writes), (*replayed, *folded), _left(versions)
    )


def _passed_over(memory: Memory, path: str, key: Key | None, versions: Sequence[Version]) -> PendingEdit:
    base = _data(memory, key)
    return PendingEdit(path, base, base, base, versions=_left(versions))


def _left(versions: Sequence[Version]) -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(v.data for v in versions if v.agent))


def _data(memory: Memory, key: Key | None) -> bytes | None:
    return None if key is None else memory.objects.said(key)


def _unseen(versions: Sequence[Version], *, is_gone: bool) -> list[Version]:
    """Versions whose authors did not know of each other: what they left must all be in the file.

    Where one session alone wrote, what it left and the file has no more was taken out on purpose; a file
    that is gone tells nothing of the sort, and an edit stays against a deletion.
    """
    last = {(v.agent, v.session): v for v in versions if v.agent}
    return [*(last.values() if len(last) > 1 or is_gone else ()), *(v for v in versions if not v.agent)]


def _takes_out(write: Write) -> bool:
    """Whether a command took anything out of a file; most only add to it, and a merge takes its time."""
    before, after = (_lines(text or "") for text in (write.before, write.after))
    return write.after is None or not before <= after


def _lines(text: str) -> set[str]:
    return {line for line in text.splitlines() if not line.startswith("updated:")}


def _was_removed(memory: Memory, version: Version, writes: Sequence[Write]) -> bool:
    """Whether a file that is gone was taken out by somebody who knew this version of it: by a command that
    found it there, or in a commit after the one that holds it."""
    path = version.path
    if writes and writes[-1].after is None:
        return any(_was_found(version, w) for w in _last_chain(writes) if _takes_out(w))
    objects = memory.objects
    tip = memory.head
    is_there = objects.files(objects.tree_of(tip), [path])
    return not is_there and bool(tip and objects.was_at(tip, path, blob_id(version.data), RECENT))


def _as_commanded(version: Version, writes: Sequence[Write]) -> Version:
    """The version with what commands took out that found it in the file, or what others had left of it."""
    data: bytes | None = version.data
    is_found = False
    for write in filter(_takes_out, writes):
        is_found = is_found or _was_found(version, write)
        if is_found and write.after is not None:
            data = merge_file(version.path, _encoded(write.before), encode(write.after), data).data
    return version if data is None else replace(version, data=data)


def _was_found(version: Version, write: Write) -> bool:
    """Whether all that a version changed was in the file when a command wrote it."""
    found = _encoded(write.before)
    return merge_file(version.path, version.base, version.data, found).data == found


def _replay(
    path: str, data: bytes | None, writes: Sequence[Write]
) -> tuple[bytes | None, list[ConflictCopy]]:
    """The file with every acknowledged write in it, whatever became of the file since."""
    copies: list[ConflictCopy] = []
    if not writes or (_is_chain(writes) and data == _encoded(writes[-1].after)):
        return data, copies
    for write in writes:
        merged = merge_file(path, _encoded(write.before), _encoded(write.after), data)
        data = merged.data
        copies += merged.conflict_copies
    return data, copies


def _commanded(path: str, base: bytes | None, writes: Sequence[Write]) -> bytes | None:
    if not writes or writes[-1].after is None:
        return None if writes else base
    if _is_chain(writes):
        return merge_file(path, _encoded(writes[0].before), _encoded(writes[-1].after), base).data
    return _replay(path, base, writes)[0]


def _is_chain(writes: Sequence[Write]) -> bool:
    """Whether nobody wrote over one before the next."""
    return all(a.after == b.before for a, b in pairwise(writes))


def _last_chain(writes: Sequence[Write]) -> Sequence[Write]:
    """The last of them before which others may have written, and all after it."""
    breaks = [n for n, (a, b) in enumerate(pairwise(writes), 1) if a.after != b.before]
    return writes[breaks[-1] :] if breaks else writes


def fold(
    path: str, data: bytes | None, versions: Sequence[Version]
) -> tuple[bytes | None, list[ConflictCopy]]:
    """The file with what each of several sessions left in it: none of them knew of the others."""
    copies: list[ConflictCopy] = []
    for version in versions:
        if version.data != data:
            merged = merge_file(path, version.base, version.data, data)
            data = merged.data
            copies += merged.conflict_copies
    return data, copies


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else encode(text)
