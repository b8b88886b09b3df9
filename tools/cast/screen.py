"""Screens of a terminal as values, and a cast of them as a file of asciinema's, version 2.

A screen stands in the file as the rows that differ from the one before, each written as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
CAST = PICTURES / "ctxrepo.cast"
SVG = PICTURES / "ctxrepo-cast.svg"

WIDTH, HEIGHT = 104, 24


@dataclass(frozen=True)
class Style:
    """How a run of characters looks; colours as #rrggbb, '' for the terminal's own."""

    foreground: str = ""
    background: str = ""
    is_bold: bool = False
    is_dim: bool = False
    is_underlined: bool = False
    is_reversed: bool = False


@dataclass(frozen=True)
class Run:
    """Characters of one style."""

    text: str
    style: Style


Row = tuple[Run, ...]


@dataclass(frozen=True)
class Screen:
    """All rows, and where the cursor is (column, row), None where it isn't shown."""

    rows: tuple[Row, ...]
    cursor: tuple[int, int] | None

    @property
    def text(self) -> str:
        return "\n".join("".join(run.text for run in row) for row in self.rows)


@dataclass(frozen=True)
class Frame:
    """A screen and the second from which on it is shown."""

    at: float
    screen: Screen


@dataclass(frozen=True)
class Cast:
    frames: Sequence[Frame]
    seconds: float
    """How long all of it takes."""


PALETTE = (
    *("#1c1f26", "#f07178", "#a5d6a7", "#ffcb6b", "#82aaff", "#c792ea", "#7fdbca", "#c8ccd4"),
    *("#6b7280", "#ff8b92", "#c3e88d", "#ffd98e", "#a6c4ff", "#dcb6f5", "#a1efe0", "#ffffff"),
)
_FLAGS: Mapping[int, Callable[[Style], Style]] = {
    1: partial(replace, is_bold=True),
    2: partial(replace, is_dim=True),
    4: partial(replace, is_underlined=True),
    7: partial(replace, is_reversed=True),
    22: partial(replace, is_bold=False, is_dim=False),
    24: partial(replace, is_underlined=False),
    27: partial(replace, is_reversed=False),
}
_SGR = re.compile(r"\x1b\[([\d;]*)m")


def row_of(line: str) -> Row:
    """A line with colours, as a terminal is told them. tests/test_cast.py has what is understood."""
    runs, style, at = list[Run](), Style(), 0
    for match in _SGR.finditer(line):
        runs.append(Run(line[at : match.start()], style))
        style, at = _styled(style, [int(code or 0) for code in match[1].split(";")]), match.end()
    runs.append(Run(line[at:], style))
    return _joined(runs)


def _joined(runs: Sequence[Run]) -> Row:
    """Without what can't be seen at the end, and neighbours of one style as one."""
    joined = list[Run]()
    for run in runs:
        if joined and joined[-1].style == run.style:
            joined[-1] = replace(joined[-1], text=joined[-1].text + run.text)
        elif run.text:
            joined.append(run)
    while joined and not (joined[-1].style.background or joined[-1].style.is_reversed):
        last = joined.pop()
        if text := last.text.rstrip():
            return (*joined, replace(last, text=text))
    return tuple(joined)


def _styled(style: Style, codes: list[int]) -> Style:
    rest = iter(codes)
    for code in rest:
        if code == 0:
            style = Style()
        elif code in _FLAGS:
            style = _FLAGS[code](style)
        elif code in (38, 48):
            is_rgb = next(rest) == 2
            colour = _rgb(*(next(rest) for _ in range(3))) if is_rgb else _indexed(next(rest))
            style = _coloured_as(style, colour, is_behind=code == 48)
        elif code in (39, 49):
            style = _coloured_as(style, "", is_behind=code == 49)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = replace(style, foreground=PALETTE[code - 30 if code < 90 else code - 82])
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style = replace(style, background=PALETTE[code - 40 if code < 100 else code - 92])
    return style


def _coloured_as(style: Style, colour: str, *, is_behind: bool) -> Style:
    return replace(style, background=colour) if is_behind else replace(style, foreground=colour)


def _rgb(red: int, green: int, blue: int) -> str:
    return f"#{red:02x}{green:02x}{blue:02x}"


def _indexed(number: int) -> str:
    """A colour of the 256: the sixteen, a cube, and greys."""
    if number < 16:
        return PALETTE[number]
    if number > 231:
        return _rgb(*[8 + 10 * (number - 232)] * 3)
    levels = (0, 95, 135, 175, 215, 255)
    number -= 16
    return _rgb(levels[number // 36], levels[number // 6 % 6], levels[number % 6])


def written(cast: Cast) -> str:
    """The file of a cast; an event without output at its end says how long it takes."""
    header = {
        "version": 2,
        "width": WIDTH,
        "height": HEIGHT,
        "title": "ctxrepo",
        "env": {"TERM": "xterm-256color"},
    }
    lines = [json.dumps(header)]
    rows: tuple[Row, ...] = ((),) * HEIGHT
    for frame in cast.frames:
        changed = (
            f"\x1b[{number};1H{_coloured(row)}\x1b[0m\x1b[K"
            for number, (row, before) in enumerate(zip(frame.screen.rows, rows, strict=True), 1)
            if row != before
        )
        cursor = frame.screen.cursor
        place = f"\x1b[{cursor[1] + 1};{cursor[0] + 1}H\x1b[?25h" if cursor else "\x1b[?25l"
        lines.append(json.dumps([frame.at, "o", "".join(changed) + place], ensure_ascii=False))
        rows = frame.screen.rows
    return "\n".join([*lines, json.dumps([cast.seconds, "o", ""])]) + "\n"


def _coloured(row: Row) -> str:
    return "".join(f"\x1b[0{''.join(_codes(run.style))}m{run.text}" for run in row)


def _codes(style: Style) -> Iterator[str]:
    flags = {1: style.is_bold, 2: style.is_dim, 4: style.is_underlined, 7: style.is_reversed}
    yield from (f";{code}" for code, is_set in flags.items() if is_set)
    for base, colour in ((38, style.foreground), (48, style.background)):
        if colour:
            red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
            yield f";{base};2;{red};{green};{blue}"


_ROW = re.compile(r"\x1b\[(\d+);1H((?:(?!\x1b\[0m\x1b\[K).)*)\x1b\[0m\x1b\[K")
_CURSOR = re.compile(r"\x1b\[(\d+);(\d+)H\x1b\[\?25h\Z")


def read(text: str) -> Cast:
    """The cast in a file that `written` made."""
    _, *events = map(json.loads, text.splitlines())
    rows, frames = list[Row]([()] * HEIGHT), list[Frame]()
    for at, _, data in events[:-1]:
        for number, line in _ROW.findall(data):
            rows[int(number) - 1] = row_of(line)
        place = _CURSOR.search(data)
        cursor = (int(place[2]) - 1, int(place[1]) - 1) if place else None
        frames.append(Frame(at, Screen(tuple(rows), cursor)))
    return Cast(frames, events[-1][0])
