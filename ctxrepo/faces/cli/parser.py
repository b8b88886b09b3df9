"""The parser: the tree of commands as typer builds it, for help, for command lines that aren't plain, and to
say what is wrong with one."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command_name, get_group
from typer.models import CommandInfo

import ctxrepo
from ctxrepo.errors import INTERRUPTED
from ctxrepo.faces.cli import table

PANELS = {
    "Notes and entries": (
        "notes.notes",
        "notes.change",
        "notes.back",
        "notes.scratch",
        "notes.log",
        "notes.files",
    ),
    "Look through them": (
        "notes.look",
        "sessions.recall",
        "sessions.trace",
        "sessions.stats",
        "sessions.evaluate",
        "review.history",
    ),
    "Repository, remote, other machines": (
        "repository.repository",
        "repository.sync",
        "repository.doctor",
        "notes.check",
        "notes.imports",
        "review.conflicts",
        "review.declined",
        "repository.cache",
    ),
    "Projects, agents and their sessions": (
        "repository.project",
        "repository.agents",
        "sessions.session",
        "sessions.sessions",
        "sessions.tape",
        "sessions.block",
    ),
    "Settings": ("repository.config", "completion.command"),
}
"""Heading in the list of commands -> the modules here whose commands stand below it."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ctxrepo {ctxrepo.__version__}")
        raise typer.Exit


def root(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """One git repository is the memory of all your coding agents, on all your machines."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


class LazyCommand(TyperCommand):
    """A command as the root lists it; its module is imported when it is called."""

    def __init__(self, entry: table.CommandEntry) -> None:
        super().__init__(entry.name, help=entry.summary, rich_help_panel=entry.panel, hidden=entry.is_hidden)
        self._module = entry.module

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        command = registered(self._module, str(self.name)).commands[str(self.name)]
        return command.make_context(info_name, args, parent, **extra)


def root_command() -> Any:
    """All commands with their options, for tools/reference.py."""
    app = _app()
    for panel, modules in PANELS.items():
        for module in modules:
            _register(app, module, panel)
    return get_group(app)


def registered(module: str, command: str = "") -> Any:
    """The root command as typer builds it, with the commands of `module`, or only with `command` of them."""
    app = _app()
    _register(app, module)
    if command:
        app.registered_commands = [one for one in app.registered_commands if _name(one) == command]
        app.registered_groups = [one for one in app.registered_groups if one.name == command]
    return get_group(app)


def _name(command: CommandInfo) -> str:
    return command.name or get_command_name(getattr(command.callback, "__name__", ""))


def _app() -> typer.Typer:
    """The root command, and none below it yet."""
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
    app.callback()(root)
    return app


def _register(app: typer.Typer, module: str, panel: str | None = None) -> None:
    """Add the commands of a module, below a heading of the list."""
    known = len(app.registered_commands), len(app.registered_groups)
    import_module(f"ctxrepo.faces.cli.{module}").register(app)
    for command in app.registered_commands[known[0] :]:
        command.rich_help_panel = panel
    for group in app.registered_groups[known[1] :]:
        group.rich_help_panel = panel


def run(words: Sequence[str]) -> int:
    """Run the command of a command line; returns its exit code. UsageError when the line is wrong."""
    called = get_group(_app())
    called.commands = {name: LazyCommand(entry) for name, entry in table.read().commands.items()}
    try:
        code = called.main(args=list(words), prog_name="ctxrepo", standalone_mode=False)
    except typer.TyperException as error:
        from ctxrepo.faces.cli.mistakes import mistake  # most command lines hold none

        raise mistake(error, words) from error
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0
