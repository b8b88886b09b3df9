"""What a page shows of a session in pi: who types what, what is shown, called and given.

In a block of the kind `text`, `laptop$ …` is a command in a shell of that machine and `pi> …` is typed in
its pi. Plain lines below are what it prints; `  · the model calls TOOL {…}` and `  · the model is given`
have their lines behind `    │ `. `[…]` stands for the rest of a line, and a line in brackets for lines that
are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CALLS, _GIVEN, _LINE = "  · the model calls ", "  · the model is given", "    │ "


@dataclass
class Typed:
    """One thing that somebody types, and what comes of it: lines as they are shown."""

    machine: str
    text: str
    is_in_pi: bool
    shown: list[str] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)


def read(page: Path) -> Sequence[Typed]:
    """All that is typed on the page, from top to bottom."""
    typed: list[Typed] = []
    for block in _BLOCK.findall(page.read_text("utf-8")):
        for line in filter(None, block.splitlines()):
            _add(typed, line)
    return typed


def missing(shown: Iterable[str], seen: str) -> Iterator[str]:
    """The lines of the page that aren't, in their order, among those that were seen; numbers and ids may
    differ."""
    rest = iter(seen.splitlines())
    for line in shown:
        begin, is_cut = plain(line).partition("[…]")[0].rstrip(), "[…]" in line
        if line.startswith("["):
            continue
        if not any(other.startswith(begin) if is_cut else other == begin for other in map(plain, rest)):
            yield line
            rest = iter(seen.splitlines())


def plain(line: str) -> str:
    """The line without what is another each time."""
    return re.sub(r"\^[0-9a-f]{7,12}|\d+", "N", line.strip())


def _add(typed: list[Typed], line: str) -> None:
    if shell := re.match(r"(\w+)\$ (.*)", line):
        typed.append(Typed(shell[1], shell[2], is_in_pi=False))
    elif line.startswith("pi> "):
        typed.append(Typed(typed[-1].machine, line[4:], is_in_pi=True))
    elif line.startswith(_CALLS):
        tool, _, given = line.removeprefix(_CALLS).partition(" ")
        typed[-1].calls.append((tool, json.loads(given)))
    elif line.startswith(_LINE):
        (typed[-1].results if typed[-1].calls else typed[-1].given).append(line.removeprefix(_LINE))
    elif line != _GIVEN:
        typed[-1].shown.append(line)
