"""The root command and the one boundary where errors become words and exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

import ctxrepo
from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.faces.cli import (
    completion,
    output,
    waiting,
)
from ctxrepo.faces.cli.mistakes import mistake
from ctxrepo.faces.cli.notes import (
    back,
    change,
    check,
    files,
    log,
    look,
    notes,
    scratch,
)
from ctxrepo.faces.cli.repository import (
    agents,
    cache,
    config,
    doctor,
    project,
    repository,
    sync,
)
from ctxrepo.faces.cli.review import (
    conflicts,
    declined,
    history,
)
from ctxrepo.faces.cli.sessions import (
    block,
    evaluate,
    recall,
    session,
    sessions,
    stats,
    trace,
)
from ctxrepo.faces.cli.surprise import logged, of_database
from ctxrepo.faces.cli.synonyms import spoken

INTERRUPTED = 130

app = typer.Typer(
    name="ctxrepo",
    help="One git repository is the memory of all your coding agents, on all your machines.",
    epilog="How-tos and reference: docs/index.md in the repository that ctxrepo was installed from.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # the other modes take [[a link]] for an instruction
    add_completion=False,  # `completion` prints scripts; typer's own would edit shell settings unasked
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ctxrepo {ctxrepo.__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """One git repository is the memory of all your coding agents, on all your machines."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


PANELS = {
    "Notes and entries": (notes, change, back, scratch, log, files),
    "Look through them": (look, recall, trace, stats, evaluate, history),
    "Repository, remote, other machines": (repository, sync, doctor, check, conflicts, declined, cache),
    "Projects, agents and their sessions": (project, agents, session, sessions, block),
    "Settings": (config, completion),
}
"""Heading in the list of commands -> the modules whose commands stand below it."""

for title, modules in PANELS.items():
    known = len(app.registered_commands), len(app.registered_groups)
    for module in modules:
        module.register(app)
    for command in app.registered_commands[known[0] :]:
        command.rich_help_panel = title
    for group in app.registered_groups[known[1] :]:
        group.rich_help_panel = title


def root_command() -> Any:
    """All commands as a tree, for who reads what they take without running one."""
    from typer.main import get_command

    return get_command(app)


def main(words: Sequence[str]) -> int:
    """Run one command; returns its exit code and never shows a traceback."""
    output.prepare()
    words = spoken(words)
    waiting.begin()
    try:
        code = _run(words, as_json="--json" in words)
    finally:
        waiting.over()
    output.finish()
    return code


def _run(words: Sequence[str], as_json: bool) -> int:
    try:
        code = app(args=list(words), prog_name="ctxrepo", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except CtxrepoError as error:
        output.failed(as_json, error)
        return error.exit_code
    except typer.TyperException as error:
        output.failed(as_json, mistake(error, words))
        return UsageError.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        logged()
        where = f"{error.filename}: " if error.filename else ""
        hint = "Mend what is in the way there, and run the command again."
        output.failed(as_json, CtxrepoError(f"{where}{error.strerror or error}", hint))
        return 1
    except Exception as error:
        output.failed(as_json, _surprise(error, logged()))
        return 1


def _surprise(error: Exception, logged: str) -> CtxrepoError:
    return of_database(error) or CtxrepoError(f"unexpected: {type(error).__name__}: {error}", logged)
