"""Commands about projects: project show, list, rename, link, unlink, trust."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.repository import project_names
from ctxrepo.app.repository.exchange import conflict_hints
from ctxrepo.app.repository.project_names import LinkRequest, RenameRequest, UnlinkRequest
from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import Group, argument, command, json_option

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

_NO_PROJECT = "no project has notes yet; the first `ctxrepo remember` in a git repository makes it one"

project = Group("project", "Show, list, rename, link, unlink and trust projects.", "show")


@project.command()
def show(json: Annotated[bool, json_option()] = False) -> None:
    """Show the current folder's project: its id and where that comes from, its folder, its checkouts."""
    answer(project_names.show_project, None, json, lambda project: "\n".join(_lines(project)))


@project.command("list")
def list_projects(json: Annotated[bool, json_option()] = False) -> None:
    """List all projects in the memory, and its folders that belong to none."""

    def words_of(projects: Sequence[ListedProject]) -> str:
        return "\n".join(output.aligned(map(_cells, projects))) if projects else _NO_PROJECT

    answer(project_names.list_projects, None, json, words_of)


@project.command()
@command(name="NEW")
def rename(request: RenameRequest, json: bool = False) -> None:
    """Rename the current project's folder in the memory, on every machine."""

    def words_of(result: RenameResult) -> str:
        return f"renamed: {result.before}/ is {result.folder}/{_along(result.relocated)}"

    answer(project_names.rename, request, json, words_of)


@project.command()
@command(target="ID|FOLDER")
def link(request: LinkRequest, json: bool = False) -> None:
    """Treat this checkout as a project that the memory already has, on every machine."""

    def hints(result: ProjectLink) -> Iterator[str]:
        return conflict_hints(result.relocated.conflict_copies)

    answer(project_names.link, request, json, _link_words, hints)


@project.command()
@command(name="ID")
def unlink(request: UnlinkRequest, json: bool = False) -> None:
    """Make a linked id a project of its own again, on every machine."""
    answer(project_names.unlink, request, json, _unlink_words)


@project.command()
def trust(
    path: Annotated[Path | None, argument(metavar="[PATH]")] = None,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Confirm that a checkout is the project it claims to be, so that it is given that project's memory."""

    def words_of(result: TrustResult) -> str:
        already = "" if result.is_changed else " already"
        place = f"{shown(str(result.top))} is {result.project.id}, in {result.project.folder}/"
        return f"trusted{already}: {place}"

    answer(project_names.trust, project_names.TrustRequest(path), json, words_of)


def _lines(project: Shown) -> list[str]:
    because = _BECAUSE[project.why] + (f", linked from {project.own}" if project.own != project.id else "")
    notes = output.counted(project.notes, "note") if project.is_registered else "nothing written yet"
    rows = {
        "project": [project.id],
        "because": [because],
        "folder": [f"{project.folder}/, {notes}"],
        "names": [name for name in project.names if name != project.own],
        "worktrees": [_WORKTREES.get(project.worktrees, project.worktrees)],
        "checkouts": project.checkouts,
        "claim": [shown(project.claim)] if project.claim else [],
        "hint": [shown(project.hint)] if project.hint else [],
    }
    return [f"{name if n == 0 else '':<10}{row}" for name, of in rows.items() for n, row in enumerate(of)]


def _cells(project: ListedProject) -> tuple[str, ...]:
    here = ", here" if project.checkouts else ""
    names = f" (also {', '.join(project.names)})" if project.names else ""
    label = f"{project.id or 'no project'}{names}"
    return f"{project.folder}/", label, f"{output.counted(project.notes, 'note')}{here}"


def _link_words(result: ProjectLink) -> str:
    if not result.is_changed:
        return f"linked already: {result.name} in {result.folder}/"
    came = f"; what was in {result.before}/ is there{_along(result.relocated)}" if result.before else ""
    return "\n  ".join([f"linked: {result.name} in {result.folder}/{came}", *result.lines])


def _unlink_words(done: UnlinkResult) -> str:
    if done.is_changed:
        return f"unlinked: {done.name} in {done.folder}/; what was written until now stays in {done.before}/"
    names = f"; linked to it: {', '.join(done.names)}" if done.names else ""
    place = f", in {done.folder}/" if done.folder else ""
    return f"not linked: {done.name} is a project of its own{place}{names}"


def _along(relocated: Relocation) -> str:
    links = f", links in {relocated.linking} more" if relocated.linking else ""
    return f" ({output.counted(relocated.files, 'file')}{links})"
