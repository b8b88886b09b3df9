"""Lists all projects and unclaimed folders, and shows one project in detail."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from ctxrepo.domain.formats.plain_data import in_data
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.project.registry import is_folder_name
from ctxrepo.errors import NotFound
from ctxrepo.hooks.known.locate import BY_NAME
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Why, read_registry
from ctxrepo.services.locate.look import folders_there, identity_at, locate_with_git
from ctxrepo.services.reading.find import note_paths
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts


@dataclass(frozen=True)
class ListedProject:
    """A project, its further names, and its checkouts known here; with the id '' a folder with notes that no
    project claims."""

    id: str
    folder: str
    notes: int
    names: Sequence[str]
    checkouts: Sequence[str]


def list_projects(memory: Memory) -> list[ListedProject]:
    """All projects by folder, with unclaimed folders last."""
    registry, here, notes = read_registry(memory), checkouts_of(memory), _notes(memory)
    listed = [
        ListedProject(project, folder, notes[folder], registry.names_of(project), here.get(project, ()))
        for project, folder in registry.projects.items()
    ]
    claimed = {*registry.projects.values(), memory.global_folder}
    loose = [f for f in notes if is_folder_name(f) and f not in claimed]
    listed += [ListedProject("", folder, notes[folder], (), ()) for folder in loose]
    return sorted(listed, key=lambda p: (not p.id, p.folder, p.id))


def _notes(memory: Memory) -> Counter[str]:
    """folder -> how many notes are in it; of what a sparse clone leaves out, how many are committed."""
    paths = set(note_paths(memory))
    cone = memory.clone.cone
    if cone is not None:
        head = memory.head_tree
        paths |= {p for p in memory.objects.files(head) if is_note(p) and "/" in p and not cone.holds(p)}
    return Counter(path.split("/")[0] for path in paths)


@dataclass(frozen=True)
class Shown:
    """A project. `own` is what the checkout is called by itself and `why`; `id` is what that stands for."""

    id: str
    folder: str
    own: str = field(metadata=in_data("own_id"))
    why: Why
    names: Sequence[str]
    is_registered: bool = field(metadata=in_data("registered"))
    notes: int
    worktrees: str
    checkouts: Sequence[str]
    claim: str = ""
    """Why this checkout may not be that project, '' otherwise."""
    hint: str = ""
    """Which other project it may be, '' for none."""


def show_project(memory: Memory, cwd: Path, env: Mapping[str, str]) -> Shown:
    """The project `cwd` belongs to; NotFound where there is none."""
    here = locate_with_git(memory, cwd, env)
    if here.unknown:
        raise here.unknown
    project, identity = here.project, identity_at(memory, cwd, env)
    if project is None or identity is None:
        raise NotFound(
            f"{cwd} belongs to no project: what is written here is global",
            "Go into a git repository that is neither the home folder nor the memory.",
        )
    registry = read_registry(memory)
    return Shown(
        id=project.id,
        folder=project.folder,
        own=identity.id,
        why=identity.why,
        names=registry.names_of(project.id),
        is_registered=project.is_registered,
        notes=len(note_paths(memory, [project.folder])),
        worktrees=memory.settings.project.worktrees,
        checkouts=checkouts_of(memory).get(project.id, ()),
        claim=here.claim,
        hint=here.hint,
    )


def checkouts_of(memory: Memory) -> dict[str, list[str]]:
    """project id -> the checkouts of it that this machine has looked at and that are still there."""
    registry = read_registry(memory)
    checkouts: dict[str, list[str]] = {}
    rows = [row for row in read_checkouts(memory.places.state) if row.project]
    existing = folders_there(memory, [row.top for row in rows if not row.top.startswith(BY_NAME)])
    for row in sorted(rows, key=lambda row: row.top):
        if row.top in existing:
            checkouts.setdefault(registry.canonical(row.project), []).append(row.top)
    return checkouts
