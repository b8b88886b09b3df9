"""Reads tree objects from their bytes: walking 100,000 notes takes a tenth of a second (ADR 15).

The key of a plain file is its blob id; a link or a submodule has the key `mode:id` and is passed on
untouched. A name that is no UTF-8 is left out, and stays in its tree. Every walk is a loop that counts:
BeyondBounds for a tree with more than a memory may have."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.guard.bounds import DEPTH, FOLDER_BYTES, PATH_BYTES, PATHS
from ctxrepo.lazy import dataclass, lazy_pattern

Key = str
Item = tuple[str, str]
"""(mode in octal as git writes it, id)"""

_ENTRY = lazy_pattern(rb"(\d{5,6}) ([^\0]{1,4096})\0([\s\S]{20})")
_FOLDER = "40000"
_PLAIN = ("100644", "100755", "100664")
"""Modes of plain files. The last is from git's first years, and git reads it as the first."""


def _directly_in(data: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """(mode, name, id) of what stands directly in a tree, in one pass whatever its bytes are."""
    at = 0
    while at < len(data):
        if match := _ENTRY.match(data, at):
            yield match[1], match[2], match[3]
            at = match.end()
        elif (end := data.find(b"\0", at)) >= 0:
            at = end + 21
        else:
            return


_KEPT = 4
"""How many whole trees are remembered: base, next, head and the new one are often the same."""


class Trees(ABC):
    """The trees of one repository; None is a tree that doesn't exist."""

    def __init__(self) -> None:
        self._whole: dict[str, Mapping[str, Key]] = {}

    @abstractmethod
    def tree_bytes(self, tree: str) -> bytes:
        """The bytes of the tree object with this id."""

    def items(self, tree: str | None) -> dict[str, Item]:
        """name -> item of what is directly in a tree."""
        items: dict[str, Item] = {}
        for mode, name, oid in _directly_in(self.tree_bytes(tree)) if tree else ():
            try:
                items[name.decode()] = mode.decode(), oid.hex()
            except UnicodeDecodeError:
                continue
        return items

    def files(
        self, tree: str | None, only: Iterable[str] | None = None, cone: Cone | None = None
    ) -> Mapping[str, Key]:
        """path -> key of all files in a tree; or only of those in `cone`, or `only`, or either."""
        if cone is not None:
            return dict(self._walk(tree, "", cone)) | self._some(tree, only or ())
        if tree is None or only is not None:
            return self._some(tree, only or ())
        if tree not in self._whole:
            if len(self._whole) >= _KEPT:
                self._whole.pop(next(iter(self._whole)))
            self._whole[tree] = dict(self._walk(tree, ""))
        return self._whole[tree]

    def names_in(self, tree: str | None, folder: str) -> dict[str, Key | None]:
        """name -> key (None for a folder) of what is directly in a folder of a tree; '' is the top."""
        return {name: key_of(item) for name, item in self.items(self._folder(tree, folder)).items()}

    def key_at(self, tree: str | None, path: str) -> Key | None:
        """The key of the file at `path`, the id of a folder there, None when there is nothing."""
        folder, _, name = path.rpartition("/")
        item = self.items(self._folder(tree, folder)).get(name)
        return folder_of(item) or key_of(item)

    def below(self, tree: str | None, folder: str) -> dict[str, Key]:
        """path -> key of all files below a folder of a tree."""
        return dict(self._walk(self._folder(tree, folder), f"{folder}/"))

    def diff(self, old: str | None, new: str | None) -> dict[str, tuple[Key | None, Key | None]]:
        """path -> (key before, key after) of files that differ; equal folders are not read."""
        changes = ((path, key_of(a), key_of(b)) for path, a, b in self.differences(old, new))
        return {path: (before, after) for path, before, after in changes if before != after}

    def differences(self, old: str | None, new: str | None) -> Iterator[tuple[str, Item | None, Item | None]]:
        """(path, item before, item after) of the files that differ, their modes included."""
        count = Count(f"what differs between the folders {old} and {new}")
        open_ = [self._both(old, new, "")]
        while open_:
            path, a, b = next(open_[-1], ("", None, None))
            if not path:
                open_.pop()
                continue
            count.add(path)
            if folder_of(a) or folder_of(b):
                open_.append(self._both(folder_of(a), folder_of(b), f"{path}/"))
            before, after = (None if folder_of(item) else item for item in (a, b))
            if before != after:
                yield path, before, after

    def _folder(self, tree: str | None, folder: str) -> str | None:
        """Id of the tree that is at `folder` in a tree ('' is the tree itself); None when there is none."""
        for name in folder.split("/") if folder else ():
            tree = folder_of(self.items(tree).get(name))
        return tree

    def _some(self, tree: str | None, paths: Iterable[str]) -> dict[str, Key]:
        """path -> key of those `paths` that are in a tree; only their folders are read."""
        folders: dict[str, dict[str, Item]] = {}
        keys = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            if folder not in folders:
                folders[folder] = self.items(self._folder(tree, folder))
            if (key := key_of(folders[folder].get(name))) is not None:
                keys[path] = key
        return keys

    def _both(
        self, old: str | None, new: str | None, prefix: str
    ) -> Iterator[tuple[str, Item | None, Item | None]]:
        """(path, item before, item after) of what differs directly in two trees."""
        before, after = self.items(old), self.items(new)
        for name in sorted(before.keys() | after.keys()):
            a, b = before.get(name), after.get(name)
            if a != b:
                yield prefix + name, a, b

    def _walk(self, tree: str | None, prefix: str, cone: Cone | None = None) -> Iterator[tuple[str, Key]]:
        """(path, key) of all files below a tree; with `cone`, only of those that it holds."""
        count = Count(f"the folder {tree}")
        waiting: list[tuple[str | None, str, Cone | None]] = [(tree, prefix, cone)]
        while waiting:
            tree, prefix, cone = waiting.pop()
            folders: list[tuple[str | None, str, Cone | None]] = []
            for name, item in self.items(tree).items():
                path = prefix + name
                count.add(path)
                if item[0] != _FOLDER:
                    yield path, item[1] if item[0] in _PLAIN else f"{item[0]}:{item[1]}"
                elif cone is None or cone.is_whole(path):
                    folders.append((item[1], f"{path}/", None))
                elif path in cone.on_the_way:
                    folders.append((item[1], f"{path}/", cone))
            waiting += reversed(folders)


class Count:
    """Counts the paths of one walk `of` something; BeyondBounds for too many, or for one that is too deep."""

    def __init__(self, of: str) -> None:
        self._of = of
        self.paths = 0

    def add(self, path: str) -> None:
        self.paths += 1
        # Twice as many: between two versions every path may differ.
        if self.paths > 2 * PATHS.most:
            PATHS.require(self.paths, self._of)
        if path.count("/") > DEPTH.most:
            DEPTH.require(path.count("/"), self._of)


def folder_of(item: Item | None) -> str | None:
    """Id of the tree that an item is; None for anything else."""
    return item[1] if item and item[0] == _FOLDER else None


def key_of(item: Item | None) -> Key | None:
    """The key of a file; None for a folder, whose files have keys of their own."""
    if item is None or item[0] == _FOLDER:
        return None
    return item[1] if item[0] in _PLAIN else f"{item[0]}:{item[1]}"


_FOLDER_MODE = b"40000"

_COUNTLESS = 10**18
"""Numbers that are no smaller are not told apart: those of a tree can have thousands of digits."""


@dataclass(frozen=True)
class Extent:
    """`paths` counts files and folders, `depth` those within each other, `path_bytes` adds all paths up."""

    paths: int = 0
    depth: int = 0
    path_bytes: int = 0

    def require(self, at: str) -> None:
        """BeyondBounds, telling of `at`, when it is more than a memory may have."""
        PATHS.require(self.paths, at)
        DEPTH.require(self.depth, at)
        PATH_BYTES.require(self.path_bytes, at)


def extent(read: Callable[[str], bytes], tree: str, at: str) -> Extent:
    """That of a tree, each folder read once; BeyondBounds, telling of `at`, for too much to read."""
    extents: dict[str, Extent] = {}
    entries: dict[str, list[tuple[int, str]]] = {}
    """(bytes of the name, id of the folder or '') of what stands directly in a tree."""
    size = 0
    waiting = [tree]
    while waiting:
        folder = waiting[-1]
        if folder not in entries:
            data = read(folder)
            size += len(data)
            FOLDER_BYTES.require(size, at)
            inside = _directly_in(data)
            entries[folder] = [(len(n), oid.hex() if mode == _FOLDER_MODE else "") for mode, n, oid in inside]
            waiting += (below for _, below in entries[folder] if below and below not in extents)
            continue
        waiting.pop()
        if folder not in extents:
            extents[folder] = _together([(n, extents[b] if b else None) for n, b in entries[folder]])
            entries[folder] = []
    return extents[tree]


def _together(inside: list[tuple[int, Extent | None]]) -> Extent:
    paths, depth, size = len(inside), 0, 0
    for name, below in inside:
        size += name
        if below:
            paths += below.paths
            depth = max(depth, below.depth + 1)
            size += below.path_bytes + (name + 1) * below.paths
    return Extent(min(paths, _COUNTLESS), depth, min(size, _COUNTLESS))
