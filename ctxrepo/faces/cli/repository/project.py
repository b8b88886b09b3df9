"""Commands about projects: project show, list, rename, link, unlink, trust."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import argument, json_option, without_verb
from ctxrepo.faces.cli.repository.sync import conflict_hints

if TYPE_CHECKING:
    from ctxrepo.services.locate.look import TrustResult
    from ctxrepo.services.projects.link_project import ProjectLink, RenameResult, UnlinkResult
    from ctxrepo.services.projects.list_projects import ListedProject, Shown
    from ctxrepo.services.saving.relocate import Relocation

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

group = typer.Typer()


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="project")


@group.callback(invoke_without_command=True)
def project(context: typer.Context, json: Annotated[bool, json_option()] = False) -> None:
    """Show, list, rename, link, unlink and trust projects.

    Without a verb it shows the one of the current folder.

    Example: ctxrepo project
    """
    without_verb(context, show, json=json)


@group.command()
def show(json: Annotated[bool, json_option()] = False) -> None:
    """Show the project of the current folder: its id and why it has it, its folder, its checkouts here.

    Example: ctxrepo project show
    """
    from ctxrepo.app.repository.project import show_project

    answer(open_desk(), show_project, None, json, lambda found: "\n".join(_lines(found)))


@group.command("list")
def list_projects(json: Annotated[bool, json_option()] = False) -> None:
    """List all projects of the memory, and folders in it that are no project's.

    Example: ctxrepo project list
    """
    from ctxrepo.app.repository.project import list_projects

    def said(found: Sequence[ListedProject]) -> str:
        return "\n".join(output.aligned(map(_cells, found)))

    answer(open_desk(), list_projects, None, json, said)


@group.command()
def rename(
    name: Annotated[str, argument(metavar="NEW", help="The folder's new name.")],
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Give the project of the current folder another folder name in the memory, on every machine.

    Notes and tapes move along, and links that name the folder follow.

    Example: ctxrepo project rename storefront
    """
    from ctxrepo.app.repository.project import RenameRequest, rename

    def said(done: RenameResult) -> str:
        return f"renamed: {done.before}/ is {done.folder}/{_along(done.relocated)}"

    answer(open_desk(), rename, RenameRequest(name), json, said)


@group.command()
def link(
    target: Annotated[
        str, argument(metavar="ID|FOLDER", help="The project it is, as `project list` shows it.")
    ],
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Let this checkout be a project that the memory knows already, on every machine.

    For a code base that got another address, or that is cloned from two. Its own notes go along.

    Example: ctxrepo project link git.example.org/ada/shop
    """
    from ctxrepo.app.repository.project import LinkRequest, link

    def hints(done: ProjectLink) -> Iterator[str]:
        return conflict_hints(done.relocated.conflict_copies)

    answer(open_desk(), link, LinkRequest(target), json, _told, hints)


@group.command()
def unlink(
    name: Annotated[
        str, argument(metavar="ID", help="The linked id; without it that of this checkout.")
    ] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Let a linked id be a project of its own again, on every machine.

    What was written until now stays where it is.

    Example: ctxrepo project unlink
    """
    from ctxrepo.app.repository.project import UnlinkRequest, unlink

    answer(open_desk(), unlink, UnlinkRequest(name), json, _told_apart)


@group.command()
def trust(
    path: Annotated[
        Path | None,
        argument(metavar="[PATH]", help="A folder in the checkout; by default the current one."),
    ] = None,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Say that a checkout is the project that it says it is: it is given that project's memory.

    For you, in a terminal of your own: an agent is refused, since it does what it reads. It holds on this
    machine, for this place, as long as the checkout keeps its id.

    Example: ctxrepo project trust
    """
    from ctxrepo.app.repository.project import TrustRequest, trust

    def said(done: TrustResult) -> str:
        already = "" if done.is_changed else " already"
        place = f"{shown(str(done.top))} is {done.project.id}, in {done.project.folder}/"
        return f"trusted{already}: {place}"

    answer(open_desk(), trust, TrustRequest(path), json, said)


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


def _told_apart(done: UnlinkResult) -> str:
    if done.is_changed:
        return f"unlinked: {done.name} in {done.folder}/; what was written until now stays in {done.before}/"
    names = f"; linked to it: {', '.join(done.names)}" if done.names else ""
    place = f", in {done.folder}/" if done.folder else ""
    return f"not linked: {done.name} is a project of its own{place}{names}"


def _along(relocated: Relocation) -> str:
    links = f", links in {relocated.linking} more" if relocated.linking else ""
    return f" ({output.counted(relocated.files, 'file')}{links})"
