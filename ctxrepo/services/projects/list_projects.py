"""All projects of the memory, and the folders in it that are no project's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.project.registry import is_folder_name
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.project import read_registry
from ctxrepo.services.projects.show_project import checkouts_of
from ctxrepo.services.reading.find import note_paths
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class ListedProject:
    """A project, its further names, and the checkouts of it that this machine knows.

    With the id '' it is a folder with notes that no project claims.
    """

    id: str
    folder: str
    notes: int
    names: Sequence[str]
    checkouts: Sequence[str]


def list_projects(memory: Memory) -> list[ListedProject]:
    """By folder; those that nobody claims last."""
    registry, here, notes = read_registry(memory), checkouts_of(memory), _notes(memory)
    found = [
        ListedProject(project, folder, notes[folder], registry.names_of(project), here.get(project, ()))
        for project, folder in registry.projects.items()
    ]
    claimed = {*registry.projects.values(), memory.global_folder}
    loose = [f for f in notes if is_folder_name(f) and f not in claimed]
    found += [ListedProject("", folder, notes[folder], (), ()) for folder in loose]
    return sorted(found, key=lambda p: (not p.id, p.folder, p.id))


def _notes(memory: Memory) -> Counter[str]:
    """folder -> how many notes are in it; of what a sparse clone leaves out, how many are committed."""
    paths = set(note_paths(memory))
    cone = memory.clone.cone
    if cone is not None:
        head = memory.head_tree
        paths |= {p for p in memory.objects.files(head) if is_note(p) and "/" in p and not cone.holds(p)}
    return Counter(path.split("/")[0] for path in paths)
