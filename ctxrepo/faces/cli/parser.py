"""The parser: the tree of commands as typer builds it, for help, for command lines that aren't plain, and to
say in our words what is wrong with one."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_group

import ctxrepo
from ctxrepo.domain.formats.blocks import blocks_beside, text_beside
from ctxrepo.domain.project.target import nearest
from ctxrepo.errors import INTERRUPTED, UsageError
from ctxrepo.faces.cli import table
from ctxrepo.lazy import lazy_pattern


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
    """The root command as typer builds it, with one command: this function of `module`, or with '' its group
    of that name.

    It is built once a process, as that takes longer than most commands."""
    app, commands = _app(), import_module(f"ctxrepo.faces.cli.{module}")
    if function:
        app.command(name)(getattr(commands, function))
    else:
        app.add_typer(getattr(commands, name).made(), name=name)
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
        raise mistake(error, words) from error
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


_MESSAGES = (
    (r"Missing (?:argument|option) '(.*)'\.", "{} is missing"),
    (r"Option '(.*)' requires an argument\.", "{} needs a value"),
)
_NO_NUMBER = lazy_pattern(
    r"Invalid value for '([^']*)': (.*) is not (?:a valid|in the) [a-z]+ ?.*", re.DOTALL
)
_UNKNOWN = lazy_pattern(r"No such (command '|option: )(.*?)('|$| \()")
_TOO_MANY = lazy_pattern(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)


def nearest_commands() -> Mapping[str, str]:
    """What one may look for that no command of ours is called -> what does that work."""
    return next(blocks_beside(__spec__, "nearest.words")).fields


def mistake(error: typer.TyperException, words: Sequence[str]) -> UsageError:
    """The nearest word where there is one, else how the command is used."""
    message = error.format_message()
    if unknown := _UNKNOWN.match(message):
        is_option = unknown[1].startswith("option")
        if is_option and any(word.startswith("- ") for word in words):
            return UsageError("a text that begins with a dash reads as an option", "Put -- before it.")
        return _unknown(error, unknown[2], words, is_option=is_option)
    if many := _TOO_MANY.fullmatch(message):
        how = _how(error, words)
        return UsageError(f"too many words: {many[1]}", f"A text of several words goes in quotes; {how}")
    if number := _number(error, message):
        return UsageError(number, _how(error, words))
    for pattern, ours in _MESSAGES:
        if match := re.fullmatch(pattern, message, re.DOTALL):
            return UsageError(ours.format(*match.groups()), _how(error, words))
    return UsageError(message, _how(error, words))


def _number(error: typer.TyperException, message: str) -> str:
    """Which numbers an option takes, when it was given something else; '' for any other mistake."""
    kind = getattr(getattr(error, "param", None), "type", None)
    match = _NO_NUMBER.fullmatch(message)
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if match is None or least is None:
        return ""
    span = f"of {least} or more" if most is None else f"from {least} to {most}"
    return f"{match[1]} is a whole number {span}, not {match[2]}"


def _unknown(error: typer.TyperException, word: str, words: Sequence[str], *, is_option: bool) -> UsageError:
    command = getattr(getattr(error, "ctx", None), "command", None)
    known = {}
    if command and is_option:
        known = {name.lstrip("-"): name for p in command.params for name in p.opts if name[0] == "-"}
    elif command:
        known = {name: name for name in command.commands}
    message = f"there is no {'option' if is_option else 'command'} {word}"
    name = " ".join(words[: words.index(word) + 1]) if word in words else word
    if not is_option and (instead := nearest_commands().get(name)):
        return UsageError(message, instead)
    if not is_option and word == words[0]:
        known |= {name: " ".join(ours) for name, ours in table.SYNONYMS.items()}
    if near := nearest(word.lower().lstrip("-"), known):
        return UsageError(f"{message}; did you mean {known[near]}?")
    return UsageError(message, _how(error, words))


def _how(error: typer.TyperException, words: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    first = next((f" {word}" for word in words[:1] if not word.startswith("-")), "")
    return f"`{context.command_path if context else f'ctxrepo{first}'} --help` shows how to use it."
