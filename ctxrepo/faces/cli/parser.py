"""The parser: the tree of commands as typer builds it, for help, for command lines that aren't plain, and to
say what is wrong with one."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_group

import ctxrepo
from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.errors import INTERRUPTED, UsageError
from ctxrepo.faces.cli import table


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
        self._entry = entry

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        entry = self._entry
        command = registered(entry.module, entry.name, entry.function).commands[entry.name]
        return command.make_context(info_name, args, parent, **extra)


@cache
def registered(module: str, name: str, function: str) -> Any:
    """The root command as typer builds it, with one command: this function of `module`, or with '' its group.

    It is built once a process, as that takes longer than most commands."""
    app, commands = _app(), import_module(f"ctxrepo.faces.cli.{module}")
    if function:
        app.command(name)(getattr(commands, function))
    else:
        app.add_typer(commands.group, name=name)
    return _with_help(get_group(app))


def _with_help(root: Any) -> Any:
    """The tree of commands with what `help.md` says of each, beyond the sentence in its docstring, and of its
    options and arguments, beyond those that are fields of a request."""
    parts = text_beside(__spec__, "help.md").split("\n## ")[1:]
    texts = dict(part.split("\n", 1) for part in parts)
    groups = [("", root)]
    while groups:
        path, group = groups.pop()
        for word, command in group.commands.items():
            name = f"{path} {word}".strip()
            body, *details = texts.get(name, "").rstrip().split("\n- ")
            command.help = f"{command.help}\n{body.rstrip()}".rstrip()
            sentences = dict(detail.split(": ", 1) for detail in details)
            for param in command.params:
                word = param.opts[0] if param.opts[0].startswith("-") else str(param.metavar).strip("[].")
                param.help = sentences.get(word, getattr(param, "help", None))
                is_one_text = param.type.name == "str" and param.nargs == 1
                if is_one_text and not param.required and "may be empty" not in (param.help or ""):
                    param.callback = _require_text
            if hasattr(command, "commands"):
                groups.append((name, command))
    return root


def _require_text(context: Any, param: Any, value: Any) -> Any:
    """The value of an option or argument that may be left out; UsageError for an empty text, which somebody's
    unset variable left and which would mean everything."""
    source = context.get_parameter_source(param.name)
    is_given = source is not None and source.name == "COMMANDLINE"
    if is_given and "" in (value if isinstance(value, list | tuple) else (value,)):
        name = param.opts[0] if param.opts[0].startswith("-") else str(param.metavar).strip("[].")
        raise UsageError(f"{name} is empty", "Give it a text, or leave it out.")
    return value


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
