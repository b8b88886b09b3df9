"""Links, unlinks and renames projects, on every machine."""

import unicodedata
from datetime import datetime

from ctxrepo.domain.project.layout import REGISTRY, TAPES, fold, scope_of, shown
from ctxrepo.domain.project.registry import (
    Registry,
    folder_for,
    is_folder_name,
    named_id,
    with_alias,
    with_project,
)
from ctxrepo.domain.project.target import nearest
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project, folders_in, others_in, read_registry
from ctxrepo.services.locate.look import update_recorded_checkouts
from ctxrepo.services.projects.sparse import widen
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.evidence import settle_keys
from ctxrepo.services.saving.relocate import Relocation, relocate, require_nothing_held_back
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory

_NOTHING = Relocation(0, 0, ())


@dataclass(frozen=True)
class ProjectLink:
    """`name` stands for the project `id` in `folder` now; `before` is the folder it had for itself, or ''.
    `lines` tell what was superseded, as one of two values of a key."""

    name: str
    id: str
    folder: str
    is_changed: bool
    before: str = ""
    relocated: Relocation = _NOTHING
    lines: tuple[str, ...] = ()


def link_project(memory: Memory, identity: str, target: str, origin: Origin, now: datetime) -> ProjectLink:
    """Let a checkout's id stand, on every machine, for the project that `target` names by id or folder; an
    unclaimed folder becomes its own. What was written under the id goes along, in one write. NotFound when
    there is no such project or folder, Refused while one of those files is held back."""
    project = _project_named(memory, read_registry(memory), target)
    refusals = commit(memory, now).held
    widen(memory, project, now)
    with drafting(memory, "link", origin, now) as draft:
        registry = read_registry(memory)
        before = registry.projects.get(identity, "")
        if registry.folder_of(identity) == project.folder:
            return ProjectLink(identity, registry.canonical(identity), project.folder, is_changed=False)
        require_nothing_held_back(refusals, before)
        draft.saying = f"{identity} is {project.folder}"
        text = draft.text(REGISTRY) or ""
        if project.id:
            text = with_alias(with_project(text, identity, None), identity, project.id)
        else:
            text = with_project(with_alias(text, identity, None), identity, project.folder)
        draft.put(REGISTRY, text)
        relocated = relocate(draft, before, project.folder, now) if before else _NOTHING
        lines = settle_keys(draft, now, comes_first=False) if before else ()
    return ProjectLink(identity, project.id or identity, project.folder, True, before, relocated, lines)


def _project_named(memory: Memory, registry: Registry, target: str) -> Project:
    """The project with this id or folder; its id is '' for an unclaimed folder."""
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


@dataclass(frozen=True)
class UnlinkResult:
    """`name` has its own folder now, apart from the project in `before`; unchanged, it had one. `names` are
    others that stand for it."""

    name: str
    folder: str
    is_changed: bool
    before: str = ""
    names: tuple[str, ...] = ()


def unlink_project(memory: Memory, identity: str, name: str, origin: Origin, now: datetime) -> UnlinkResult:
    """Let `name` ('': the current checkout's id) be a project of its own, on every machine. What was written
    stays where it is: nobody can tell which of it was meant for which. NotFound when `name` is no further
    name of any project."""
    with drafting(memory, "unlink", origin, now) as draft:
        registry = read_registry(memory)
        name = _named(registry, name) if name else identity
        before = registry.folder_of(name)
        if name not in registry.aliases:
            return UnlinkResult(name, before, is_changed=False, names=tuple(registry.names_of(name)))
        folder = registry.projects.get(name) or folder_for(
            name, registry, folders_in(memory), others_in(memory)
        )
        # Registered at once: a name without a folder would be taken for one that got surer, and linked again.
        text = with_project(with_alias(draft.text(REGISTRY) or "", name, None), name, folder)
        draft.put(REGISTRY, text)
        draft.saying = f"{name} is {folder}"
    # Before anything is committed: until then the other project's notes would be given.
    update_recorded_checkouts(memory)
    return UnlinkResult(name, folder, True, before)


def _named(registry: Registry, name: str) -> str:
    for alias in (name.strip(), named_id(name, {})):
        if alias in registry.aliases:
            return alias
    near = nearest(name, registry.aliases)
    raise NotFound(
        f"{shown(name, 80)!r} is linked to no project",
        f"Did you mean {near}?" if near else "`ctxrepo project list` shows the names behind `also`.",
    )


@dataclass(frozen=True)
class RenameResult:
    """The folder's old and new name, and the files that moved with it."""

    id: str
    before: str
    folder: str
    relocated: Relocation


def rename_project(
    memory: Memory, project: Project, name: str, origin: Origin, now: datetime
) -> RenameResult:
    """Call a project's folder `name`, in one write, after a commit of what it held; one without notes will
    begin there. UsageError for what no folder may be called, Refused for a name that is taken, and while a
    file is held back."""
    new = unicodedata.normalize("NFC", name.strip().rstrip("/"))
    if not is_folder_name(new):
        raise UsageError(
            f"`{shown(name, 80)}` can't be a project's folder",
            "One name without slashes; global, TAPE, inbox, conflicts and archive have a meaning already.",
        )
    require_nothing_held_back(commit(memory, now).held, project.folder)
    _require_free(memory, project, new)
    widen(memory, Project(project.id, new, is_registered=True), now)
    with drafting(memory, "rename", origin, now) as draft:
        draft.saying = f"{project.folder} is {new}"
        draft.register(project)
        _require_free(memory, project, new)
        draft.put(REGISTRY, with_project(draft.text(REGISTRY) or "", project.id, new))
        relocated = relocate(draft, project.folder, new, now)
    return RenameResult(project.id, project.folder, new, relocated)


def _require_free(memory: Memory, project: Project, new: str) -> None:
    if new == project.folder:
        raise Refused(f"the project's folder is called {new} already", "`ctxrepo project show` tells more.")
    files = memory.worktree.scan(TAPES).files
    folders = folders_in(memory) | folders_in(memory, TAPES) | {scope_of(path) for path in files}
    folders |= set(read_registry(memory).projects.values())
    for place in ("", TAPES):  # also what a hand has deleted, and waits for a decision
        committed = memory.objects.names_in(memory.head_tree, place)
        folders |= {name for name, key in committed.items() if key is None}
    for existing in sorted(folders | others_in(memory) | others_in(memory, TAPES)):
        if fold(existing) == fold(new):
            name = f"{existing}/" if existing in folders else existing
            raise Refused(f"there is {name} in the memory already", "Choose a name that nothing has.")
