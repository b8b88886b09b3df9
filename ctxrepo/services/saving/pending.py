"""Finds all edits since the last commit, path by path: those of commands, of agents and by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.lazy import dataclass
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.state.writelog import Write
from ctxrepo.storage.worktree.snapshot import Snapshot

RECENT = 50
"""How many commits are searched for a version: a sync may commit it before its hook's line arrives."""


@dataclass(frozen=True)
class Version:
    """The bytes of a memory file as a session of an agent left them; another editor may have overwritten
    them.

    `base` is what the session edited; None if that is unknown: then the version adds lines and removes none.
    A version without an agent is a late write.
    """

    path: str
    agent: str
    session: str
    data: bytes
    base: bytes | None = None


_Change = TypeVar("_Change", Write, Version)


@dataclass(frozen=True)
class PendingEdit:
    """A file that somebody changed from `base` to `data` (None: no file).

    `commanded` is what commands alone would have made of `base`: whatever `data` lacks beside it was deleted
    by hand. `conflict_copies` are what lost when the edits were merged. `versions` are what agents left in
    the file, one after the other; they go into the history only, and the last one may equal `data`.
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
    """An edit for every file that differs from `tree` and from its base, with acknowledged writes replayed.

    A file that can't be read now has only the versions that agents left while it could be read.
    """
    written = {w.path for w in writes} | {v.path for v in versions}
    paths = memory.checkout.edited(snapshot, tree) | {p for p in written if not snapshot.is_out_of_reach(p)}
    unreadable = {v.path for v in versions if v.agent} - paths
    bases = memory.objects.files(snapshot.base, paths | unreadable)
    writes_by_path, versions_by_path = _by_path(writes), _by_path(versions)
    return [
        *(
            _edit(memory, p, bases.get(p), writes_by_path.get(p, []), versions_by_path.get(p, []))
            for p in sorted(paths)
        ),
        *(_only_versions(memory, p, bases.get(p), versions_by_path[p]) for p in sorted(unreadable)),
    ]


def _by_path(changes: Iterable[_Change]) -> dict[str, list[_Change]]:
    found: dict[str, list[_Change]] = {}
    for change in changes:
        found.setdefault(change.path, []).append(change)
    return found


def _edit(
    memory: Memory, path: str, key: Key | None, writes: Sequence[Write], versions: Sequence[Version]
) -> PendingEdit:
    base = _data(memory, key)
    data, replayed = _replay(path, memory.worktree.read_saved(path, was_empty=not base), writes)
    to_merge = _to_merge(versions, is_gone=data is None)
    if data is None:
        to_merge = [v for v in to_merge if not _was_removed(memory, v, writes)]
    data, merged = fold(path, data, [_as_commanded(v, writes) for v in to_merge])
    return PendingEdit(
        path, base, data, _commanded(path, base, writes), (*replayed, *merged), _agents_bytes(versions)
    )


def _only_versions(memory: Memory, path: str, key: Key | None, versions: Sequence[Version]) -> PendingEdit:
    base = _data(memory, key)
    return PendingEdit(path, base, base, base, versions=_agents_bytes(versions))


def _agents_bytes(versions: Sequence[Version]) -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(v.data for v in versions if v.agent))


def _data(memory: Memory, key: Key | None) -> bytes | None:
    return None if key is None else memory.objects.data_or_empty(key)


def _to_merge(versions: Sequence[Version], *, is_gone: bool) -> list[Version]:
    """The versions that must be merged into the file, since their authors may not have seen each other's.

    If one session alone wrote, then what it left and the file no longer has was removed on purpose. That does
    not hold for a file that is gone: an edit wins over a deletion.
    """
    last = {(v.agent, v.session): v for v in versions if v.agent}
    return [*(last.values() if len(last) > 1 or is_gone else ()), *(v for v in versions if not v.agent)]


def _takes_out(write: Write) -> bool:
    """Whether a command removed lines from a file. Most only add some, and a merge costs time."""
    before, after = (_lines(text or "") for text in (write.before, write.after))
    return write.after is None or not before <= after


def _lines(text: str) -> set[str]:
    return {line for line in text.splitlines() if not line.startswith("updated:")}


def _was_removed(memory: Memory, version: Version, writes: Sequence[Write]) -> bool:
    """Whether whoever removed the file knew this version: a command that found it in the file, or somebody
    who removed the file after a commit held the version."""
    path = version.path
    if writes and writes[-1].after is None:
        return any(_was_found(version, w) for w in _last_chain(writes) if _takes_out(w))
    objects = memory.objects
    tip = memory.head
    is_there = objects.files(objects.tree_of(tip), [path])
    return not is_there and bool(tip and objects.was_at(tip, path, blob_id(version.data), RECENT))


def _as_commanded(version: Version, writes: Sequence[Write]) -> Version:
    """The version without the lines that commands removed after they had found it in the file."""
    data: bytes | None = version.data
    is_found = False
    for write in filter(_takes_out, writes):
        is_found = is_found or _was_found(version, write)
        if is_found and write.after is not None:
            data = merge_file(version.path, _encoded(write.before), encode(write.after), data).data
    return version if data is None else replace(version, data=data)


def _was_found(version: Version, write: Write) -> bool:
    """Whether the file held everything that the version changed when the command wrote to it."""
    found = _encoded(write.before)
    return merge_file(version.path, version.base, version.data, found).data == found


def _replay(
    path: str, data: bytes | None, writes: Sequence[Write]
) -> tuple[bytes | None, list[ConflictCopy]]:
    """The file with every acknowledged write merged in, whatever has been written to it since."""
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
    """Whether each write found the file as the one before had left it."""
    return all(a.after == b.before for a, b in pairwise(writes))


def _last_chain(writes: Sequence[Write]) -> Sequence[Write]:
    """The last writes that form a chain: nobody else wrote to the file between them."""
    breaks = [n for n, (a, b) in enumerate(pairwise(writes), 1) if a.after != b.before]
    return writes[breaks[-1] :] if breaks else writes


def fold(
    path: str, data: bytes | None, versions: Sequence[Version]
) -> tuple[bytes | None, list[ConflictCopy]]:
    """The file with each of these versions merged in: their authors did not know of each other."""
    copies: list[ConflictCopy] = []
    for version in versions:
        if version.data != data:
            merged = merge_file(path, version.base, version.data, data)
            data = merged.data
            copies += merged.conflict_copies
    return data, copies


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else encode(text)
