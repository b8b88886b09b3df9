"""Renames files whose names can't be in one folder: names that differ only in case, a file named like a
folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import count

from ctxrepo.domain.merge.tree.contents import Blobs, Content, Contents
from ctxrepo.domain.merge.tree.surroundings import Surroundings, folders_of, join
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.paths import MAX_PART_BYTES, fold
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.text.digest import blake2b
from ctxrepo.lazy import dataclass

_STAYED, _NEW, _REMOVED = range(3)
"""Which spelling of a folder goes on: one that all have, else a new one, else one that a side gave up."""


@dataclass(frozen=True)
class Versions:
    """The changed paths of the three trees that are merged, and what stands around them."""

    base: Contents
    ours: Contents
    theirs: Contents
    around: Surroundings


def kept_apart(
    merged: Contents, versions: Versions, blobs: Blobs
) -> tuple[dict[str, Content], list[ConflictCopy]]:
    """The same files, under names that a file system which ignores case and spelling can hold together.

    Twins of a folder become one. Of twins of a file one keeps the name: what was there before, else what is
    new, else the lesser; the others are called `name~1f3c` after the hash of their path. A file that is
    called as a folder is becomes `name~file`. What was together in the base stays together. Where a new
    name is taken, what made way before is there: the two are merged, and what loses in that is returned.

    The outcome does not depend on which side was called ours.
    """
    names = _Names(merged, versions)
    placed = {names.final_path(path): content for path, content in merged.items() if names.stays(path)}
    taken = {fold(path): path for path in placed}
    copies: list[ConflictCopy] = []
    for path in sorted(path for path in merged if not names.stays(path)):
        new = next(n for n in names.beside(path) if taken.get(fold(n), n) == n and names.is_free(n))
        taken[fold(new)] = new
        there = placed.get(new, versions.around.like(new).get(new))
        both, lost = blobs.merge(new, None, there, merged[path])
        placed[new] = merged[path] if both is None else both
        copies += lost
    return placed, copies


class _Names:
    """The paths of a merged tree, grouped as a file system that ignores case would."""

    def __init__(self, merged: Collection[str], versions: Versions) -> None:
        self._around = versions.around
        sides = (_folders(side) for side in (versions.base, versions.ours, versions.theirs))
        self._folder_ranks = _ranks(_folders(merged), *sides)
        new = [path for path in merged if path not in versions.base]
        for path in (*new, *(f for f, rank in list(self._folder_ranks.items()) if rank != _STAYED)):
            there = self._around.like(path)
            self._folder_ranks |= {twin: _STAYED for twin, key in there.items() if key is None}
        self._folders = _firsts(self._folder_ranks)
        self._new_folders = {fold(path) for path, rank in self._folder_ranks.items() if rank == _NEW}
        self._file_ranks = {
            path: _STAYED if path in versions.base and self.final_path(path) == path else _NEW
            for path in merged
        }
        self._files = _firsts(self._file_ranks)

    def stays(self, path: str) -> bool:
        """Whether the file keeps its own name, in whatever folder."""
        has_stayed, name = self._file_ranks[path] == _STAYED, fold(path)
        if name in self._folders:
            return has_stayed and name not in self._new_folders
        return has_stayed or path == self._files[name]

    def final_path(self, path: str) -> str:
        """The path, with its folders spelled as they will be."""
        folder, _, name = path.rpartition("/")
        return join(self._spelled(folder), name)

    def beside(self, path: str) -> Iterator[str]:
        """The names, best first, for a file that has to make way; at most as long as a name may be."""
        folder, _, name = self.final_path(path).rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        start, end = (stem, dot + suffix) if stem else (name, "")
        mark = "file" if path in self._folder_ranks else blake2b(encode(path), digest_size=2).hexdigest()
        for number in count(1):
            tail = f"~{mark}{'' if number == 1 else number}{end}"
            room = max(MAX_PART_BYTES - len(encode(tail)), 1)
            yield join(folder, encode(start)[:room].decode("utf-8", "ignore") + tail)

    def is_free(self, path: str) -> bool:
        """Whether nothing stands in the way of a file at `path` but that very file."""
        like = self._around.like(path)
        return fold(path) not in self._folders and all(there == path and key for there, key in like.items())

    def _spelled(self, folder: str) -> str:
        """Twins of a folder are spelled as the first of them; those that the base had stay as they are."""
        if not folder or self._folder_ranks[folder] == _STAYED:
            return folder
        name = fold(folder)
        first = self._folders[name]
        if first != folder and name in self._new_folders:
            return self._spelled(first)
        parent, _, own = folder.rpartition("/")
        return join(self._spelled(parent), own)


def _ranks(
    folders: Iterable[str], base: Collection[str], ours: Collection[str], theirs: Collection[str]
) -> dict[str, int]:
    return {
        folder: _NEW if folder not in base else _STAYED if folder in ours and folder in theirs else _REMOVED
        for folder in folders
    }


def _firsts(ranks: dict[str, int]) -> dict[str, str]:
    """name as it is folded -> the first of the paths that fold to it, by their rank and then their letters.

    Found in one pass: a remote may have 20,000 spellings of one name.
    """
    found: dict[str, str] = {}
    for path, rank in ranks.items():
        first = found.setdefault(fold(path), path)
        if (rank, path) < (ranks[first], first):
            found[fold(path)] = path
    return found


def _folders(paths: Iterable[str]) -> set[str]:
    return {folder for path in paths for folder in folders_of(path)}
