"""Options that several commands share, each with the same words everywhere, and how they are read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ctxrepo.errors import UsageError

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Scope = Annotated[
    str,
    typer.Option("--scope", "-s", metavar="SCOPE", help="global, project, or a project's id or folder."),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A tag; may be given again.")
]
TargetWords = Annotated[
    str,
    typer.Argument(metavar="TARGET", help="[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry."),
]


def text_of(source: str) -> str:
    """What `--from` names: a file, `-` for standard input, '' for nothing; no byte of it is lost."""
    from ctxrepo.domain.note import decode_exactly

    try:
        if source == "-":
            return decode_exactly(sys.stdin.buffer.read())
        return decode_exactly(Path(source).read_bytes()) if source else ""
    except OSError as error:
        raise UsageError(f"{source} can't be read: {error.strerror}") from error


def without_verb(context: typer.Context, act: Callable[[bool], None], *, json: bool) -> None:
    """What a group of commands does that is given no verb; UsageError for --json before one."""
    if context.invoked_subcommand is None:
        act(json)
    elif json:
        name = f"{context.command_path} {context.invoked_subcommand}"
        raise UsageError("--json stands before the verb", f"It goes behind it: `{name} --json`.")
