"""Reads plain command lines by the table of commands, without the parser.

Agents run one command in each shell call, and loading the parser takes longer than starting Python twice. A
line is read here if there is no doubt about it: tests/faces/cli/test_plain.py has the parser make the same
call of every such line (ADR 47). Every other line, and every mistake, is left to the parser."""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from ctxrepo.faces.cli.table import CommandEntry, Param


def plain_call(words: Sequence[str], root: CommandEntry) -> Callable[[], object] | None:
    """The call of the command's function that a plain command line means; None for any other line."""
    command = root.commands.get(words[0]) if words else None
    if command is None or not command.function:
        return None
    values = plain_values(words[1:], command)
    if values is None:
        return None
    module = import_module(f"ctxrepo.faces.cli.{command.module}")
    return partial(getattr(module, command.function), **values)


def plain_values(words: Sequence[str], command: CommandEntry) -> dict[str, Any] | None:
    """The values that the words behind a command give to its parameters, by name; None for a line that isn't
    plain.

    In a plain line each option has its whole name, its value is the next word, and each value is a text that
    isn't empty, not a number or one of a choice. No word begins with a dash but the names of options, and no
    argument is missing or too much."""
    values: dict[str, Any] = {}
    arguments = [param for param in command.params if not param.names]
    rest = iter(words)
    for word in rest:
        is_option = word.startswith("-")
        named = (param for param in command.params if word in param.names)
        param = next(named, None) if is_option else _argument(arguments)
        if param is None:
            return None
        text = next(rest, "-") if is_option and not param.is_flag else word
        if not _take(param, text, values):
            return None
    return None if any(param.is_required and param.name not in values for param in arguments) else values


def _argument(left: list[Param]) -> Param | None:
    """The argument that takes the next word; it stays in `left` while it takes further ones."""
    if not left:
        return None
    return left[0] if left[0].is_many else left.pop(0)


def _take(param: Param, text: str, values: dict[str, Any]) -> bool:
    """Add the value that a word gives to a parameter; False where only the parser can tell it."""
    if param.is_flag:
        values[param.name] = True
        return True
    if not param.is_text or text.startswith("-") or not (text or param.is_required):
        return False
    if param.is_many:
        values.setdefault(param.name, []).append(text)
    else:
        values[param.name] = text
    return True
