"""A checkout's project becomes another name of one that the memory knows."""

from __future__ import annotations

from datetime import datetime

from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.project.layout import REGISTRY, shown
from ctxrepo.domain.project.registry import Registry, is_folder_name, named_id, with_alias, with_project
from ctxrepo.domain.project.target import nearest
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.project import Project, folders_in, read_registry
from ctxrepo.services.projects.sparse import widen
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.relocate import Relocation, relocate, require_nothing_held_back
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory

_NOTHING = Relocation(0, 0, ())


@dataclass(frozen=True)
class ProjectLink:
    """`name` stands for the project `id` in `folder` now; `before` is the folder it had for itself, or ''."""

    name: str
    id: str
    folder: str
    is_changed: bool
    before: str = ""
    relocated: Relocation = _NOTHING


def link_project(memory: Memory, identity: str, target: str, origin: Origin, now: datetime) -> ProjectLink:
    """Let the id of a checkout stand for the project that `target` names by id or folder, on every machine.

    What was written under the id until now goes along, in one acknowledged write. A folder that no project
    claims becomes the project's own. NotFound when there is no such project or folder, Refused while
    one of those files is held back.
    """
    found = _found(memory, read_registry(memory), target)
    held = commit(memory, now).held
    widen(memory, found, now)
    with drafting(memory, "link", origin, now) as draft:
        registry = read_registry(memory)
        before = registry.projects.get(identity, "")
        if registry.folder_of(identity) == found.folder:
            return ProjectLink(identity, registry.canonical(identity), found.folder, is_changed=False)
        require_nothing_held_back(held, before)
        draft.saying = f"{identity} is {found.folder}"
        _enter(draft, identity, found)
        relocated = relocate(draft, before, found.folder, now) if before else _NOTHING
    return ProjectLink(identity, found.id or identity, found.folder, True, before, relocated)


def _found(memory: Memory, registry: Registry, target: str) -> Project:
    """The project that is named; with the id '' for a folder that is nobody's."""
    name = target.strip().rstrip("/")
    known = registry.canonical(named_id(name, {}) if name not in registry.projects else name)
    if folder := registry.projects.get(known):
        return Project(known, folder, is_registered=True)
    for identity, folder in registry.projects.items():
        if folder == name:
            return Project(identity, folder, is_registered=True)
    if is_folder_name(name) and name in folders_in(memory):
        return Project("", name, is_registered=True)
    names = [*registry.projects, *registry.projects.values()]
    near = nearest(name, names)
    raise NotFound(
        f"there is no project {shown(name, 80)!r} in the memory",
        f"Did you mean {near}?" if near else "`ctxrepo project list` shows them.",
    )


def _enter(draft: Draft, identity: str, found: Project) -> None:
    text = draft.text(REGISTRY) or ""
    if found.id:
        text = with_alias(with_project(text, identity, None), identity, found.id)
    else:
        text = with_project(with_alias(text, identity, None), identity, found.folder)
    draft.put(REGISTRY, text)
