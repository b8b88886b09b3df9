"""Commands about what reviewers struck out: declined list, dismiss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.review import decisions
from ctxrepo.app.review.decisions import DismissRequest
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import Group, command, json_option

if TYPE_CHECKING:
    from ctxrepo.services.review.declined import DeclinedReview


group = Group("declined", "List what reviewers removed, until you dismiss it.", "list")


@group.command("list")
def list_declined(json: Annotated[bool, json_option()] = False) -> None:
    """List the entries that reviewers removed, review by review."""

    def said(found: Sequence[DeclinedReview]) -> str:
        lines = [line for one in found for line in (one.name, *(f"  - {entry}" for entry in one.entries))]
        return "\n".join(lines) or "nothing was declined"

    def next_step(found: Sequence[DeclinedReview]) -> Iterator[str]:
        if found and not json:
            yield "`ctxrepo declined dismiss` takes them off this list"

    answer(decisions.list_declined, None, json, said, next_step)


@group.command()
@command(names="[NAME]...")
def dismiss(request: DismissRequest, json: bool = False) -> None:
    """Remove declined entries from this list."""

    def said(refs: Sequence[str]) -> str:
        return "\n".join(f"removed from the list; kept in {ref}" for ref in refs) or "nothing to dismiss"

    answer(decisions.dismiss, request, json, said)
