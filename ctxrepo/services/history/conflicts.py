"""Versions that lost a merge are listed, shown, and settled by a person."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.merge import Aside, aside_id, read_aside
from ctxrepo.domain.merge.settle import Keep, settled
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import bump_updated, decode_exactly, encode
from ctxrepo.domain.project.layout import CONFLICTS, is_conflict_copy
from ctxrepo.domain.project.paths import is_ignored, is_note, shown, unsafe
from ctxrepo.errors import NotFound, Refused, Unreadable, UsageError
from ctxrepo.services.history.versions import came
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory

_WORDS = 70
"""Characters of a version that a list shows."""


@dataclass(frozen=True)
class Conflict:
    """A file under conflicts/ and the version that it keeps, told by `id`.

    `aside` is None, and `id` '', for a file that is none of ours: written by hand, torn, unreadable.
    `since` is when it was committed here or on the machine that merged; None as long as it isn't.
    """

    file: str
    id: str = ""
    aside: Aside | None = None
    since: datetime | None = None

    @property
    def words(self) -> str:
        """How the version that lost begins, on one line."""
        return shown(normalised(self.aside.other[: 4 * _WORDS]), _WORDS) if self.aside else ""


@dataclass(frozen=True)
class Settled:
    """What became of a version: the file it belongs to, and whether that was changed."""

    id: str
    path: str
    is_changed: bool


def conflicts(memory: Memory) -> list[Conflict]:
    """Every file under conflicts/, by the file it belongs to; those that are none of ours last."""
    found = list(_look(memory))
    since = _since(memory, {c.file for c in found})
    found = [Conflict(c.file, c.id, c.aside, since.get(c.file)) for c in found]
    return sorted(found, key=lambda c: (c.aside is None, c.aside.path if c.aside else c.file, c.id))


def find_conflict(memory: Memory, name: str) -> Conflict:
    """The version that `name` tells: its id or the first digits of it, or the path of its file.

    NotFound when there is none, UsageError when there are several, Unreadable when it is none of ours.
    """
    found = [c for c in conflicts(memory) if name and (c.file == name or c.id.startswith(name.lower()))]
    if not found:
        raise NotFound(f"there is no version {name} in {CONFLICTS}/", "`ctxrepo conflicts` lists them.")
    if len(found) > 1:
        raise UsageError(f"{name} begins {len(found)} ids", f"One of {', '.join(c.id for c in found)}.")
    if found[0].aside is None:
        raise Unreadable(f"{found[0].file} keeps no version that can be read", "Look at it in an editor.")
    return found[0]


def file_now(memory: Memory, path: str) -> str | None:
    """The file that a version belongs to as it is now, with bytes that are no text as half surrogates."""
    data = memory.worktree.read(path) if not _is_out_of_reach(path) else None
    return None if data is None else decode_exactly(data)


def resolve(memory: Memory, name: str, keep: Keep, origin: Origin, now: datetime) -> Settled:
    """Settle one version: it is dropped ('kept'), takes the place of what was kept, or is added to it.

    What is replaced or dropped is in a commit before it goes. When this returns the result survives a power
    cut. Refused (nothing written) where the file has changed so much that a person must look.
    """
    commit(memory, now)
    conflict = find_conflict(memory, name)
    aside = conflict.aside
    assert aside is not None  # find_conflict raises for those
    if keep != "kept" and _is_out_of_reach(aside.path):
        raise Refused(f"{shown(aside.path)} may not be written", "Only --keep kept is possible.")
    with drafting(memory, "resolve", origin, now) as draft:
        draft.saying = f"{keep} of {aside.path}"
        is_changed = keep != "kept" and _settle(draft, aside, keep, now)
        _drop(draft, [conflict])
    return Settled(conflict.id, aside.path, is_changed)


def drop_all(memory: Memory, origin: Origin, now: datetime) -> list[Settled]:
    """Drop every version that can be read: what was kept holds."""
    commit(memory, now)
    found = [c for c in conflicts(memory) if c.aside]
    with drafting(memory, "resolve", origin, now) as draft:
        draft.saying = f"kept of {len(found)} files"
        _drop(draft, found)
    return [Settled(c.id, c.aside.path, is_changed=False) for c in found if c.aside]


def _look(memory: Memory) -> Iterator[Conflict]:
    scan = memory.worktree.scan()
    for path in sorted({*scan.files, *scan.skipped}):
        if is_conflict_copy(path) and not path.rpartition("/")[2].startswith("."):
            aside = _read(memory, path) if path in scan.files else None
            yield Conflict(path, aside_id(path) if aside else "", aside)


def _read(memory: Memory, path: str) -> Aside | None:
    try:
        data = memory.worktree.read(path)
    except Unreadable:
        return None
    return None if data is None else read_aside(path, data)


def _since(memory: Memory, files: Collection[str]) -> dict[str, datetime]:
    tip = memory.head
    return came(memory.objects, tip, CONFLICTS, files) if tip and files else {}


def _settle(draft: Draft, aside: Aside, keep: Keep, now: datetime) -> bool:
    before = draft.text(aside.path)
    after = settled(before, aside, keep)
    if after is None or after == before:
        return False
    if not aside.kept:
        _require_committed(draft, aside.path)
    elif is_note(aside.path):
        after = bump_updated(after, day(now))
    draft.put(aside.path, after)
    return True


def _drop(draft: Draft, found: Collection[Conflict]) -> None:
    for conflict in found:
        _require_committed(draft, conflict.file)
        draft.remove(conflict.file)


def _require_committed(draft: Draft, path: str) -> None:
    """Only what git has may be replaced or dropped."""
    memory = draft.memory
    tree = memory.head_tree
    text = draft.text(path)
    kept = memory.objects.find(tree, path) if tree else None
    if (None if text is None else encode(text)) != kept:
        raise Refused(
            f"{path} has changes that no commit holds", "`ctxrepo check` says what keeps them back."
        )


def _is_out_of_reach(path: str) -> bool:
    return unsafe(path) is not None or is_ignored(path)
