"""Names that clash: file names that can't be in one folder, and project folders that two projects claimed."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import count

from ctxrepo.domain.merge.file import merge_table
from ctxrepo.domain.merge.tree.surroundings import Blobs, Content, Contents, NamesIn, Surroundings, join
from ctxrepo.domain.note.note import decode, encode
from ctxrepo.domain.project import registry
from ctxrepo.domain.project.layout import (
    MAX_PART_BYTES,
    REGISTRY,
    TAPES,
    fold,
    moved_path,
    prefixes_of,
    scope_of,
    tapes_of,
)
from ctxrepo.domain.project.registry import Registry
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import dataclass

_STAYED, _NEW, _REMOVED = range(3)
"""Ranks of the spellings of a folder's name; the lowest is used: one that all three trees have, then a new
one, then one that a side removed."""


@dataclass(frozen=True)
class Versions:
    """The changed paths of the three trees that are merged, and the unchanged paths around them."""

    base: Contents
    ours: Contents
    theirs: Contents
    around: Surroundings


def kept_apart(
    merged: Contents, versions: Versions, blobs: Blobs
) -> tuple[dict[str, Content], list[ConflictCopy]]:
    """Rename files so that a file system which ignores case and spelling can hold them together.

    Folders whose names clash become one. Of clashing files one keeps its name: the one that was there before,
    otherwise the new one, otherwise the lesser name. The others are called `name~1f3c`, after the hash of
    their path. A file with the name of a folder becomes `name~file`. Files of the base stay together. If such
    a new name is taken by a file that was renamed before, the two are merged, and copies of what lost are
    returned.

    The outcome does not depend on which side is called ours."""
    names = _Names(merged, versions)
    placed = {names.final_path(path): content for path, content in merged.items() if names.stays(path)}
    paths_by_fold = {fold(path): path for path in placed}
    copies: list[ConflictCopy] = []
    for path in sorted(path for path in merged if not names.stays(path)):
        new = next(n for n in names.beside(path) if paths_by_fold.get(fold(n), n) == n and names.is_free(n))
        paths_by_fold[fold(new)] = new
        occupant = placed.get(new, versions.around.like(new).get(new))
        both, new_copies = blobs.merge(new, None, occupant, merged[path])
        placed[new] = merged[path] if both is None else both
        copies += new_copies
    return placed, copies


class _Names:
    """The paths of a merged tree, grouped as a file system that ignores case would."""

    def __init__(self, merged: Collection[str], versions: Versions) -> None:
        self._around = versions.around
        base, ours, theirs = (_folders(side) for side in (versions.base, versions.ours, versions.theirs))
        self._folder_ranks = {
            path: _NEW if path not in base else _STAYED if path in ours and path in theirs else _REMOVED
            for path in _folders(merged)
        }
        new = [path for path in merged if path not in versions.base]
        for path in (*new, *(f for f, rank in list(self._folder_ranks.items()) if rank != _STAYED)):
            like = self._around.like(path)
            self._folder_ranks |= {twin: _STAYED for twin, key in like.items() if key is None}
        self._folders = _firsts(self._folder_ranks)
        self._new_folders = {fold(path) for path, rank in self._folder_ranks.items() if rank == _NEW}
        self._file_ranks = {
            path: _STAYED if path in versions.base and self.final_path(path) == path else _NEW
            for path in merged
        }
        self._files = _firsts(self._file_ranks)

    def stays(self, path: str) -> bool:
        """Whether the file keeps its name, in whatever folder."""
        has_stayed, name = self._file_ranks[path] == _STAYED, fold(path)
        if name in self._folders:
            return has_stayed and name not in self._new_folders
        return has_stayed or path == self._files[name]

    def final_path(self, path: str) -> str:
        """The path with its folders spelled as they will be."""
        folder, _, name = path.rpartition("/")
        return join(self._spelled(folder), name)

    def beside(self, path: str) -> Iterator[str]:
        """Names for a file that has to be renamed, best first; none is longer than a name may be."""
        folder, _, name = self.final_path(path).rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        start, end = (stem, dot + suffix) if stem else (name, "")
        mark = "file" if path in self._folder_ranks else blake2b(encode(path), digest_size=2).hexdigest()
        for number in count(1):
            tail = f"~{mark}{'' if number == 1 else number}{end}"
            room = max(MAX_PART_BYTES - len(encode(tail)), 1)
            yield join(folder, encode(start)[:room].decode("utf-8", "ignore") + tail)

    def is_free(self, path: str) -> bool:
        """Whether no other file or folder has the name of `path`."""
        like = self._around.like(path)
        return fold(path) not in self._folders and all(other == path and key for other, key in like.items())

    def _spelled(self, folder: str) -> str:
        """The spelling of a folder: the first one of those that clash; folders of the base keep theirs."""
        if not folder or self._folder_ranks[folder] == _STAYED:
            return folder
        name = fold(folder)
        first = self._folders[name]
        if first != folder and name in self._new_folders:
            return self._spelled(first)
        parent, _, own = folder.rpartition("/")
        return join(self._spelled(parent), own)


def _firsts(ranks: dict[str, int]) -> dict[str, str]:
    """case-folded name -> the first path with that name, by rank and letters; in one pass, since a remote
    may have 20,000 spellings of one name."""
    firsts: dict[str, str] = {}
    for path, rank in ranks.items():
        first = firsts.setdefault(fold(path), path)
        if (rank, path) < (ranks[first], first):
            firsts[fold(path)] = path
    return firsts


def _folders(paths: Iterable[str]) -> set[str]:
    return {folder for path in paths for folder in prefixes_of(path)[:-1]}


Move = tuple[str, str]
"""(old folder, new folder)"""


@dataclass(frozen=True)
class ClaimedTrees:
    """The three trees with each project in one folder, what lost where files of two folders had the same
    path, the paths, old -> new, of what moved, and the folders."""

    base: Contents
    ours: Contents
    theirs: Contents
    conflict_copies: tuple[ConflictCopy, ...] = ()
    moves: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)


def with_own_folders(
    base: Contents, ours: Contents, theirs: Contents, blobs: Blobs, names_in: NamesIn
) -> ClaimedTrees:
    """Move each project to the folder that it has from now on; `names_in` gives names in the base. Files
    that a side wrote for it move there, tapes included; other files of that folder stay."""
    trees = (base, ours, theirs)
    texts = [decode(blobs.bytes_of(tree.get(REGISTRY)) or b"") for tree in trees]
    if len(set(texts)) == 1:
        return ClaimedTrees(base, ours, theirs)
    registries = [registry.parse(text) for text in texts]
    merged = registry.parse((merge_table(REGISTRY, *texts) or ("",))[0])
    folders = {project: merged.folder_of(project) for each in registries for project in each.projects}
    for project, old in _losers(registries, merged, folders):
        folders[project] = _free(old, _names_in_use(registries, trees, names_in, folders.values()))
    carrier = _Carrier(registries, merged, folders, blobs)
    carried = carrier.carried(_with_met_files(trees, carrier.moves, names_in))
    ways = {path: _way(path, carrier.moves) for tree in (ours, theirs) for path in tree}
    moves = {path: to for path, to in ways.items() if to != path}
    return ClaimedTrees(*carried, tuple(carrier.conflict_copies), moves, dict(carrier.moves))


def _losers(
    registries: Sequence[Registry], merged: Registry, folders: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """(project, folder) of each that must leave its folder to one with a lower id, on all machines alike."""
    was, us, them = registries
    ours, theirs = (_claims(was, side, merged, folders) for side in (us, them))
    pairs = (
        (our_id, their_id)
        for our_id, our_folder in ours.items()
        for their_id, their_folder in theirs.items()
        if our_id != their_id and fold(our_folder) == fold(their_folder)
    )
    losers = dict.fromkeys(max(pair) for pair in sorted(pairs, key=sorted))
    yield from ((loser, (ours | theirs)[loser]) for loser in losers)


def _claims(was: Registry, side: Registry, merged: Registry, folders: Mapping[str, str]) -> dict[str, str]:
    """The folders that a side newly gave to projects, and that these projects keep in the merged registry."""
    new = {p: f for p, f in side.projects.items() if was.projects.get(p) != f}
    return {p: f for p, f in new.items() if folders[p] == f and merged.canonical(p) == p}


def _names_in_use(
    registries: Iterable[Registry], trees: Iterable[Contents], names_in: NamesIn, more: Iterable[str]
) -> set[str]:
    """The folder names, case-folded, that are in use, registered or not."""
    paths = [*names_in(""), *(tapes_of(name) for name in names_in(TAPES))]
    names = {scope_of(path) for tree in (*trees, paths) for path in tree}
    registered = (folder for each in registries for folder in each.projects.values())
    return {fold(name) for name in (*names, *more, *registered)}


def _free(folder: str, taken: set[str]) -> str:
    names = (f"{folder}-{n}" for n in count(2))
    return next(name for name in names if fold(name) not in taken and registry.is_folder_name(name))


@dataclass
class _Carrier:
    """Moves the files of three trees to the folders of their projects."""

    registries: Sequence[Registry]
    merged: Registry
    folders: Mapping[str, str]
    blobs: Blobs
    conflict_copies: dict[ConflictCopy, None] = field(default_factory=dict)

    @property
    def moves(self) -> set[Move]:
        """The moves to make in any of the trees."""
        claims = (item for each in self.registries for item in each.projects.items())
        return {(folder, new) for project, folder in claims if (new := self._new(project, folder))}

    def carried(self, trees: Sequence[Contents]) -> tuple[Contents, Contents, Contents]:
        old, new = self._kinds()
        base = trees[0]
        base_now, ours, theirs = (
            self._carried(tree, base, new[n], old[n], leaving=old[0]) for n, tree in enumerate(trees)
        )
        for side, each in zip((ours, theirs), self.registries[1:], strict=True):
            self._register(side, each)
        return base_now, ours, theirs

    def _kinds(self) -> tuple[list[list[Move]], list[list[Move]]]:
        """For each tree: its moves out of folders that the project had in the base, and out of new ones."""
        was = self.registries[0].projects
        old: list[list[Move]] = [[], [], []]
        new: list[list[Move]] = [[], [], []]
        for number, each in enumerate(self.registries):
            for project, folder in each.projects.items():
                if to := self._new(project, folder):
                    (old if was.get(project) == folder else new)[number].append((folder, to))
        return old, new

    def _new(self, project: str, folder: str) -> str:
        """The folder to which a project's files in `folder` move; '' when they stay."""
        return "" if folder == (new := self.folders[project]) else new

    def _carried(
        self,
        tree: Contents,
        base: Contents,
        new: Collection[Move],
        old: Collection[Move],
        leaving: Collection[Move],
    ) -> dict[str, Content]:
        """A tree with each project's files in its current folder; but in one newly given to a project,
        unchanged files stay, unless they belong to a project that is `leaving`."""
        carried: dict[str, Content] = {}
        for path in sorted(base.keys() | tree.keys()):
            to = path if tree.get(path) == base.get(path) else _way(path, new)
            if to == path:
                to = _way(path, old)
            elif path in base and _way(path, leaving) == path:
                self._add(carried, path, base[path])
            if path in tree:
                copies = self._add(carried, to, tree[path])
                self.conflict_copies |= dict.fromkeys(copies if tree is not base else ())
        return carried

    def _add(self, tree: dict[str, Content], path: str, content: Content) -> tuple[ConflictCopy, ...]:
        """Put a file into a tree, merged with a file at the same path; returns copies of what lost."""
        both, copies = self.blobs.merge(path, None, tree.get(path), content)
        tree[path] = content if both is None else both
        return copies

    def _register(self, side: dict[str, Content], claims: Registry) -> None:
        """Register the folders that a side newly gave to projects; merging the registries does the rest."""
        text = before = decode(self.blobs.bytes_of(side.get(REGISTRY)) or b"")
        for project, folder in claims.projects.items():
            if self.registries[0].projects.get(project) != folder:
                is_alias = self.merged.canonical(project) != project
                new = self._new(project, folder) or folder
                if is_alias or new != folder:  # each that is written reads the whole text again
                    text = registry.with_project(text, project, None if is_alias else new)
        if text != before:
            side[REGISTRY] = encode(text)


def _way(path: str, moves: Iterable[Move]) -> str:
    """The new path of a file; its old path when it stays."""
    return next((to for move in moves if (to := moved_path(path, *move))), path)


def _with_met_files(
    trees: Sequence[Contents], moves: Collection[Move], names_in: NamesIn
) -> list[dict[str, Content]]:
    """Add to the trees the unchanged files whose paths moved files will take."""
    ways = {to for tree in trees for path in tree for move in moves if (to := moved_path(path, *move))}
    places = ((path, *path.rpartition("/")) for path in sorted(ways.difference(*trees)))
    met = {path: key for path, folder, _, name in places if (key := names_in(folder).get(name)) is not None}
    return [{**met, **tree} for tree in trees]
