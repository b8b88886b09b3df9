"""Projects: shown, listed, renamed, linked, unlinked, trusted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result, writes
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.look import TrustResult, identity_at, trust_project
from ctxrepo.services.reading.find import require_project

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.projects.link_project import ProjectLink, RenameResult, UnlinkResult
    from ctxrepo.services.projects.list_projects import ListedProject, Shown


_INSIDE = "Go into a checkout of the one you mean."


@dataclass(frozen=True)
class RenameRequest:
    """What the folder of the current folder's project is to be called."""

    name: str
    """The folder's new name."""


@dataclass(frozen=True)
class LinkRequest:
    """The id or folder of the project that this checkout is."""

    target: str
    """The project, as `project list` shows it."""


@dataclass(frozen=True)
class UnlinkRequest:
    """An id that was linked to a project."""

    name: str = ""
    """The linked id; by default that of this checkout."""


@dataclass(frozen=True)
class TrustRequest:
    """A folder in the checkout; None is where one stands."""

    path: Path | None = None


def show_project(desk: Desk, _: None) -> Result[Shown]:
    """Show the project of the current folder."""
    from ctxrepo.services.projects.list_projects import show_project

    return Result(show_project(desk.memory, desk.cwd, desk.env))


def list_projects(desk: Desk, _: None) -> Result[Sequence[ListedProject]]:
    """List all projects in the memory, and its folders that belong to none."""
    from ctxrepo.services.projects.list_projects import list_projects

    projects = list_projects(desk.memory)
    data = {
        "projects": [_project_fields(p) for p in projects if p.id],
        "unclaimed": [p.folder for p in projects if not p.id],
    }
    return Result(projects, data)


@writes
def rename(desk: Desk, request: RenameRequest) -> Result[RenameResult]:
    """Give the project of the current folder another folder name in the memory."""
    from ctxrepo.services.projects.link_project import rename_project

    here = require_project(desk.project, _INSIDE)
    done = rename_project(desk.memory, here, request.name, desk.origin, desk.now)
    data = {"id": done.id, "before": done.before, "folder": done.folder, "files": done.relocated.files}
    return Result(done, data)


@writes
def link(desk: Desk, request: LinkRequest) -> Result[ProjectLink]:
    """Let this checkout be a project that the memory knows already."""
    from ctxrepo.app.repository.exchange import CONFLICT
    from ctxrepo.services.projects.link_project import link_project

    require_project(desk.project, _INSIDE)
    own = identity_at(desk.memory, desk.cwd, desk.env)
    assert own is not None  # there is a project
    result = link_project(desk.memory, own.id, request.target, desk.origin, desk.now)
    data = {"name": result.name, "id": result.id, "folder": result.folder, "changed": result.is_changed}
    data |= {"before": result.before, "files": result.relocated.files}
    return Result(result, data, CONFLICT if result.relocated.conflict_copies else 0)


@writes
def unlink(desk: Desk, request: UnlinkRequest) -> Result[UnlinkResult]:
    """Let a linked id be a project of its own again."""
    from ctxrepo.services.projects.link_project import unlink_project

    own = identity_at(desk.memory, desk.cwd, desk.env)
    if not request.name:
        require_project(desk.project, _INSIDE)
    result = unlink_project(desk.memory, own.id if own else "", request.name, desk.origin, desk.now)
    data = {"name": result.name, "folder": result.folder, "changed": result.is_changed}
    return Result(result, {**data, "before": result.before, "names": list(result.names)})


def trust(desk: Desk, request: TrustRequest) -> Result[TrustResult]:
    """Say that a checkout is the project that it says it is."""
    folder = desk.cwd / request.path if request.path else desk.cwd
    result = trust_project(desk.memory, folder, desk.agent)
    data = {"top": str(result.top), "id": result.project.id, "folder": result.project.folder}
    return Result(result, {**data, "changed": result.is_changed})


def _project_fields(project: ListedProject) -> dict[str, Any]:
    return {
        "id": project.id,
        "folder": project.folder,
        "names": list(project.names),
        "notes": project.notes,
        "here": bool(project.checkouts),
    }
