"""A project, and which folder of the memory repository is its own: what the registry says."""

from __future__ import annotations

from dataclasses import field, replace

from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.domain.project.registry import Registry, folder_for, parse
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Project:
    """A project and the folder its memory is (or, before the first write, will be) in.

    `new_alias` is another id of the project, which the next write enters in ctxrepo.toml. `checkout_id` is
    the id that the checkout has by itself; it stays the same when the project behind it changes.
    """

    id: str
    folder: str
    is_registered: bool
    new_alias: str = ""
    checkout_id: str = field(default="", compare=False)


@dataclass(frozen=True)
class Location:
    """The project that a folder belongs to, None if it belongs to none.

    `claim` says why the checkout may not be the project that it claims to be ('' if nothing speaks against
    it), `is_withheld` whether the project's memory is therefore withheld from it.
    """

    project: Project | None
    claim: str = ""
    is_withheld: bool = False


def read_registry(memory: Memory) -> Registry:
    data = memory.worktree.read(REGISTRY)
    return parse(decode_exactly(data or b""))


def project_of(memory: Memory, identity: str, name: str = "") -> Project:
    """The project with this id, registered or not; `name` is what its checkout's folder is called.

    ConfigError while the registry can't be read: a folder of the right name may be another project's.
    """
    registry = read_registry(memory)
    if registry.problem:
        raise ConfigError(registry.problem, f"Mend {memory.root / REGISTRY}; until then no project is known.")
    own, identity = identity, registry.canonical(identity)
    if folder := registry.projects.get(identity):
        return Project(identity, folder, is_registered=True, checkout_id=own)
    found = folders_in(memory)
    folder = folder_for(identity, registry, found)
    # pi-memory-md names a project's folder as the checkout is called: where nobody claims it, it is adopted
    # and can be read before anything is written.
    if folder not in found and name and (named := folder_for(f"dir:{name}", registry, found)) in found:
        folder = named
    return Project(identity, folder, is_registered=folder in found, checkout_id=own)


def project_by_now(memory: Memory, own: str, found: str) -> Project:
    """What a checkout is that has the id `own` by itself and was found to be the project `found`.

    It may have been linked or unlinked meanwhile, here or elsewhere. ConfigError as with `project_of`.
    """
    is_known = bool(read_registry(memory).folder_of(own))
    return replace(project_of(memory, own if is_known else found), checkout_id=own)


def folders_in(memory: Memory, below: str = "") -> set[str]:
    """The names of the folders in a folder of the memory ('' is the whole), also of those not on disk."""
    place = memory.root / below
    found = (
        {p.name for p in place.iterdir() if p.is_dir() and not p.is_symlink()} if place.is_dir() else set()
    )
    if memory.clone.cone is not None:  # most folders are not on disk
        head = memory.head_tree
        found |= {name for name, key in memory.objects.names_in(head, below).items() if key is None}
    return found
