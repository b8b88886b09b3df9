"""A plain command line means what the parser takes it to mean, and every other line is left to the parser."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxrepo.faces.cli import parser, table
from ctxrepo.faces.cli.app import plain_call, plain_values

ROOT = table.read()
COMMANDS = [command for command in ROOT.commands.values() if command.function]
TEXTS = ["a/b.md", "one", "two words", "", "7", "^a"]
ODD = ["-", "--", "-x", "--no-such", "--json=1", "--limit=3", "--help"]

Calls = list[dict[str, Any]]
"""The arguments of each call of a command's function, its defaults among them."""


@contextmanager
def recorded(command: table.CommandEntry) -> Iterator[Calls]:
    """The command's function writes down how it is called, and does nothing else."""
    module = import_module(f"ctxrepo.faces.cli.{command.module}")
    function = getattr(module, command.function)
    calls: Calls = []

    @functools.wraps(function)
    def record(*args: Any, **named: Any) -> None:
        bound = inspect.signature(function).bind(*args, **named)
        bound.apply_defaults()
        calls.append(bound.arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, command.function, record)
        patch.setattr(parser, "registered", parser.registered.__wrapped__)  # which is built once a process
        yield calls


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command with texts, options, options that have a value, and now and then something odd."""
    command = draw(st.sampled_from(COMMANDS))
    text = st.sampled_from(TEXTS)
    name = st.sampled_from([name for param in command.params for name in param.names] or TEXTS)
    piece = st.tuples(text) | st.tuples(name) | st.tuples(name, text) | st.tuples(st.sampled_from(ODD))
    return [command.name, *chain.from_iterable(draw(st.lists(piece, max_size=4)))]


@given(lines())
@example(["read", "topics/a.md"])
@example(["list"])
@example(["remember", "A fact", "--tag", "a", "-t", "b", "--pin", "--note", "topics/a.md"])
@example(["log", "two", "words", "--json"])
def test_a_plain_line_is_the_call_that_the_parser_makes(words: list[str]) -> None:
    with recorded(ROOT.commands[words[0]]) as calls:
        call = plain_call(words, ROOT)
        if call is None:
            return
        call()
        assert parser.run(words) == 0
    assert calls[0] == calls[1]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("list", {}),
        ("list topics -l --json", {"folder": "topics", "long": True, "json": True}),
        ("list --tag a -t b", {"tags": ["a", "b"]}),
        ("list --scope a --json --json --scope b", {"scope": "b", "json": True}),
        ("log two words", {"text": ["two", "words"]}),
        ("search basket --scope global", {"words": ["basket"], "scope": "global"}),
        ("remember fact --id", {"text": ["fact"], "with_id": True}),
    ],
)
def test_plain_lines_are_read(line: str, values: dict[str, Any]) -> None:
    command, *words = line.split()
    assert plain_values(words, ROOT.commands[command]) == values


@pytest.mark.parametrize(
    "line",
    ["", "--help", "no-such", "session show", "conflicts", "read", "read a b", "read a --help", "read -- a",
     "read -", "list --limit 3", "list --tag", "list --tag -x", 
     "list --js", "list --scope=a", "list -lt a"],
)  # fmt: skip
def test_other_lines_are_left_to_the_parser(line: str) -> None:
    assert plain_call(line.split(), ROOT) is None
