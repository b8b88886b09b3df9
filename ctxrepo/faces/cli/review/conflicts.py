"""Commands about versions that lost a merge: conflicts list, show, resolve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.review import decisions
from ctxrepo.app.review.decisions import ConflictRequest, ResolveRequest
from ctxrepo.faces.cli.answer import answer, answer_with_view, open_desk
from ctxrepo.faces.cli.options import command, group_of, json_option

if TYPE_CHECKING:
    from ctxrepo.services.history.settle_conflict import Resolution

group = group_of("conflicts", "List, show and resolve the versions that a merge set aside.", "list")


@group.command("list")
def list_conflicts(json: Annotated[bool, json_option()] = False) -> None:
    """List the versions that were set aside."""
    from ctxrepo.app.views.past import conflicts_view

    desk = open_desk()
    answer_with_view(
        desk, decisions.list_conflicts, None, json, lambda conflicts: conflicts_view(conflicts, desk.now)
    )


@group.command()
@command(id="ID")
def show(request: ConflictRequest, json: bool = False) -> None:
    """Show a version that was set aside, and how it differs from the one that was kept."""
    from ctxrepo.app.views.past import conflict_view

    desk = open_desk()
    answer_with_view(
        desk, decisions.show_conflict, request, json, lambda conflict: conflict_view(conflict, desk.now)
    )


@group.command()
@command(id="ID", keep="--keep WHICH", every="--all")
def resolve(request: ResolveRequest, json: bool = False) -> None:
    """Resolve a version that was set aside, or all of them."""

    def said(done: Sequence[Resolution]) -> str:
        return "\n".join(_told(one, request.keep) for one in done) or "nothing is set aside"

    answer(open_desk(), decisions.resolve, request, json, said)


def _told(done: Resolution, keep: str) -> str:
    holds = {"kept": "kept the current version", "other": "kept the other version", "both": "kept both"}[keep]
    already = " already" if keep != "kept" and not done.is_changed else ""
    return f"resolved: {done.id} {done.path}, {holds}{already}"
