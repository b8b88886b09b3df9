"""The id of a project, how it was derived from a checkout, and the project's folder in the memory."""

import os
from collections.abc import Iterator
from dataclasses import field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal

from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.domain.project.registry import (
    Registry,
    address_of,
    bare_id,
    folder_for,
    forge_id,
    is_bare,
    is_rooted,
    named_id,
    namesakes,
    normalise_remote,
    parse,
)
from ctxrepo.errors import ConfigError, GitFailed, NoAnswer
from ctxrepo.lazy import dataclass
from ctxrepo.storage.git.address import real_address
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts
from ctxrepo.storage.user.code import CodeCheckout, first_commit


@dataclass(frozen=True)
class Project:
    """A project and its memory's folder, perhaps yet to be made. `new_alias` is another id of it, which the
    next write enters in ctxrepo.toml; `checkout_id` is the checkout's by itself, whatever project is behind
    it."""

    id: str
    folder: str
    is_registered: bool
    new_alias: str = ""
    checkout_id: str = field(default="", compare=False)


@dataclass(frozen=True)
class Location:
    """The project that a folder belongs to, None for none; with `unknown`, it is not known which, and that is
    why. `claim` says why the checkout may not be what it claims ('' for nothing), `is_withheld` whether it is
    therefore given no memory, `hint` which project it may be."""

    project: Project | None
    claim: str = ""
    is_withheld: bool = False
    unknown: GitFailed | None = None
    hint: str = ""


_MOST_COMMITS = 500
"""So many commits are asked for a version of the registry that can be read."""


def read_registry(memory: Memory) -> Registry:
    """The projects; while the file can't be read, those of its last version that can, and the `problem`."""
    registry = parse(decode_exactly(memory.worktree.read(REGISTRY) or b""))
    if not registry.problem:
        return registry
    commits = islice(memory.objects.recent(memory.head), _MOST_COMMITS) if memory.head else ()
    trees = map(memory.objects.tree_of, commits)
    texts = dict.fromkeys(memory.objects.find(tree, REGISTRY) for tree in trees)
    versions = (parse(decode_exactly(text)) for text in texts if text)
    return replace(next((v for v in versions if not v.problem), Registry()), problem=registry.problem)


def registry_problem(memory: Memory) -> str:
    """What is wrong with the registry, and what holds until it is mended; '' for nothing."""
    problem = read_registry(memory).problem
    return problem and f"{problem}. Its last version that can be read holds until you mend it"


def project_of(memory: Memory, registry: Registry, identity: str, name: str = "") -> Project:
    """The project with this id, registered or not, in a checkout called `name`. ConfigError for one that
    isn't, while the registry can't be read: a folder of that name may be another project's."""
    own, identity = identity, registry.canonical(identity)
    if folder := registry.projects.get(identity):
        return Project(identity, folder, is_registered=True, checkout_id=own)
    if registry.problem:
        hint = f"Mend {memory.root / REGISTRY}; until then no new project is known."
        raise ConfigError(registry.problem, hint)
    folders, others = folders_in(memory), others_in(memory)
    folder = folder_for(identity, registry, folders, others)
    # pi-memory-md names a project's folder as the checkout is called: where nobody claims it, it is adopted
    # and can be read before anything is written.
    if folder not in folders and name and (named := folder_for(f"dir:{name}", registry, folders)) in folders:
        folder = named
    return Project(identity, folder, is_registered=folder in folders, checkout_id=own)


def project_by_now(memory: Memory, registry: Registry, own: str, project_id: str) -> Project:
    """What a checkout with the id `own`, found to be the project `project_id`, is after what was linked or
    unlinked since. ConfigError as with `project_of`."""
    identity = own if registry.folder_of(own) else project_id
    return replace(project_of(memory, registry, identity), checkout_id=own)


def folders_in(memory: Memory, below: str = "") -> set[str]:
    """The names of the folders in a folder of the memory ('' is the whole), also of those not on disk."""
    place = memory.root / below
    names = (
        {p.name for p in place.iterdir() if p.is_dir() and not p.is_symlink()} if place.is_dir() else set()
    )
    if memory.clone.cone is not None:  # most folders are not on disk
        head = memory.head_tree
        names |= {name for name, key in memory.objects.names_in(head, below).items() if key is None}
    return names


def others_in(memory: Memory, below: str = "") -> set[str]:
    """The names of what is no folder in a folder of the memory: none of a project can be made there."""
    place = memory.root / below
    return {p.name for p in place.iterdir()} - folders_in(memory, below) if place.is_dir() else set()


Why = Literal["explicit", "remote", "root commit", "directory"]


@dataclass(frozen=True)
class Identity:
    """A checkout's own id, and which fact it comes from."""

    id: str
    why: Why


def identify(memory: Memory, code: CodeCheckout) -> Identity:
    """The most reliable id of a checkout. GitFailed when git doesn't answer."""
    why: Why
    if code.explicit.strip():
        identity, why = named_id(code.explicit, {}), "explicit"
    elif address := address_of(code.remotes):
        identity, why = _id_of(memory, address), "remote"
    else:
        root = _first_commit(memory, code)
        identity = bare_id(root, code.name, f"{memory.host}:{code.common}")
        why = "root commit" if root else "directory"
    return Identity(f"{identity}@{code.worktree}" if code.worktree else identity, why)


def _id_of(memory: Memory, address: str) -> str:
    """The id of the project at a remote's address: one that is registered under any form of it, else the form
    that all machines make of it, whatever their users call the host."""
    registry, literal = read_registry(memory), normalise_remote(address)
    if registry.folder_of(literal):
        return literal
    form = forge_id(normalise_remote(real_address(address, memory.env)) or literal)
    known = (name for name in (*registry.projects, *registry.aliases) if forge_id(name) == form)
    return min(known, default=form)


def hint_of(project: Project | None, registry: Registry) -> str:
    """One sentence on the project of the same owner and name that this one may be, '' for none. It is asked
    while nothing is written, and where two ids are forms of one address."""
    own = project.id if project else ""
    for other in namesakes(own, registry) if project else ():
        if not registry.folder_of(own) or forge_id(other) == forge_id(own):
            folder = registry.folder_of(other)
            return f"{other} in {folder}/ has this name, too; if it is this, `ctxrepo project link {folder}`"
    return ""


def earlier_id(memory: Memory, code: CodeCheckout, identity: str, registry: Registry) -> str:
    """The id under which this checkout's memory was started, if that is registered and its own id isn't; else
    ''. The id changes with the first commit, the first remote, and when a checkout without either moves.
    Memory of a remote's id is never taken over: a fork must not get it."""
    if code.explicit.strip() or code.worktree or registry.folder_of(identity):
        return ""
    for candidate in _earlier(memory, code, identity, registry):
        canonical = registry.canonical(candidate)
        is_anothers = not is_bare(identity) and any(
            not is_bare(name) for name in (canonical, *registry.names_of(canonical))
        )
        if canonical in registry.projects and not is_anothers:
            return canonical
    return ""


def _earlier(memory: Memory, code: CodeCheckout, identity: str, registry: Registry) -> Iterator[str]:
    names = (*registry.projects, *registry.aliases)
    if not is_bare(identity) and any(is_rooted(name, code.name) for name in names):
        yield bare_id(_first_commit(memory, code), code.name)
    yield bare_id("", code.name, f"{memory.host}:{code.common}")
    # Only the same file has the same mtime to the nanosecond: the first commit was amended, or the folder
    # moved.
    for row in read_checkouts(memory.places.state):
        is_one = bool(code.stamp) and row.stamp == code.stamp
        if is_one and row.project and (row.top == str(code.top) or not is_there(memory, row.top)):
            yield row.project


def _first_commit(memory: Memory, code: CodeCheckout) -> str:
    return memory.outside.ask(code.top, partial(first_commit, code.top, memory.env))


def is_there(memory: Memory, top: str) -> bool:
    """Whether there is a folder; also of what hangs: it may come back."""
    try:
        return memory.outside.ask(Path(top), partial(os.path.isdir, top))
    except NoAnswer:
        return True
