"""The command that prints a shell's script: completion."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.completion.shells import SCRIPTS, script
from ctxrepo.faces.cli.options import argument

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    app.command()(completion)


def completion(
    shell: Annotated[str, argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print a script that adds completion to your shell.

    It completes commands, options, scopes, tags, categories and notes, entries behind ^, the places in a
    note behind #, items of the checklist, projects, conflicts, traces and sessions.

    For bash the line of the example goes into `~/.bashrc`; for zsh the same with zsh into `~/.zshrc`; fish
    reads what it prints from `~/.config/fish/completions/ctxrepo.fish`.

    Example: eval "$(ctxrepo completion bash)"
    """
    if shell not in SCRIPTS:
        raise UsageError(f"there is no completion for {shell!r}", f"There is one for {', '.join(SCRIPTS)}.")
    output.verbatim(script(shell, sys.executable).encode())
