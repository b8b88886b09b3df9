"""Keeps worktree and commit together without git's checkout, so that nothing a person wrote is overwritten.

Two refs hold trees: `wt`, the version each file was last based on, and `wt-next`, the one being written.
A file equal to either is unedited, whatever HEAD says by now; so a checkout that was killed half-way never
reads as "a person took the remote's additions back".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ctxrepo.domain.paths import is_ignored, unsafe
from ctxrepo.storage.objects import Key, Objects
from ctxrepo.storage.scan import MAX_BYTES
from ctxrepo.storage.stamps import file_ids
from ctxrepo.storage.worktree import Wanted, Worktree

WT = "refs/ctxrepo/wt"
WT_NEXT = "refs/ctxrepo/wt-next"

_BATCH = 512
"""Files written between two syncs of the disk; bounds the memory a first clone takes."""


@dataclass(frozen=True)
class Seen:
    """The worktree as found: blob ids on disk, what was passed over, and what each file is based on."""

    disk: Mapping[str, str]
    skipped: Mapping[str, str]
    base: Mapping[str, Key]
    next: Mapping[str, Key]

    def is_out_of_reach(self, path: str) -> bool:
        """Whether the file, or a folder it is in, was passed over, or may never be on disk."""
        if unsafe(path) or is_ignored(path):
            return True
        parts = path.split("/")
        return any("/".join(parts[: n + 1]) in self.skipped for n in range(len(parts)))

    def is_edited(self, path: str, head: Key | None) -> bool:
        """Whether somebody changed the file, rather than us not having brought it up to date yet."""
        if self.is_out_of_reach(path):
            return False
        now = self.disk.get(path)
        return now not in (head, self.base.get(path), self.next.get(path))


@dataclass(frozen=True)
class Checkout:
    objects: Objects
    worktree: Worktree
    stamps: Path

    def look(self) -> Seen:
        """Scan the worktree."""
        scan = self.worktree.scan()
        disk = file_ids(self.stamps, self.worktree, scan)
        # What is there and can't be read is not gone: taken for deleted, it would be removed everywhere.
        unread = dict.fromkeys(scan.files.keys() - disk.keys(), "can't be read")
        return Seen(
            disk=disk,
            skipped={**scan.skipped, **unread},
            base=self.objects.files(self.objects.ref(WT)),
            next=self.objects.files(self.objects.ref(WT_NEXT)),
        )

    def base_on(self, files: Mapping[str, bytes]) -> None:
        """Say that these files were so when they were committed, by somebody who could not say it himself."""
        keys = {path: self.objects.store(data) for path, data in files.items()}
        based = self.objects.edit(self.objects.ref(WT), keys)
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)

    def bring(self, tree: str, seen: Seen, hold: Collection[str] = ()) -> dict[str, bytes]:
        """Make the files on disk those of `tree`, but for paths in `hold` and files changed since `seen`.

        Links, submodules, unsafe names and huge files stay in the tree and never reach the disk.

        Returns bytes that were written to a file while it was being replaced: path -> bytes.
        """
        want = self.objects.files(tree)
        hidden = {p for p, key in want.items() if unsafe(p) or is_ignored(p) or ":" in key}
        differing = {p for p in want.keys() | seen.disk.keys() if want.get(p) != seen.disk.get(p)}
        due = {p for p in differing - hidden - set(hold) if not seen.is_out_of_reach(p)}
        if not due and not hidden and not hold and self.objects.ref(WT) == tree:
            return {}
        self.objects.set_ref(WT_NEXT, tree)
        kept: dict[str, Key | None] = {p: seen.base.get(p) for p in (*hold, *(differing - due))}
        late: dict[str, bytes] = {}
        for batch in _batches(sorted(due)):
            wanted = {p: self._wanted(p, want, seen) for p in batch}
            huge = {p for p, w in wanted.items() if w.data is not None and len(w.data) > MAX_BYTES}
            adopted = self.worktree.adopt({p: w for p, w in wanted.items() if p not in huge})
            kept |= {p: seen.base.get(p) for p in adopted.skipped}
            late |= adopted.late
            hidden |= huge
        # A file left as it is keeps the base it had, or its edits would be taken for the remote's; what is
        # never materialised has none, or its absence would be taken for a deletion.
        kept |= dict.fromkeys(hidden)
        based = self.objects.edit(tree, {p: k for p, k in kept.items() if k != want.get(p)})
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)
        return late

    def _wanted(self, path: str, want: Mapping[str, Key], seen: Seen) -> Wanted:
        key = want.get(path)
        return Wanted(seen.disk.get(path), None if key is None else self.objects.data(key))


def _batches(paths: list[str]) -> Iterator[list[str]]:
    rest = iter(paths)
    while batch := list(islice(rest, _BATCH)):
        yield batch
