"""Every command that a page shows is one that the command line takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reference import root_command

CHECKOUT = Path(__file__).resolve().parents[1]
GENERATED = CHECKOUT / "docs/reference/cli.md"
ROOT: Any = root_command()
PAGES = sorted(
    {CHECKOUT / "README.md", CHECKOUT / "SECURITY.md", *CHECKOUT.glob("docs/**/*.md")} - {GENERATED}
)

_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(r"^(?:\w*[$>] )?(ctxrepo [a-z].*)$", re.MULTILINE)
_INLINE = re.compile(r"`(ctxrepo [a-z][^`]*)`")
_OF_THE_SHELL = re.compile(r"\$\(.*\)| [|&]+ .*|[<>]+ ?\S+| \\$")
_LEFT_OUT = re.compile(r"…|⇥|\[|\b[A-Z]{5,}\b")
"""What stands for something that the reader fills in."""


def commands(text: str) -> Iterator[tuple[str, bool]]:
    """The command lines of a page, and whether each is whole; one within a sentence may lack arguments."""
    for block in _BLOCK.findall(text):
        yield from ((line, True) for line in _TYPED.findall(block.replace("\\\n", " ")))
    yield from ((line.replace("\n", " "), False) for line in _INLINE.findall(_BLOCK.sub("", text)))


def complaint(line: str, *, is_complete: bool) -> str:
    """What the parser says against the line, or nothing."""
    if _LEFT_OUT.search(line):
        return ""
    command = ROOT
    words = shlex.split(_OF_THE_SHELL.sub("", line), comments=True)[1:]
    while words and hasattr(command, "commands"):
        name, *words = words
        if name.startswith("-"):
            return ""
        if name not in command.commands:
            return f"there is no {name}"
        command = command.commands[name]
    if hasattr(command, "commands"):
        return ""
    try:
        command.make_context("ctxrepo", words)
    except SystemExit:
        return ""
    except Exception as error:
        if not is_complete and "Missing" in str(error):
            return ""
        return str(error)
    return ""


def test_each_command_is_understood() -> None:
    wrong = [
        f"{page.relative_to(CHECKOUT)}: {line}: {fault}"
        for page in PAGES
        if "docs/adr" not in page.as_posix()
        for line, is_complete in commands(page.read_text("utf-8"))
        if (fault := complaint(line, is_complete=is_complete))
    ]
    assert not wrong, "\n".join(wrong)


def test_they_are_read_at_all() -> None:
    assert sum(len([*commands(page.read_text("utf-8"))]) for page in PAGES) > 400


@pytest.mark.parametrize(
    "line", ["ctxrepo nonsense", "ctxrepo search x --nonsense", "ctxrepo scratch nonsense"]
)
def test_what_the_command_line_does_not_take_is_noticed(line: str) -> None:
    assert complaint(line, is_complete=True)
