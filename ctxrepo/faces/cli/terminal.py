"""What a command prints at a terminal: in colour, folded at words, and in a pager if the screen is too short.

rich takes twice as long to load as Python takes to start, so pipes and programs do without it: what they are
given is the same text as it is."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_COLOURS = (
    (r"`[^`\n]+`", "bold"),
    (r"(?<!\S)[\w.:/+-]+\.md(#L\d+(-L?\d+)?)?", "cyan"),
    (r"(?<![\w^])\^[\w-]{4,}", "yellow"),
    (r"(?<![\w-])\d{4}-\d\d-\d\d( \d\d:\d\d)?(?![\w-])", "dim"),
)
"""What is coloured in every line: commands, places in notes, ids of entries, times."""

_MARKS = {"wrong": "red", "heading": "bold"}
_DIFF = {"+": "green", "-": "red", "@": "cyan"}
_NARROW = 20
"""Columns below which nothing is folded."""


@dataclass(frozen=True)
class OutputLine:
    """A line of an answer. When it is folded, its first `hang` characters, a label or an indent, stand alone
    (-1: two more than it is indented by). `mark` is `wrong`, `heading`, `label` or `diff`."""

    text: str
    hang: int = -1
    mark: str = ""


def lines_of(text: str, mark: str = "") -> list[OutputLine]:
    return [OutputLine(line, mark=mark) for line in text.split("\n")]


def painted(lines: Iterable[OutputLine], stream: TextIO) -> str:
    """The lines as the terminal behind `stream` shows them; without colours where NO_COLOR is set."""
    from rich.console import Console

    console = Console(file=stream, markup=False, emoji=False, highlight=False)
    with console.capture() as capture:
        for line in lines:
            for part in _folded(_coloured(line), line, console):
                console.print(part, no_wrap=True, overflow="ignore", crop=False)
    return capture.get().removesuffix("\n")


def _coloured(line: OutputLine) -> Text:
    from rich.text import Text

    style = _DIFF.get(line.text[:1], "") if line.mark == "diff" else _MARKS.get(line.mark, "")
    text = Text(line.text, style=style)
    if line.mark != "diff":
        for pattern, colour in _COLOURS:
            text.highlight_regex(pattern, colour)
    if line.mark == "label":
        text.stylize("bold", 0, line.hang)
    return text


def _folded(text: Text, line: OutputLine, console: Console) -> list[Text]:
    from rich.text import Text

    if line.mark == "diff" or text.cell_len <= console.width or console.width < _NARROW:
        return [text]
    indent = len(line.text) - len(line.text.lstrip())
    hang = min(indent + 2 if line.hang < 0 else line.hang, console.width // 2)
    start, rest = text.divide([hang])
    parts = rest.wrap(console, console.width - hang)
    for part in parts:
        part.rstrip()
    return [start + parts[0], *(Text(" " * hang) + part for part in parts[1:])]


def page(text: str) -> bool:
    """Show a text that is longer than the screen in the user's pager; False where it is shorter, or nobody is
    there to turn its pages."""
    if text.count("\n") + 2 < os.get_terminal_size(sys.stdout.fileno()).lines or not sys.stdin.isatty():
        return False
    import signal
    import subprocess

    pager = shlex.split(os.environ.get("CTXREPO_PAGER", os.environ.get("PAGER", "less")))
    if not pager or pager == ["cat"]:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
    try:
        subprocess.run(
            pager,
            input=text.encode(errors="replace"),
            env={"LESS": "FRX", "LV": "-c", **os.environ},
            check=False,
        )
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True
