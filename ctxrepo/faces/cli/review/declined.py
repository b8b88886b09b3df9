"""Commands about what reviewers struck out: declined list, dismiss."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, without_verb

group = typer.Typer()

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="As `declined list` shows them; all when none is given."),
]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="declined")


@group.callback(invoke_without_command=True)
def declined(context: typer.Context, json: Json = False) -> None:
    """List what reviewers struck out, until you dismiss it.

    Without a verb it is listed.

    Example: ctxrepo declined
    """
    without_verb(context, list_declined, json=json)


@group.command("list")
def list_declined(json: Json = False) -> None:
    """List the entries that reviewers struck out, one review after the other.

    What you disagree with, write again: it is proposed anew.

    Example: ctxrepo declined list
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.review.declined import declined

    found = declined(Runtime().memory)
    lines = [line for one in found for line in (one.name, *(f"  - {entry}" for entry in one.entries))]
    output.done(
        json, {"declined": [asdict(one) for one in found]}, "\n".join(lines) or "nothing was declined"
    )
    if found and not json:
        output.notice("`ctxrepo declined dismiss` takes them off this list")


@group.command()
def dismiss(names: Names = None, json: Json = False) -> None:
    """Take what was declined off the list.

    It stays in the clone, under the ref that this prints.

    Example: ctxrepo declined dismiss 20261120
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.review.declined import dismiss

    refs = dismiss(Runtime().memory, names or [])
    lines = [f"off the list; kept in {ref}" for ref in refs]
    output.done(json, {"kept": refs}, "\n".join(lines) or "there was nothing to dismiss")
