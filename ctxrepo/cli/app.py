"""The root command and the one boundary where errors become words and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

import ctxrepo
from ctxrepo.cli import agents, change, conflicts, history, look, notes, output, repository, session
from ctxrepo.errors import CtxrepoError, UsageError

INTERRUPTED = 130

app = typer.Typer(
    name="ctxrepo",
    help="One git repository is the memory of all your coding agents, on all your machines.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
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


for group in (repository, notes, change, look, history, conflicts, session, agents):
    group.register(app)


def main(words: Sequence[str]) -> int:
    """Run one command; returns its exit code and never shows a traceback."""
    output.prepare()
    code = _run(words, as_json="--json" in words)
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
        output.failed(as_json, UsageError(error.format_message(), _how(error, words)))
        return UsageError.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        _logged()
        where = f"{error.filename}: " if error.filename else ""
        hint = "Mend what is in the way there, and run the command again."
        output.failed(as_json, CtxrepoError(f"{where}{error.strerror or error}", hint))
        return 1
    except Exception as error:
        output.failed(as_json, _surprise(error, _logged()))
        return 1


def _surprise(error: Exception, logged: str) -> CtxrepoError:
    import sqlite3  # most commands never get here

    if isinstance(error, sqlite3.OperationalError):  # the disk or its rights: nothing in it is wrong
        return CtxrepoError(
            f"a database of ctxrepo's can't be used: {error}",
            "Look whether the disk is full or may not be written, and run the command again.",
        )
    return CtxrepoError(f"unexpected: {type(error).__name__}: {error}", logged)


def _how(error: typer.TyperException, words: Sequence[str]) -> str:
    if any(word.startswith("- ") for word in words):
        return "Put -- before a text that begins with a dash."
    context = getattr(error, "ctx", None)
    return f"`{context.command_path if context else 'ctxrepo'} --help` tells how it is used."


def _logged() -> str:
    """Put the traceback where it can be attached to a report; returns the sentence that says so."""
    with suppress(Exception):
        from ctxrepo.hot.logs import LOG_BYTES, append_rolling
        from ctxrepo.storage.places import Places

        file = Places.of(os.environ).state / "errors.log"
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        said = f"ctxrepo {ctxrepo.__version__}, Python {sys.version}\n{traceback.format_exc()}\n"
        append_rolling(str(file), said, LOG_BYTES)
        return f"The details are in {file}; please report them."
    return "Please report what you did."
