"""Options that several commands share, each with the same words everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Scope = Annotated[
    str,
    typer.Option("--scope", "-s", metavar="SCOPE", help="global, project, or a project's id."),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A tag; may be given again.")
]
TargetWords = Annotated[
    str, typer.Argument(metavar="TARGET", help="[SCOPE:]PATH of a note, or ^ID of an entry.")
]
