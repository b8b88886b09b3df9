"""Commands about projects: project show, list, rename, link, unlink, trust."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.domain.project.paths import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, without_verb
from ctxrepo.faces.cli.repository.sync import CONFLICT, tell_copies

if TYPE_CHECKING:
    from ctxrepo.services.projects.link_project import ProjectLink
    from ctxrepo.services.projects.list_projects import ListedProject
    from ctxrepo.services.projects.show_project import Shown
    from ctxrepo.services.projects.unlink_project import Unlinked
    from ctxrepo.services.saving.relocate import Relocated

_BECAUSE = {
    "explicit": "you named it",
    "remote": "its remote's address",
    "root commit": "its first commit and folder: it has no remote",
    "directory": "its folder on this machine: it has neither remote nor commit",
}
_WORKTREES = {
    "share": "share: a linked worktree is the same project",
    "isolate": "isolate: a linked worktree is a project of its own",
}

_INSIDE = "Go into a checkout of the one you mean."

group = typer.Typer()


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="project")


@group.callback(invoke_without_command=True)
def project(context: typer.Context, json: Json = False) -> None:
    """Show, list, rename, link, unlink and trust projects.

    Without a verb it shows the one you stand in.

    Example: ctxrepo project
    """
    without_verb(context, show, json=json)


@group.command()
def show(json: Json = False) -> None:
    """Show the project you stand in: its id and why it has it, its folder, its checkouts here.

    Example: ctxrepo project show
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.projects.show_project import show_project

    run = Runtime()
    found = show_project(run.memory, run.cwd, run.env)
    output.done(json, _shown(found), "\n".join(_lines(found)))


@group.command("list")
def list_projects(json: Json = False) -> None:
    """List all projects of the memory, and folders in it that are no project's.

    Example: ctxrepo project list
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.projects.list_projects import list_projects

    run = Runtime()
    found = list_projects(run.memory)
    data = {
        "projects": [_listed(p) for p in found if p.id],
        "unclaimed": [p.folder for p in found if not p.id],
    }
    output.done(json, data, "\n".join(output.aligned(map(_cells, found))))


@group.command()
def rename(
    name: Annotated[str, typer.Argument(metavar="NEW", help="The folder's new name.")], json: Json = False
) -> None:
    """Give the project you stand in another folder name in the memory, on every machine.

    Notes and tapes move along, and links that name the folder follow.

    Example: ctxrepo project rename storefront
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.projects.rename_project import rename_project
    from ctxrepo.services.reading.find import project_here

    run = Runtime()
    done = rename_project(run.memory, project_here(run.project, _INSIDE), name, run.origin, run.now)
    run.wake()
    data = {"id": done.id, "before": done.before, "folder": done.folder, "files": done.relocated.files}
    output.done(json, data, f"renamed: {done.before}/ is {done.folder}/{_along(done.relocated)}")


@group.command()
def link(
    target: Annotated[
        str, typer.Argument(metavar="ID|FOLDER", help="The project it is, as `project list` shows it.")
    ],
    json: Json = False,
) -> None:
    """Let this checkout be a project that the memory knows already, on every machine.

    For a code base that got another address, or that is cloned from two. Its own notes go along.

    Example: ctxrepo project link git.example.org/ada/shop
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.locate.project import identity_at
    from ctxrepo.services.projects.link_project import link_project
    from ctxrepo.services.reading.find import project_here

    run = Runtime()
    project_here(run.project, _INSIDE)
    own = identity_at(run.memory, run.cwd, run.env)
    assert own is not None  # there is a project
    done = link_project(run.memory, own.id, target, run.origin, run.now)
    run.wake()
    data = {"name": done.name, "id": done.id, "folder": done.folder, "changed": done.is_changed}
    data |= {"before": done.before, "files": done.relocated.files}
    output.done(json, data, _told(done))
    tell_copies(done.relocated.conflict_copies)
    if done.relocated.conflict_copies:
        raise typer.Exit(CONFLICT)


@group.command()
def unlink(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="The linked id; without it that of this checkout.")
    ] = "",
    json: Json = False,
) -> None:
    """Let a linked id be a project of its own again, on every machine.

    What was written until now stays where it is.

    Example: ctxrepo project unlink
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.locate.project import identity_at
    from ctxrepo.services.projects.unlink_project import unlink_project
    from ctxrepo.services.reading.find import project_here

    run = Runtime()
    own = identity_at(run.memory, run.cwd, run.env)
    if not name:
        project_here(run.project, _INSIDE)
    done = unlink_project(run.memory, own.id if own else "", name, run.origin, run.now)
    run.wake()
    output.done(json, _apart(done), _told_apart(done))


@group.command()
def trust(
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A folder in the checkout; the one you stand in.")
    ] = None,
    json: Json = False,
) -> None:
    """Say that a checkout is the project that it says it is: it is given that project's memory.

    For you, in a terminal of your own: an agent is refused, since it does what it reads. It holds on this
    machine, for this place, as long as the checkout keeps its id.

    Example: ctxrepo project trust
    """
    from ctxrepo.agents.known import session_in
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.locate.trust_project import trust_project

    run = Runtime()
    done = trust_project(run.memory, (run.cwd / path) if path else run.cwd, run.env, session_in(run.env)[0])
    data = {"top": str(done.top), "id": done.project.id, "folder": done.project.folder}
    already = "" if done.is_changed else " already"
    place = f"{shown(str(done.top))} is {done.project.id}, in {done.project.folder}/"
    output.done(json, {**data, "changed": done.is_changed}, f"trusted{already}: {place}")


def _lines(found: Shown) -> list[str]:
    because = _BECAUSE[found.why] + (f", linked from {found.own}" if found.own != found.id else "")
    written = output.counted(found.notes, "note") if found.is_registered else "nothing written yet"
    rows = {
        "project": [found.id],
        "because": [because],
        "folder": [f"{found.folder}/, {written}"],
        "names": [name for name in found.names if name != found.own],
        "worktrees": [_WORKTREES.get(found.worktrees, found.worktrees)],
        "checkouts": found.checkouts,
        "claim": [shown(found.claim)] if found.claim else [],
    }
    return [f"{name if n == 0 else '':<10}{row}" for name, of in rows.items() for n, row in enumerate(of)]


def _cells(found: ListedProject) -> tuple[str, ...]:
    here = ", here" if found.checkouts else ""
    names = f" (also {', '.join(found.names)})" if found.names else ""
    named = f"{found.id or 'no project'}{names}"
    return f"{found.folder}/", named, f"{output.counted(found.notes, 'note')}{here}"


def _told(done: ProjectLink) -> str:
    if not done.is_changed:
        return f"linked already: {done.name} in {done.folder}/"
    came = f"; what was in {done.before}/ is there{_along(done.relocated)}" if done.before else ""
    return f"linked: {done.name} in {done.folder}/{came}"


def _apart(done: Unlinked) -> dict[str, Any]:
    data = {"name": done.name, "folder": done.folder, "changed": done.is_changed}
    return {**data, "before": done.before, "names": list(done.names)}


def _told_apart(done: Unlinked) -> str:
    if done.is_changed:
        return f"unlinked: {done.name} in {done.folder}/; what was written until now stays in {done.before}/"
    names = f"; linked to it: {', '.join(done.names)}" if done.names else ""
    place = f", in {done.folder}/" if done.folder else ""
    return f"not linked: {done.name} is a project of its own{place}{names}"


def _along(relocated: Relocated) -> str:
    links = f", links in {relocated.linking} more" if relocated.linking else ""
    return f" ({output.counted(relocated.files, 'file')}{links})"


def _shown(found: Shown) -> dict[str, Any]:
    return {
        "id": found.id,
        "folder": found.folder,
        "own_id": found.own,
        "why": found.why,
        "names": list(found.names),
        "registered": found.is_registered,
        "notes": found.notes,
        "worktrees": found.worktrees,
        "checkouts": list(found.checkouts),
        "claim": found.claim,
    }


def _listed(found: ListedProject) -> dict[str, Any]:
    return {
        "id": found.id,
        "folder": found.folder,
        "names": list(found.names),
        "notes": found.notes,
        "here": bool(found.checkouts),
    }
