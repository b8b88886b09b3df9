"""Plain command lines, which the table of commands is enough to read.

The parser takes longer to load than Python takes to start, and agents run one command in each shell call. So
a line is read here where it is beyond doubt, and what it means to the parser is the law of
tests/faces/cli/test_plain.py (ADR 47). Whatever else is typed, mistakes included, is the parser's.
"""

from __future__ import annotations

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
    """The values that the words behind a command give to its parameters, by their names.

    None if the line isn't plain. In a plain line each option has its whole name and stands once, its value is
    the next word, and each value is a text, not a number or one of a choice; no word begins with a dash but
    the names of options; no argument is missing or too much.
    """
    values: dict[str, Any] = {}
    rest = [param for param in command.params if not param.names]
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        if word.startswith("-"):
            param = _option(word, command)
            if param is not None and not param.is_flag:
                word = waiting.pop() if waiting else "-"
        else:
            param = rest[0] if rest else None
            if param is not None and not param.is_many:
                del rest[0]
        if param is None or not _take(param, word, values):
            return None
    return None if any(param.is_required and param.name not in values for param in rest) else values


def _option(word: str, command: CommandEntry) -> Param | None:
    return next((param for param in command.params if word in param.names), None)


def _take(param: Param, word: str, values: dict[str, Any]) -> bool:
    """Add the value that a word gives to a parameter; False where only the parser can tell it."""
    if not param.is_text and not param.is_flag:
        return False
    if param.is_many:
        values.setdefault(param.name, []).append(word)
        return not word.startswith("-")
    if param.name in values:
        return False
    values[param.name] = True if param.is_flag else word
    return param.is_flag or not word.startswith("-")
