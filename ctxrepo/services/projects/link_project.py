"""A checkout's project becomes another name of one that the memory knows."""

from __future__ import annotations

from datetime import datetime

from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.project.layout import REGISTRY, shown
from ctxrepo.domain.project.registry import (
    Registry,
    folder_for,
    is_folder_name,
    named_id,
    with_alias,
    with_project,
)
from ctxrepo.domain.project.target import nearest
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project, folders_in, read_registry
from ctxrepo.services.locate.recorded import update_recorded_checkouts
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
    project = _found(memory, read_registry(memory), target)
    held = commit(memory, now).held
    widen(memory, project, now)
    with drafting(memory, "link", origin, now) as draft:
        registry = read_registry(memory)
        before = registry.projects.get(identity, "")
        if registry.folder_of(identity) == project.folder:
            return ProjectLink(identity, registry.canonical(identity), project.folder, is_changed=False)
        require_nothing_held_back(held, before)
        draft.saying = f"{identity} is {project.folder}"
        _enter(draft, identity, project)
        relocated = relocate(draft, before, project.folder, now) if before else _NOTHING
    return ProjectLink(identity, project.id or identity, project.folder, True, before, relocated)


def _found(memory: Memory, registry: Registry, target: str) -> Project:
    """The project that is named; with the id '' for a folder that is nobody's."""
    name = target.strip().rstrip("/")
    canonical = registry.canonical(named_id(name, {}) if name not in registry.projects else name)
    if folder := registry.projects.get(canonical):
        return Project(canonical, folder, is_registered=True)
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


def _enter(draft: Draft, identity: str, project: Project) -> None:
    text = draft.text(REGISTRY) or ""
    if project.id:
        text = with_alias(with_project(text, identity, None), identity, project.id)
    else:
        text = with_project(with_alias(text, identity, None), identity, project.folder)
    draft.put(REGISTRY, text)


@dataclass(frozen=True)
class UnlinkResult:
    """`name` has a folder of its own now; until then it stood for the project in `before`.

    Unchanged, it stands for itself already; `names` are others that stand for it.
    """

    name: str
    folder: str
    is_changed: bool
    before: str = ""
    names: tuple[str, ...] = ()


def unlink_project(memory: Memory, identity: str, name: str, origin: Origin, now: datetime) -> UnlinkResult:
    """Let `name` ('': the id of the checkout that the current folder is in) be a project of its own, on every
    machine.

    What was written until now stays in the folder where it is: nobody can tell which of it was meant for
    which. NotFound when `name` is no further name of any project.
    """
    with drafting(memory, "unlink", origin, now) as draft:
        registry = read_registry(memory)
        name = _named(registry, name) if name else identity
        before = registry.folder_of(name)
        if name not in registry.aliases:
            return UnlinkResult(name, before, is_changed=False, names=tuple(registry.names_of(name)))
        folder = registry.projects.get(name) or folder_for(name, registry, folders_in(memory))
        # Registered at once: a name without a folder would be taken for one that got surer, and linked again.
        text = with_project(with_alias(draft.text(REGISTRY) or "", name, None), name, folder)
        draft.put(REGISTRY, text)
        draft.saying = f"{name} is {folder}"
    # Before anything is committed: until then the other project's notes would be given.
    update_recorded_checkouts(memory)
    return UnlinkResult(name, folder, True, before)


def _named(registry: Registry, name: str) -> str:
    for one in (name.strip(), named_id(name, {})):
        if one in registry.aliases:
            return one
    near = nearest(name, registry.aliases)
    raise NotFound(
        f"{shown(name, 80)!r} is linked to no project",
        f"Did you mean {near}?" if near else "`ctxrepo project list` shows the names behind `also`.",
    )
