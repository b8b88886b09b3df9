"""Keeps worktree and commit together without git's checkout, so that nothing a person wrote is overwritten.

Two refs hold trees: `wt`, the version each file was last based on, and `wt-next`, the one being written.
A file equal to either is unedited, whatever HEAD says by now; so a checkout that was killed half-way never
reads as "a person took the remote's additions back".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ctxrepo.domain.cone import Cone
from ctxrepo.domain.paths import is_ignored, unsafe
from ctxrepo.storage.git import Progress
from ctxrepo.storage.objects import Objects
from ctxrepo.storage.reffiles import WT, WT_NEXT
from ctxrepo.storage.replaced import Late
from ctxrepo.storage.scan import MAX_BYTES, Scan
from ctxrepo.storage.stamps import Stamps, file_ids, read_id
from ctxrepo.storage.trees import Key
from ctxrepo.storage.worktree import Wanted, Worktree

_BATCH = 512
"""Files written between two syncs of the disk; bounds the memory a first clone takes."""


@dataclass(frozen=True)
class Seen:
    """The worktree as found: blob ids on disk, what was passed over, and what each file is based on.

    With `only` but no `cone`, nothing else was looked at, and nothing is known about it. In a sparse clone
    `cone` is what belongs on disk, and `only` what is there besides.
    """

    disk: Mapping[str, str]
    skipped: Mapping[str, str]
    base: Mapping[str, Key]
    next: Mapping[str, Key]
    only: frozenset[str] | None = None
    cone: Cone | None = None
    is_emptied: bool = False
    """Nothing is left of what was there; so nothing counts as based on anything, or as removed."""

    @property
    def is_whole(self) -> bool:
        """Whether everything that belongs on disk was looked at."""
        return self.only is None or self.cone is not None

    def is_out_of_reach(self, path: str) -> bool:
        """Whether the file, or a folder it is in, was passed over, or may never be on disk."""
        if unsafe(path) or is_ignored(path):
            return True
        parts = path.split("/")
        return any("/".join(parts[: n + 1]) in self.skipped for n in range(len(parts)))

    def edited(self, head: Mapping[str, Key]) -> set[str]:
        """Paths that somebody changed, rather than us not having brought them up to date yet."""
        paths = unequal(self.disk, head)
        if paths:
            paths &= unequal(self.disk, self.base)
        if paths and self.next is not self.base:
            paths &= unequal(self.disk, self.next)
        return {path for path in paths if not self.is_out_of_reach(path)}


@dataclass(frozen=True)
class Checkout:
    objects: Objects
    worktree: Worktree
    stamps: Path
    cone: Cone | None = None
    progress: Progress | None = None

    def files(self, tree: str | None, seen: Seen) -> Mapping[str, Key]:
        """path -> key of what a tree has, as far as `seen` went."""
        return self.objects.files(tree, seen.only, seen.cone)

    def look(self, only: Iterable[str] | None = None, written: Collection[str] = ()) -> Seen:
        """Look through the worktree, or at the files in `only` where nothing speaks against it.

        A worktree that was emptied says nothing of what a person wants gone: but for files `written` since,
        nothing in it counts as removed then.
        """
        base, following = self.objects.ref(WT), self.objects.ref(WT_NEXT)
        if only is not None and base == following and not self._lacks_root_file(base):
            return self._look_at(frozenset(only), base)
        stamps = Stamps(self.stamps)
        known = stamps.read()
        scan = self.worktree.scan(known=known)
        disk = file_ids(stamps, self.worktree, scan, known)
        only = None if self.cone is None else frozenset(p for p in disk if not self.cone.holds(p))
        was, will = (self.objects.files(tree, only, self.cone) for tree in (base, following))
        is_emptied = _is_emptied(was, disk, written)
        was, will = ({}, {}) if is_emptied else (was, will)
        skipped = {**scan.skipped, **_unread(scan, disk), **self._obstacles(was, disk)}
        return Seen(disk, skipped, was, will, only, self.cone, is_emptied)

    def _look_at(self, only: frozenset[str], base: str | None) -> Seen:
        scan = self.worktree.scan_some(only)
        found = {path: read_id(self.worktree, path) for path in scan.files}
        disk = {path: oid for path, oid in found.items() if oid is not None}
        based = self.objects.files(base, only)
        skipped = {**scan.skipped, **_unread(scan, disk), **self._obstacles(based, disk)}
        return Seen(disk, skipped, based, based, only)

    def _obstacles(self, base: Mapping[str, Key], disk: Mapping[str, str]) -> dict[str, str]:
        """Notes in whose place an empty folder is: nobody deletes a note that way."""
        gone = base.keys() - disk.keys()
        return dict.fromkeys((p for p in gone if self.worktree.is_empty_folder(p)), "is an empty folder")

    def _lacks_root_file(self, base: str | None) -> bool:
        """Whether a file at the top is missing, as in a worktree that was emptied."""
        there = (name for name, key in self.objects.names_in(base, "").items() if key and _may_tell(name))
        return not all(self.worktree.exists(name) for name in there)

    def base_on(self, files: Mapping[str, bytes | None]) -> None:
        """Say what these files are based on (None: on nothing), for somebody who could not say it himself."""
        keys = {path: None if data is None else self.objects.store(data) for path, data in files.items()}
        based = self.objects.edit(self.objects.ref(WT), keys)
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)

    def bring(self, tree: str, seen: Seen, hold: Collection[str] = ()) -> list[Late]:
        """Make the files those of `tree`, as far as `seen` goes; not those in `hold` or changed since.

        Links, submodules, unsafe names and huge files stay in the tree and never reach the disk.

        Returns what was written to files while they were being replaced.
        """
        want = self.files(tree, seen)
        differing = unequal(want, seen.disk)
        hidden = {p for p in differing if p in want and (unsafe(p) or is_ignored(p) or ":" in want[p])}
        due = {p for p in differing - hidden - set(hold) if not seen.is_out_of_reach(p)}
        before = self.objects.ref(WT)
        # What is not looked at keeps its base.
        keep = () if seen.is_whole or seen.only is None else seen.only
        based = tree if seen.is_whole else self.objects.edit(before, {p: want.get(p) for p in keep})
        if not due and not hidden and not hold and before == based:
            return []
        self.objects.set_ref(WT_NEXT, based)
        kept: dict[str, Key | None] = {p: seen.base.get(p) for p in (*hold, *(differing - due))}
        late: list[Late] = []
        for number, batch in enumerate(_batches(sorted(due))):
            if self.progress and len(due) > _BATCH:
                self.progress(f"writing notes: {number * _BATCH} of {len(due)}")
            self.objects.need(want[p] for p in batch if p in want)
            wanted = {p: self._wanted(p, want, seen) for p in batch}
            huge = {p for p, w in wanted.items() if w.data is not None and len(w.data) > MAX_BYTES}
            adopted = self.worktree.adopt({p: w for p, w in wanted.items() if p not in huge})
            kept |= {p: seen.base.get(p) for p in adopted.skipped}
            late = [*adopted.late]
            hidden |= huge
        # A file left as it is keeps the base it had, or its edits would be taken for the remote's; what is
        # never materialised has none, or its absence would be taken for a deletion.
        kept |= dict.fromkeys(hidden)
        based = self.objects.edit(based, {p: k for p, k in kept.items() if k != want.get(p)})
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)
        return late

    def _wanted(self, path: str, want: Mapping[str, Key], seen: Seen) -> Wanted:
        key = want.get(path)
        return Wanted(seen.disk.get(path), None if key is None else self.objects.data(key))


def _unread(scan: Scan, disk: Mapping[str, str]) -> dict[str, str]:
    """What is there and can't be read is not gone: taken for deleted, it would be removed everywhere."""
    return dict.fromkeys(scan.files.keys() - disk.keys(), "can't be read")


def _is_emptied(base: Mapping[str, str], disk: Mapping[str, str], written: Collection[str]) -> bool:
    if any(path in disk and not path.startswith(".") and path not in written for path in base):
        return False
    return any(_may_tell(path) for path in base)


def _may_tell(path: str) -> bool:
    """Whether a file's absence means something: `rm -rf *` leaves what begins with a dot."""
    return not (path.startswith(".") or unsafe(path) or is_ignored(path))


def unequal(one: Mapping[str, str], other: Mapping[str, str]) -> set[str]:
    """Paths that are not the same in both."""
    return set() if one == other else {path for path, _ in one.items() ^ other.items()}


def _batches(paths: list[str]) -> Iterator[list[str]]:
    rest = iter(paths)
    while batch := list(islice(rest, _BATCH)):
        yield batch
