"""Keeps worktree and commit together without git's checkout, so that nothing a person wrote is overwritten.

Two refs hold trees: `wt`, the version each file was last based on, and `wt-next`, the one being written.
A file equal to either is unedited, whatever HEAD says by now; so a checkout that was killed half-way never
reads as "a person took the remote's additions back". A file that something else hides is based on nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ctxrepo.domain.git.cone import Cone
from ctxrepo.domain.project.paths import is_ignored, is_note, unsafe
from ctxrepo.storage.clone.reffiles import WT, WT_NEXT
from ctxrepo.storage.git.git import Progress
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.worktree.disk import Differing, Disk, Everything, look, look_at
from ctxrepo.storage.worktree.hidden import Hidden, found_at
from ctxrepo.storage.worktree.replaced import LateWrite
from ctxrepo.storage.worktree.scan import A_FILE, A_FOLDER
from ctxrepo.storage.worktree.snapshot import Snapshot
from ctxrepo.storage.worktree.stamps import Stamps
from ctxrepo.storage.worktree.worktree import FileUpdate, Worktree

_BATCH = 512
"""Files written between two syncs of the disk; bounds the memory a first clone takes."""


@dataclass(frozen=True)
class Checkout:
    objects: Objects
    worktree: Worktree
    stamps: Path
    cone: Cone | None = None
    progress: Progress | None = None

    @property
    def hidden(self) -> Hidden:
        """The files that something else hides."""
        return Hidden(self.objects, self.worktree)

    def look(
        self, only: Iterable[str] | None = None, written: Collection[str] = (), head: str | None = None
    ) -> Snapshot:
        """Look through the worktree, or at the files in `only` where nothing speaks against it.

        A worktree that was emptied says nothing of what a person wants gone: but for files `written` since,
        nothing in it counts as removed then. Of a folder in a file's place, or a file in a folder's, it
        depends on the tree `head` whether it belongs there.
        """
        base, following = self.objects.ref(WT), self.objects.ref(WT_NEXT)
        disk: Disk
        if only is not None and base == following and not self._lacks_root_file(base):
            disk, skipped = look_at(self.worktree, frozenset(only))
        else:
            top, skipped = look(Stamps(self.stamps), self.worktree, self.progress)
            disk = Everything(top, self.cone)
        seen = self._without_hidden(Snapshot(disk, skipped, base, following), written, head)
        if isinstance(disk, Everything) and self._is_emptied(disk, seen.base, written):
            return replace(seen, base=None, next=None, is_emptied=True)
        return seen

    def look_further(self, seen: Snapshot, paths: Collection[str], head: str | None = None) -> Snapshot:
        """The same look, at more files. What it found before stays: of an edit made since nobody knows yet,
        and a file may only be replaced as long as it is what was found."""
        if seen.disk.only is None:
            return seen
        more, skipped = look_at(self.worktree, frozenset(paths) - seen.disk.only)
        further = self._without_hidden(replace(seen, disk=more, skipped=skipped), (), head)
        return replace(
            further,
            disk=seen.disk.joined(more),
            skipped={**seen.skipped, **further.skipped},
            hidden={**seen.hidden, **further.hidden},
        )

    def hide(self, seen: Snapshot) -> None:
        """Write down what is hidden now, before it can come to light again."""
        if seen.hidden:
            self.hidden.add(seen.hidden)
            for name in (WT_NEXT, WT):
                self.objects.set_ref(
                    name, self.objects.edit(self.objects.ref(name), dict.fromkeys(seen.hidden))
                )

    def differing(self, seen: Snapshot, tree: str | None) -> Differing:
        """What is on disk beside what a tree has, where that is not the same and as far as `seen` went."""
        return seen.disk.differing(self.objects, tree)

    def edited(self, seen: Snapshot, head: str | None) -> set[str]:
        """Paths that somebody changed, rather than us not having brought them up to date yet."""
        paths = {*self.differing(seen, head)}
        for tree in {seen.base, seen.next} - {head}:
            paths &= paths and self.differing(seen, tree).keys()
        return {path for path in paths if not seen.is_out_of_reach(path)}

    def _is_emptied(self, disk: Everything, base: str | None, written: Collection[str]) -> bool:
        """Whether nothing is left of what was there, but for what begins with a dot."""
        if any(not path.startswith(".") and path not in written for path in disk.shared(self.objects, base)):
            return False
        return any(_may_tell(path) for path in disk.differing(self.objects, base))

    def _without_hidden(self, seen: Snapshot, written: Collection[str], head: str | None) -> Snapshot:
        """What was seen, with what is hidden based on nothing: its absence is no deletion.

        A file that has come back, or that a command has `written` since, is based on what it was before.
        """
        before = self.hidden.files()
        skipped = {**seen.skipped, **self._obstacles(seen, before, head)}
        seen = replace(seen, skipped=skipped)
        trees = (seen.next, seen.base)
        now = {path: key for tree in trees for path, key in found_at(self.objects, tree, skipped).items()}
        known = self.objects.files(seen.base, before)
        back = {
            path: key
            for path, key in before.items()
            if path not in known and seen.has_looked_at(path) and (seen.disk.has(path) or path in written)
        }
        changes = {**dict.fromkeys(now), **back}
        if not changes:
            return seen
        base, following = (self.objects.edit(tree, changes) for tree in (seen.base, seen.next))
        return replace(seen, base=base, next=following, hidden=now)

    def _obstacles(self, seen: Snapshot, hidden: Iterable[str], head: str | None) -> dict[str, str]:
        """What is in the place of files that are gone or were hidden, or of folders that these were in:
        nobody deletes a note that way."""
        known = frozenset(hidden)
        differing = seen.disk.differing(self.objects, seen.base)
        gone = {path for path, (oid, _) in differing.items() if oid is None} | known
        gone = {path for path in gone if seen.has_looked_at(path)}
        kept = {path for path in gone if path in known or is_note(path) or path.endswith(".jsonl")}
        plain = self.worktree.in_the_way(gone - kept)
        found = {place: why for place, why in plain.items() if not self._is_exchanged(place, why)}
        found |= self.worktree.in_the_way(kept)
        return {
            place: why
            for place, why in found.items()
            if not any(self._belongs(place, why, tree) for tree in (seen.next, head))
        }

    def _is_exchanged(self, place: str, why: str) -> bool:
        """Whether somebody may have meant it: a plain file becomes a folder of files, or the other way round.
        Nobody makes a folder of a note, or a file of a folder of notes."""
        return why == A_FILE or (why == A_FOLDER and bool(self.worktree.scan(place).files))

    def _belongs(self, place: str, why: str, tree: str | None) -> bool:
        """Whether a tree has a folder or a file where it seemed to be in the way."""
        folder, _, name = place.rpartition("/")
        names = self.objects.names_in(tree, folder)
        return name in names and why == (A_FOLDER if names[name] is None else A_FILE)

    def _lacks_root_file(self, base: str | None) -> bool:
        """Whether a file at the top is missing, as in a worktree that was emptied."""
        there = (name for name, key in self.objects.names_in(base, "").items() if key and _may_tell(name))
        return not all(self.worktree.exists(name) for name in there)

    def base_on(self, files: Mapping[str, bytes | None]) -> None:
        """Say what these files are based on (None: on nothing), for somebody who could not say it himself."""
        based = self.objects.edit(self.objects.ref(WT), self.objects.store_files(files))
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)

    def note_switch(self, old: str | None, new: str | None) -> None:
        """A git of the user's has brought the files from one tree to the other: where these differ, the
        files are based on the other one now. Links are never looked at, so they are based on nothing."""
        differing = self.objects.diff(old, new)
        keys = {path: None if key and ":" in key else key for path, (_, key) in differing.items()}
        based = self.objects.edit(self.objects.ref(WT), keys)
        self.objects.set_ref(WT_NEXT, based)
        self.objects.set_ref(WT, based)

    def check_out(self, tree: str, seen: Snapshot, hold: Collection[str] = ()) -> list[LateWrite]:
        """Make the files those of `tree`, as far as `seen` goes; not those in `hold` or changed since.

        Links, submodules, unsafe names and huge files stay in the tree and never reach the disk.

        Returns what was written to files while they were being replaced.
        """
        self.hide(seen)
        late = self._check_out(tree, seen, hold)
        self.hidden.drop(path for path in self.hidden.files() if seen.has_looked_at(path))
        return late

    def _check_out(self, tree: str, seen: Snapshot, hold: Collection[str]) -> list[LateWrite]:
        differing = self.differing(seen, tree)
        coming = {path: key for path, (_, key) in differing.items() if key}
        never = {p for p, key in coming.items() if unsafe(p) or is_ignored(p) or ":" in key}
        never |= {p for p, key in coming.items() if p not in never and self.objects.is_large(key)}
        due = {p for p in differing.keys() - never - set(hold) if not seen.is_out_of_reach(p)}
        before = self.objects.ref(WT)
        # What is not looked at keeps its base.
        only = seen.disk.only
        based = tree if only is None else self.objects.edit(before, self._keys(tree, only))
        if not due and not never and not hold and before == based:
            return []
        self.objects.set_ref(WT_NEXT, based)
        left = {*hold, *(differing.keys() - due)}
        for number, batch in enumerate(_batches(sorted(due))):
            if self.progress and len(due) > _BATCH:
                self.progress(f"writing notes: {number * _BATCH} of {len(due)}")
            self.objects.need(coming[p] for p in batch if p in coming)
            # What a partial clone left with its remote could not be measured before.
            huge = {p for p in batch if p in coming and self.objects.is_large(coming[p])}
            wanted = {p: self._wanted(*differing[p]) for p in batch if p not in huge}
            left |= self.worktree.adopt(wanted)
            never |= huge
        # A file left as it is keeps the base it had, or its edits would be taken for the remote's; what is
        # never materialised has none, or its absence would be taken for a deletion.
        based = self.objects.edit(based, self._keys(seen.base, left) | dict.fromkeys(never))
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)
        return self.worktree.replaced.late_writes() if due else []

    def _keys(self, tree: str | None, paths: Collection[str]) -> dict[str, Key | None]:
        """path -> key in a tree, None where there is nothing."""
        found = self.objects.files(tree, paths)
        return {path: found.get(path) for path in paths}

    def _wanted(self, expected: str | None, key: Key | None) -> FileUpdate:
        return FileUpdate(expected, None if key is None else self.objects.data(key))


def _may_tell(path: str) -> bool:
    """Whether a file's absence means something: `rm -rf *` leaves what begins with a dot."""
    return not (path.startswith(".") or unsafe(path) or is_ignored(path))


def _batches(paths: list[str]) -> Iterator[list[str]]:
    rest = iter(paths)
    while batch := list(islice(rest, _BATCH)):
        yield batch
