"""Makes the files of the clone follow a commit without git's checkout, and never overwrites a person's edit;
and makes the user's index follow HEAD, so that `git status` shows no changes.

Two refs hold trees: `wt` has the version that each file is based on, `wt-next` the version that is being
written. A file that equals either is unedited, whatever HEAD says by now. So a checkout that was killed
half-way never looks as if a person had taken back what the remote added (ADR 7). A file that an obstacle
hides is based on nothing."""

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.project.layout import is_ignored, is_note, prefixes_of, unsafe
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import FOLLOWED, WT, WT_NEXT, RefFiles
from ctxrepo.storage.git.git import Git, Progress
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.worktree.disk import (
    AllFiles,
    Differing,
    Disk,
    Hidden,
    SomeFiles,
    files_at_places,
    read_files,
    read_worktree,
)
from ctxrepo.storage.worktree.scan import A_FILE, A_FOLDER, in_the_way
from ctxrepo.storage.worktree.stamps import Stamps
from ctxrepo.storage.worktree.worktree import FileUpdate, LateWrite, Worktree


@dataclass(frozen=True)
class Snapshot:
    """The worktree at one moment: the files on disk, the skipped paths, and two trees: `base` has the
    version that each file is based on, `next` the version that was being written."""

    disk: Disk
    skipped: Mapping[str, str]
    base: str | None
    next: str | None
    is_emptied: bool = False
    """All files are gone; so nothing counts as removed, and no file is based on anything."""
    hidden: Mapping[str, Key] = field(default_factory=dict)
    """What the files that an obstacle hides were based on until now; `base` no longer has them."""

    def is_out_of_reach(self, path: str) -> bool:
        """Whether the file or a folder on its path was skipped, or the file may never be on disk."""
        if unsafe(path) or is_ignored(path):
            return True
        return "" in self.skipped or any(place in self.skipped for place in prefixes_of(path))

    def has_looked_at(self, path: str) -> bool:
        """Whether the snapshot knows what is at this path, or that nothing is there."""
        is_asked = self.disk.only is None or path in self.disk.only
        return is_asked and not self.is_out_of_reach(path)


_BATCH = 512
"""Files that are written between two syncs of the disk; it bounds the memory that a first clone takes."""


@dataclass(frozen=True)
class Checkout:
    objects: Objects
    worktree: Worktree
    stamps: Path
    cone: Cone | None = None
    progress: Progress | None = None
    converted: Callable[[str, Collection[str]], Collection[str]] = lambda _, __: ()
    """Those of these paths that git stores in another form than it writes, by a tree's own attributes."""

    @property
    def hidden(self) -> Hidden:
        """The files that an obstacle hides: a folder, a link or a pipe in their place."""
        return Hidden(self.objects, self.worktree)

    def snapshot(
        self, only: Iterable[str] | None = None, written: Collection[str] = (), head: str | None = None
    ) -> Snapshot:
        """Read the whole worktree, or the files in `only` if that is enough: not when a checkout was
        killed half-way, or the worktree may have been emptied. In an emptied one no missing file counts as
        removed, save those that a command has `written` since. The tree `head` tells whether a folder in a
        file's place, or a file in a folder's, belongs there."""
        base, following = self.objects.ref(WT), self.objects.ref(WT_NEXT)
        # Unequal refs mean that a checkout was killed half-way: any file may hold either version, so all of
        # them are read (tests/storage/worktree/test_checkout.py).
        disk: Disk
        if only is not None and base == following and not self._lacks_root_file(base):
            disk, skipped = read_files(self.worktree, frozenset(only))
        else:
            top, skipped = read_worktree(Stamps(self.stamps), self.worktree, self.progress)
            disk = AllFiles(top, self.cone)
        snapshot = self._rebase_hidden(Snapshot(disk, skipped, base, following), written, head)
        if isinstance(disk, AllFiles) and self._is_emptied(disk, snapshot.base, written):
            return replace(snapshot, base=None, next=None, is_emptied=True)
        return snapshot

    def extend(self, snapshot: Snapshot, paths: Collection[str], head: str | None = None) -> Snapshot:
        """The same snapshot with more files in it. What it has already is not read again: a file may be
        replaced only while it still is what the snapshot has, so that an edit made since is noticed then."""
        if snapshot.disk.only is None:
            return snapshot
        more, skipped = read_files(self.worktree, frozenset(paths) - snapshot.disk.only)
        further = self._rebase_hidden(replace(snapshot, disk=more, skipped=skipped), (), head)
        return replace(
            further,
            disk=snapshot.disk.joined(more),
            skipped={**snapshot.skipped, **further.skipped},
            hidden={**snapshot.hidden, **further.hidden},
        )

    def hide(self, snapshot: Snapshot) -> None:
        """Write down which files are hidden now, before they can come to light again."""
        if snapshot.hidden:
            self.hidden.add(snapshot.hidden)
            removals = dict.fromkeys(snapshot.hidden)
            for name in (WT_NEXT, WT):
                self.objects.set_ref(name, self.objects.edit(self.objects.ref(name), removals))

    def differing(self, snapshot: Snapshot, tree: str | None) -> Differing:
        """The files of the snapshot that differ from those in a tree."""
        return snapshot.disk.differing(self.objects, tree)

    def edited(self, snapshot: Snapshot, head: str | None) -> set[str]:
        """Paths that somebody edited; not those that we have not checked out yet."""
        paths = {*self.differing(snapshot, head)}
        for tree in {snapshot.base, snapshot.next} - {head}:
            paths &= paths and self.differing(snapshot, tree).keys()
        return {path for path in paths if not snapshot.is_out_of_reach(path)}

    def _is_emptied(self, disk: AllFiles, base: str | None, written: Collection[str]) -> bool:
        """Whether all files of `base` are gone, save those whose names begin with a dot."""
        if any(not path.startswith(".") and path not in written for path in disk.shared(self.objects, base)):
            return False
        return any(_counts_when_missing(path) for path in disk.differing(self.objects, base))

    def _rebase_hidden(self, snapshot: Snapshot, written: Collection[str], head: str | None) -> Snapshot:
        """The snapshot with hidden files based on nothing, so that their absence is no deletion. One that
        is back, or that a command has `written` since, is based again on the version from before."""
        before = self.hidden.files()
        skipped = {**snapshot.skipped, **self._obstacles(snapshot, before, head)}
        snapshot = replace(snapshot, skipped=skipped)
        trees = (snapshot.next, snapshot.base)
        files = (files_at_places(self.objects, tree, skipped) for tree in trees)
        now = {path: key for each in files for path, key in each.items()}
        known = self.objects.files(snapshot.base, before)
        back = {
            path: key
            for path, key in before.items()
            if path not in known
            and snapshot.has_looked_at(path)
            and (snapshot.disk.has(path) or path in written)
        }
        changes = {**dict.fromkeys(now), **back}
        if not changes:
            return snapshot
        base, following = (self.objects.edit(tree, changes) for tree in (snapshot.base, snapshot.next))
        return replace(snapshot, base=base, next=following, hidden=now)

    def _obstacles(self, snapshot: Snapshot, hidden: Iterable[str], head: str | None) -> dict[str, str]:
        """path -> why, of each obstacle: what stands in the place of a file that is gone or was hidden, or of
        a folder on its path. Nobody deletes a note by putting something else in its place."""
        once_hidden = frozenset(hidden)
        differing = snapshot.disk.differing(self.objects, snapshot.base)
        absent = {path for path, (oid, _) in differing.items() if oid is None} | once_hidden
        absent = {path for path in absent if snapshot.has_looked_at(path)}
        notes = {path for path in absent if path in once_hidden or is_note(path) or path.endswith(".jsonl")}
        plain = in_the_way(self.worktree.root, absent - notes)
        obstacles = {place: why for place, why in plain.items() if not self._is_meant(place, why)}
        obstacles |= in_the_way(self.worktree.root, notes)
        return {
            place: why
            for place, why in obstacles.items()
            if not any(self._belongs(place, why, tree) for tree in (snapshot.next, head))
        }

    def _is_meant(self, place: str, why: str) -> bool:
        """Whether a person may have made a folder of files out of a file, or a file out of such a folder;
        only asked of what is no note, as nobody makes a folder out of a note."""
        return why == A_FILE or (why == A_FOLDER and bool(self.worktree.scan(place).files))

    def _belongs(self, place: str, why: str, tree: str | None) -> bool:
        """Whether a tree has a folder or a file where it seemed to be in the way."""
        folder, _, name = place.rpartition("/")
        names = self.objects.names_in(tree, folder)
        return name in names and why == (A_FOLDER if names[name] is None else A_FILE)

    def _lacks_root_file(self, base: str | None) -> bool:
        """Whether a file at the top is missing, as in a worktree that was emptied."""
        expected = (
            name
            for name, key in self.objects.names_in(base, "").items()
            if key and _counts_when_missing(name)
        )
        return not all(self.worktree.exists(name) for name in expected)

    def base_on(self, keys: Mapping[str, Key | None]) -> None:
        """Record what files are based on (None: nothing), for a process that was killed before that."""
        based = self.objects.edit(self.objects.ref(WT), keys)
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)

    def note_switch(self, old: str | None, new: str | None) -> None:
        """Record that the user's own git has checked out `new` over `old`: files that differ are based on
        `new`, but links, which we never read, and what a sparse clone leaves out on nothing."""
        differing = self.objects.diff(old, new)
        keys = {path: None if key and ":" in key else key for path, (_, key) in differing.items()}
        cone = self.cone
        if cone is not None:
            keys = {p: key for p, key in keys.items() if cone.holds(p) or self.worktree.exists(p)}
        based = self.objects.edit(self.objects.ref(WT), keys)
        self.objects.set_ref(WT_NEXT, based)
        self.objects.set_ref(WT, based)

    def check_out(self, tree: str, snapshot: Snapshot, hold: Collection[str] = ()) -> list[LateWrite]:
        """Write the files of `tree` in the snapshot, but those in `hold`, edited since, links, submodules,
        unsafe names and huge files. Returns what programs wrote to files while we replaced them."""
        self.hide(snapshot)
        late = self._check_out(tree, snapshot, hold)
        self.hidden.drop(path for path in self.hidden.files() if snapshot.has_looked_at(path))
        return late

    def _check_out(self, tree: str, snapshot: Snapshot, hold: Collection[str]) -> list[LateWrite]:
        differing = self.differing(snapshot, tree)
        coming = {path: key for path, (_, key) in differing.items() if key}
        never = {p for p, key in coming.items() if unsafe(p) or is_ignored(p) or ":" in key}
        never |= {p for p, key in coming.items() if p not in never and self.objects.is_large(key)}
        never |= {*self.converted(tree, coming)}
        due = {p for p in differing.keys() - never - set(hold) if not snapshot.is_out_of_reach(p)}
        before = self.objects.ref(WT)
        based = self._based(tree, snapshot.disk, before)
        if not due and not never and not hold and before == based:
            return []
        # First record what is about to be written: if we are killed below, a file that equals the new version
        # counts as unedited, too. WT follows only when every file is on the disk (ADR 7).
        self.objects.set_ref(WT_NEXT, based)
        unchanged = {*hold, *(differing.keys() - due)}
        paths = sorted(due)
        for first in range(0, len(paths), _BATCH):
            batch = paths[first : first + _BATCH]
            if self.progress and len(paths) > _BATCH:
                self.progress(f"writing notes: {first} of {len(paths)}")
            self.objects.need(coming[p] for p in batch if p in coming)
            # A partial clone could not measure these before it had fetched them.
            huge = {p for p in batch if p in coming and self.objects.is_large(coming[p])}
            data = {p: self.objects.data(coming[p]) for p in batch if p in coming and p not in huge}
            updates = {p: FileUpdate(differing[p][0], data.get(p)) for p in batch if p not in huge}
            unchanged |= self.worktree.update_unchanged(updates)
            never |= huge
        # A file that we left alone keeps its base: with the new one its old text would read as an edit that
        # takes the remote's changes back. A file that is never written has no base: else it would read as
        # deleted.
        based = self.objects.edit(based, self._keys(snapshot.base, unchanged) | dict.fromkeys(never))
        self.objects.set_ref(WT, based)
        self.objects.set_ref(WT_NEXT, based)
        return self.worktree.replaced.late_writes() if due else []

    def _based(self, tree: str, disk: Disk, before: str | None) -> str:
        """What files are based on once they follow `tree`, and were based on `before`. One that is not in the
        snapshot keeps its base; one that a sparse clone leaves out has none until it is on disk: whatever
        somebody puts there was not made of it."""
        if isinstance(disk, SomeFiles):
            return self.objects.edit(before, self._keys(tree, disk.only))
        if self.cone is None:
            return tree
        return self.objects.edit(self.objects.within(tree, self.cone), self._keys(tree, [*disk.outside()]))

    def _keys(self, tree: str | None, paths: Collection[str]) -> dict[str, Key | None]:
        """path -> key in a tree; None where the tree has no such file."""
        keys = self.objects.files(tree, paths)
        return {path: keys.get(path) for path in paths}


def _counts_when_missing(path: str) -> bool:
    """Whether it means something that a file is missing: `rm -rf *` spares names that begin with a dot."""
    return not (path.startswith(".") or unsafe(path) or is_ignored(path))


_TIMEOUT = 20.0

_GONE = ("0", "0" * 40)
"""The mode and id that tell git to remove a path from the index."""


@dataclass(frozen=True)
class UserIndex:
    """`.git/index`, made in a copy and put in place in one step: a killed git would leave `index.lock` in
    the user's way. Our lock is a hard link to the copy, by which we know and remove it after a kill."""

    git_dir: Path
    objects: Objects
    git: Git
    is_sparse: bool = False

    def follow(self, tree: str) -> None:
        """Make the index say what `tree` says, which is the tree of HEAD; the caller holds the write lock.
        What a person staged stays, except in files that our commit changed: there the staged version would
        take our change back with the person's next commit. If another process holds the lock, the next
        commit tries again."""
        before = self._stamp()
        base = self.objects.ref(FOLLOWED) or self._tree_before()
        # An index that is missing, or that a power cut left empty, holds nothing that a person staged.
        is_readable = before is not None and before[0] > 0
        if base == tree and is_readable:
            return
        if is_readable and RefFiles(self.git_dir).index_is_garbage():
            return  # git would write a new checksum over the damage, which `services/rescue/repair` mends
        self._clear()
        if is_readable:
            shutil.copy2(self._index, self._new)
        if self._update_copy(base if is_readable else self.objects.edit(None, {}), tree):
            with suppress(OSError):
                os.link(self._new, self._lock)
                if self._stamp() == before:
                    self._lock.rename(self._index)
                    self.objects.set_ref(FOLLOWED, tree)
        self._clear()

    def note_switch(self, tree: str) -> None:
        """Record that the user's own git has made the index say what `tree` says."""
        self.objects.set_ref(FOLLOWED, tree)

    def forget(self) -> None:
        """Forget which tree the index follows, so that the next commit compares all of it."""
        self.objects.drop_ref(FOLLOWED)

    def _update_copy(self, base: str, tree: str) -> bool:
        """Write to our copy what `tree` has wherever it differs from `base`."""
        if self.is_sparse:  # only read-tree knows folders that are not on disk, an entry each
            merges = (("read-tree", "-i", "-m", *trees) for trees in ((base, tree), (tree,)))
            return any(self.git.run(*words, timeout=_TIMEOUT, index=self._new).ok for words in merges)
        entries = [(path, after or _GONE) for path, _, after in self.objects.differences(base, tree)]
        # What goes comes first: a file may be where a folder was.
        entries.sort(key=lambda entry: entry[1] != _GONE)
        lines = "".join(f"{mode} {oid}\t{path}\0" for path, (mode, oid) in entries)
        update = ("update-index", "-z", "--index-info")
        return self.git.run(*update, timeout=_TIMEOUT, stdin=lines.encode(), index=self._new).ok

    def _tree_before(self) -> str:
        """The tree that the index had before our first commit: that of HEAD's parent."""
        head = self.objects.ref("HEAD")
        parents = self.objects.parents(head) if head else []
        return (self.objects.tree_of(parents[0]) if parents else None) or self.objects.edit(None, {})

    def _clear(self) -> None:
        """Remove our copy, and the lock if it is a link to that copy."""
        with suppress(FileNotFoundError):
            if self._lock.samefile(self._new):
                self._lock.unlink()
        for leftover in (self._new, self._new.with_name("index.lock")):
            leftover.unlink(missing_ok=True)

    def _stamp(self) -> tuple[int, int, int] | None:
        """(size, moment, inode) of the index; None for none."""
        with suppress(FileNotFoundError):
            status = self._index.stat()
            return status.st_size, status.st_mtime_ns, status.st_ino
        return None

    @property
    def _index(self) -> Path:
        return self.git_dir / "index"

    @property
    def _lock(self) -> Path:
        return self.git_dir / "index.lock"

    @property
    def _new(self) -> Path:
        return self.git_dir / "ctxrepo" / "index"
