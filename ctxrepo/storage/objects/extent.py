"""How much a version of the memory is made of, told without walking its paths.

The same folder may stand in many places of a tree, and in each of these again. It is read once, and what is
below it is counted from what it was found to hold.
"""

from __future__ import annotations

from collections.abc import Callable

from ctxrepo.domain.guard.bounds import DEPTH, FOLDER_BYTES, PATH_BYTES, PATHS
from ctxrepo.lazy import dataclass, lazy_pattern

_ENTRY = lazy_pattern(rb"(\d+) ([^\0]+)\0([\s\S]{20})")
_FOLDER = b"40000"

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
    known: dict[str, Extent] = {}
    entries: dict[str, list[tuple[int, str]]] = {}
    size = 0
    waiting = [tree]
    while waiting:
        folder = waiting[-1]
        if folder not in entries:
            data = read(folder)
            size += len(data)
            FOLDER_BYTES.require(size, at)
            entries[folder] = _entries(data)
            waiting += (below for _, below in entries[folder] if below and below not in known)
            continue
        waiting.pop()
        if folder not in known:
            known[folder] = _together(
                [(name, known[below] if below else None) for name, below in entries[folder]]
            )
            entries[folder] = []
    return known[tree]


def _entries(data: bytes) -> list[tuple[int, str]]:
    """(bytes of the name, id of the folder or '') of what stands directly in a tree."""
    return [(len(name), oid.hex() if mode == _FOLDER else "") for mode, name, oid in _ENTRY.findall(data)]


def _together(inside: list[tuple[int, Extent | None]]) -> Extent:
    paths, depth, size = len(inside), 0, 0
    for name, below in inside:
        size += name
        if below:
            paths += below.paths
            depth = max(depth, below.depth + 1)
            size += below.path_bytes + (name + 1) * below.paths
    return Extent(min(paths, _COUNTLESS), depth, min(size, _COUNTLESS))
