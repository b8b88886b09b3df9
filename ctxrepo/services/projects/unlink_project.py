"""A name that stood for another project is a project of its own again."""

from __future__ import annotations

from datetime import datetime

from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.project.layout import REGISTRY, shown
from ctxrepo.domain.project.registry import Registry, folder_for, named_id, with_alias, with_project
from ctxrepo.domain.project.target import nearest
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.project import folders_in, read_registry
from ctxrepo.services.locate.recorded import update_recorded_checkouts
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory


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
