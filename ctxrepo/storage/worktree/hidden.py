"""Files of the memory that an obstacle hides on this machine: a folder, a link or a pipe in their place.

A hidden file is based on nothing, so that it doesn't read as deleted when the obstacle goes away. The ref
`hidden` holds a tree of what each file was based on before, for when the file itself comes back
(tests/attacks/test_obstacles.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ctxrepo.domain.project.layout import prefixes_of
from ctxrepo.errors import Damaged
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import HIDDEN
from ctxrepo.storage.worktree.disk import read_files
from ctxrepo.storage.worktree.worktree import Worktree

if TYPE_CHECKING:
    from ctxrepo.storage.objects.store import Objects
    from ctxrepo.storage.objects.trees import Key


@dataclass(frozen=True)
class Obstacle:
    """What stands at `place` and the files that it hides; `reason` says what it is, as in "is a link"."""

    place: str
    reason: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Hidden:
    objects: Objects
    worktree: Worktree

    def files(self) -> Mapping[str, Key]:
        """path -> key of the version that the file was based on before it was hidden.

        A damaged tree counts as empty: a file that comes back is then merged as if it had been added.
        """
        try:
            return self.objects.files(self.objects.ref(HIDDEN))
        except Damaged:
            return {}

    def add(self, files: Mapping[str, Key]) -> None:
        self._keep({**self.files(), **files})

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files that can be read again."""
        known, gone = self.files(), set(paths)
        if not gone.isdisjoint(known):
            self._keep({path: key for path, key in known.items() if path not in gone})

    def obstacles(self) -> list[Obstacle]:
        """The obstacles of now, sorted by place; looks only where a file was hidden before."""
        files = self.files()
        if not files:
            return []
        skipped = read_files(self.worktree, frozenset(files))[1] | self.worktree.in_the_way(files)
        found: dict[str, list[str]] = {}
        for path in files:
            if place := next((p for p in prefixes_of(path) if p in skipped), None):
                found.setdefault(place, []).append(path)
        return [Obstacle(place, skipped[place], tuple(sorted(found[place]))) for place in sorted(found)]

    def _keep(self, files: Mapping[str, Key]) -> None:
        if files:
            self.objects.set_ref(HIDDEN, self.objects.edit(None, files))
        else:
            self.objects.drop_ref(HIDDEN)


def files_at_places(objects: Objects, tree: str | None, places: Iterable[str]) -> dict[str, Key]:
    """path -> key of the files of a tree at one of these places, or below a folder there."""
    by_folder: dict[str, list[str]] = {}
    for place in places:
        if not place:
            return dict(objects.files(tree))
        folder, _, name = place.rpartition("/")
        by_folder.setdefault(folder, []).append(name)
    found: dict[str, Key] = {}
    for folder, wanted in by_folder.items():
        names = objects.names_in(tree, folder)
        for name in names.keys() & set(wanted):
            place = f"{folder}/{name}" if folder else name
            key = names[name]
            found |= objects.below(tree, place) if key is None else {place: key}
    return found
