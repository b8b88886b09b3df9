"""Which project a folder is in, and which folder of the memory repository is that project's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.identity import named_id
from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.domain.project.registry import Registry, folder_for, parse
from ctxrepo.errors import ConfigError, GitFailed, Refused
from ctxrepo.hooks.known.locate import NAMED
from ctxrepo.services.locate.claims import claim
from ctxrepo.services.locate.identify import Identity, earlier_id, identify
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import CompiledCheckout, read_checkouts, record_checkout
from ctxrepo.storage.user.code import CodeCheckout, look_at, stamp_of, top_above
from ctxrepo.storage.user.sound import is_path


@dataclass(frozen=True)
class Project:
    """A project and the folder its memory is (or, before the first write, will be) in.

    `also` is a name of it that the registry will know from the next write on; `own` what it was asked for
    by: the id of a checkout, which stays while what that stands for may change.
    """

    id: str
    folder: str
    is_registered: bool
    also: str = ""
    own: str = field(default="", compare=False)


@dataclass(frozen=True)
class Location:
    """What a folder is in. `claim` says why it may not be the project that it says it is, '' otherwise;
    `is_held` that it is given nothing for that."""

    project: Project | None
    claim: str = ""
    is_held: bool = False


def find_project(memory: Memory, cwd: Path, env: Mapping[str, str]) -> Project | None:
    """The project `cwd` belongs to; None outside git, in the home folder's repository and in the clone.
    NoAnswer where `cwd` hangs.

    `env` may name it (CTXREPO_PROJECT). What is found is recorded for the hooks, which ask git nothing.
    Refused in a checkout that its user has to trust first.
    """
    here = look_here(memory, cwd, env)
    if here.is_held:
        raise Refused(here.claim, "If it is yours: `ctxrepo project trust`, in a terminal of your own.")
    return here.project


def look_here(memory: Memory, cwd: Path, env: Mapping[str, str]) -> Location:
    """The same, and whether it may be trusted."""
    if explicit := env.get("CTXREPO_PROJECT", "").strip():
        named = project_of(memory, named_id(explicit, {}))
        _record(memory, NAMED + explicit, "", "", named)
        return Location(named)
    try:
        code = checkout_at(memory, cwd)
    except GitFailed:  # not even started: a write is not to fail for that where the answer is known
        return _recorded(memory, cwd)
    if code is None:
        return Location(None)
    try:
        project = None if is_nobodys(memory, code) else _project_at(memory, code)
    except GitFailed:
        return _recorded(memory, cwd)
    doubt = ""
    if project and project.is_registered:
        doubt = claim(memory, code, project.id, project.own, read_registry(memory))
    _record(memory, str(code.top), str(code.config), code.stamp, project, doubt)
    return _here(memory, project, doubt)


def is_known(memory: Memory, cwd: Path) -> bool:
    """Whether the hooks know which project `cwd` is in, or that it is in none."""
    top, known = _looked_up(memory, cwd)
    return not top or known is not None


def identity_at(memory: Memory, cwd: Path, env: Mapping[str, str]) -> Identity | None:
    """What the checkout at `cwd` is called by itself, whatever that stands for; None where is no project."""
    if explicit := env.get("CTXREPO_PROJECT", "").strip():
        return Identity(named_id(explicit, {}), "explicit")
    code = checkout_at(memory, cwd)
    return None if code is None or is_nobodys(memory, code) else identify(memory, code)


def checkout_at(memory: Memory, folder: Path, worktrees: str = "") -> CodeCheckout | None:
    """The checkout `folder` is in, None where is none; NoAnswer where the folder hangs.

    `worktrees` is the policy, by default that of the settings.
    """
    policy = worktrees or memory.settings.project.worktrees
    return memory.outside.ask(folder, lambda: look_at(folder, memory.env, policy))


def folders_there(memory: Memory, folders: Iterable[str]) -> set[str]:
    """Those of these folders that are there; one that hangs isn't."""
    return {folder for folder, is_there in memory.outside.ask_each(folders, os.path.isdir) if is_there}


def project_of(memory: Memory, identity: str, name: str = "") -> Project:
    """The project with this id, registered or not; `name` is what its checkout's folder is called.

    ConfigError while the registry can't be read: a folder of the right name may be another project's.
    """
    registry = read_registry(memory)
    if registry.problem:
        raise ConfigError(registry.problem, f"Mend {memory.root / REGISTRY}; until then no project is known.")
    own, identity = identity, registry.canonical(identity)
    if folder := registry.projects.get(identity):
        return Project(identity, folder, is_registered=True, own=own)
    found = folders_in(memory)
    folder = folder_for(identity, registry, found)
    # pi-memory-md names a project's folder as the checkout is called: where nobody claims it, it is adopted
    # and can be read before anything is written.
    if folder not in found and name and (named := folder_for(f"dir:{name}", registry, found)) in found:
        folder = named
    return Project(identity, folder, is_registered=folder in found, own=own)


def project_by_now(memory: Memory, own: str, found: str) -> Project:
    """What a checkout is that has the id `own` by itself and was found to be the project `found`.

    It may have been linked or unlinked meanwhile, here or elsewhere. ConfigError as with `project_of`.
    """
    is_known = bool(read_registry(memory).folder_of(own))
    return replace(project_of(memory, own if is_known else found), own=own)


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


def is_nobodys(memory: Memory, code: CodeCheckout) -> bool:
    """Whether a checkout is no project: the home folder, the memory itself and its worktrees."""
    home, own = map(os.path.realpath, (memory.places.user_home, memory.clone.git_dir))
    return str(code.top) == home or str(code.common) == own


def read_registry(memory: Memory) -> Registry:
    data = memory.worktree.read(REGISTRY)
    return parse(decode_exactly(data or b""))


def relink(memory: Memory) -> None:
    """Let the hooks know what became of projects since they were looked at: a folder, another one, a link
    or its end."""
    registry = read_registry(memory)
    if registry.problem:
        return
    for known in read_checkouts(memory.places.state):
        now = registry.canonical(known.own)
        is_current = known.project == now and known.folder and known.folder == registry.projects.get(now)
        if known.project and not is_current:
            project = project_by_now(memory, known.own, known.project)
            _record(memory, known.top, known.config, known.stamp, project, known.claim)


def _project_at(memory: Memory, code: CodeCheckout) -> Project:
    identity = identify(memory, code).id
    if earlier := earlier_id(memory, code, identity, read_registry(memory)):
        return replace(project_of(memory, earlier), also=identity, own=identity)
    return project_of(memory, identity, "" if code.worktree else code.name)


def _here(memory: Memory, project: Project | None, doubt: str) -> Location:
    return Location(project, doubt, bool(doubt) and memory.settings.project.trust == "ask")


def _recorded(memory: Memory, cwd: Path) -> Location:
    """What was found when git was last asked; GitFailed when it wasn't, or the checkout has changed since."""
    top, known = _looked_up(memory, cwd)
    if known:
        project = project_by_now(memory, known.own, known.project) if known.project else None
        return _here(memory, project, known.claim)
    if not top:
        return Location(None)
    raise GitFailed(f"git is needed to tell which project {top} is", "Install git 2.30 or newer.")


def _looked_up(memory: Memory, cwd: Path) -> tuple[Path | None, CompiledCheckout | None]:
    """The top of the checkout that `cwd` is in, and what is recorded of it, unless it has changed since."""
    checkouts = {known.top: known for known in read_checkouts(memory.places.state)}

    def look() -> tuple[Path | None, CompiledCheckout | None]:
        top = top_above(Path(os.path.realpath(cwd))) if is_path(cwd) else None
        known = checkouts.get(str(top))
        return top, known if known and known.stamp == stamp_of(Path(known.config)) else None

    return memory.outside.ask(cwd, look)


def _record(
    memory: Memory, top: str, config: str, stamp: str, project: Project | None, doubt: str = ""
) -> None:
    folder = project.folder if project and project.is_registered else ""
    identity, own = (project.id, project.own) if project else ("", "")
    found = CompiledCheckout(top, config, stamp, identity, folder, own, doubt)
    record_checkout(memory.places.state, found)
