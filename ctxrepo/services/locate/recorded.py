"""What git told of a checkout when it was last asked. Hooks, which ask git nothing, read it too."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ctxrepo.domain.project.registry import is_bare
from ctxrepo.hooks.known.locate import top_of
from ctxrepo.hooks.known.world import UNKNOWN, stamp_of
from ctxrepo.services.locate.identify import Location, Project, project_by_now, read_registry
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import CompiledCheckout, find_checkout, read_checkouts, record_checkout
from ctxrepo.storage.user.sound import FolderFacts, is_path


def recorded_location(memory: Memory, around: FolderFacts) -> Location | None:
    """The recorded location, if git would tell the same. None, for only git can tell, if nothing is recorded
    for this git config, in a linked worktree (settings decide), with a claim, without a folder in the memory,
    and while the project's id comes from neither a remote nor a person, as it may get a better one."""
    row = find_checkout(memory.places.state, around.top) if around.config else None
    if row is None or (row.config, row.stamp) != (around.config, around.stamp):
        return None
    if row.claim or is_bare(row.own):
        return None
    registry = read_registry(memory)
    if not registry.folder_of(row.own):
        return None
    return Location(project_by_now(memory, registry, row.own, row.project))


def recorded_at(memory: Memory, folder: Path) -> tuple[str, CompiledCheckout | None]:
    """The top of the checkout of `folder` ('' for none), and its record unless its git config has changed.
    NoAnswer if it hangs."""
    rows = {row.top: row for row in read_checkouts(memory.places.state)}
    return memory.outside.ask(folder, partial(_recorded_at, rows, folder))


def _recorded_at(rows: Mapping[str, CompiledCheckout], folder: Path) -> tuple[str, CompiledCheckout | None]:
    top = top_of(os.path.realpath(folder)) if is_path(folder) else ""
    row = rows.get(top)
    return top, row if row and row.stamp == stamp_of(row.config) else None


def is_known(memory: Memory, cwd: Path) -> bool:
    """Whether it is recorded which project `cwd` is in, or that it is in none."""
    top, row = recorded_at(memory, cwd)
    return not top or row is not None


def record(
    memory: Memory, top: str, config: str, stamp: str, project: Project | None, claim: str = ""
) -> None:
    """Record the project of a checkout for the hooks."""
    folder = project.folder if project and project.is_registered else ""
    identity, own = (project.id, project.checkout_id) if project else ("", "")
    checkout = CompiledCheckout(top, config, stamp, identity, folder, own, claim)
    record_checkout(memory.places.state, checkout)


def record_unknown(memory: Memory, top: str, why: str) -> None:
    """Record that it isn't known which project the checkout at `top` is: sessions there are told why."""
    record_checkout(memory.places.state, CompiledCheckout(top, "", UNKNOWN, "", "", "", why))


def update_recorded_checkouts(memory: Memory) -> None:
    """Update the recorded checkouts, which hooks read, and the tapes on this machine, after ctxrepo.toml
    changed."""
    registry = read_registry(memory)
    if registry.problem:
        return
    moves = {}
    for row in read_checkouts(memory.places.state):
        now = registry.canonical(row.own)
        is_current = row.project == now and row.folder and row.folder == registry.projects.get(now)
        if row.project and not is_current:
            project = project_by_now(memory, registry, row.own, row.project)
            if row.folder not in ("", project.folder):
                moves[row.folder] = project.folder
            claim = row.claim if row.folder else ""  # before that it could only say which project it may be
            record(memory, row.top, row.config, row.stamp, project, claim)
    if moves:
        from ctxrepo.storage.sessions.local_tape import LocalTape

        LocalTape(memory.state).follow(moves)
