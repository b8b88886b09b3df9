"""Draws a cast as one SVG that moves by itself: styles alone, no script, and nothing from elsewhere.

Each version of a row is drawn once and shown while it holds. Without motion its end is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TypeVar

from cast.screen import HEIGHT, WIDTH, Cast, Row, Run, Style

CELL, LINE, SIZE = 8.4, 18, 14
"""Pixels: of a character and a line, and the size of the font."""
EDGE, BAR = 14, 34
FOREGROUND, BACKGROUND = "#d5d9e0", "#12161c"

_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

Shown = TypeVar("Shown")
Span = tuple[float, float]
"""From which second to which something is shown."""


def picture(cast: Cast) -> str:
    """The SVG of a cast, which goes on and on."""
    width, height = 2 * EDGE + WIDTH * CELL, BAR + HEIGHT * LINE + EDGE
    shown: dict[Span, list[str]] = {}
    for number in range(HEIGHT):
        rows = [(frame.at, frame.screen.rows[number]) for frame in cast.frames]
        for span, row in _spans(rows, cast.seconds):
            if row:
                shown.setdefault(span, []).append("".join(_drawn(row, number)))
    for span, cursor in _spans([(frame.at, frame.screen.cursor) for frame in cast.frames], cast.seconds):
        if cursor:
            x, y = cursor
            block = f'<rect class="c" x="{_x(x)}" y="{_top(y)}" width="{CELL}" height="{LINE}"/>'
            shown.setdefault(span, []).append(block)
    rules, groups = [], []
    for number, (span, drawn) in enumerate(sorted(shown.items())):
        is_always = span == (0.0, cast.seconds)
        still = "" if span[1] == cast.seconds else " h"
        groups.append(f'<g class="{"" if is_always else f"a k{number}{still}"}">{"".join(drawn)}</g>')
        if not is_always:
            rules.append(_rule(number, span, cast.seconds))
    style = (
        f"text{{font:{SIZE}px {_FONTS};fill:{FOREGROUND};white-space:pre}}.c{{fill:{FOREGROUND};opacity:.6}}"
        "g rect{shape-rendering:crispEdges}.b{font-weight:bold}.d{opacity:.6}.u{text-decoration:underline}"
        f".a{{animation:{cast.seconds}s step-end infinite}}.h{{visibility:hidden}}{''.join(rules)}"
        "@media(prefers-reduced-motion:reduce){.a{animation:none}}"
    )
    dots = "".join(
        f'<circle cx="{EDGE + 6 + 20 * number}" cy="{BAR / 2}" r="6" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="ctxrepo at a terminal">\n<style>{style}</style>\n'
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{BACKGROUND}"/>{dots}\n'
        + "\n".join(groups)
        + "\n</svg>\n"
    )


def _spans(values: Sequence[tuple[float, Shown]], end: float) -> Iterator[tuple[Span, Shown]]:
    """What is shown one after another, each with how long."""
    since, before = values[0]
    for at, value in values[1:]:
        if value != before:
            yield (since, at), before
            since, before = at, value
    yield (since, end), before


def _rule(number: int, span: Span, seconds: float) -> str:
    begin, end = (f"{100 * at / seconds:.4g}%" for at in span)
    hidden, visible = "{visibility:hidden}", "{visibility:visible}"
    steps = f"{begin}{visible}" if span[0] == 0 else f"0%{hidden}{begin}{visible}"
    steps += f"{end}{hidden}" if span[1] < seconds else f"100%{visible}"
    return f".k{number}{{animation-name:k{number}}}@keyframes k{number}{{{steps}}}"


def _drawn(row: Row, number: int) -> Iterator[str]:
    """The backgrounds of a row, each as one piece, and then its texts."""
    column, texts, pieces = 0, [], list[tuple[str, int, int]]()
    for run in row:
        style = _plain(run.style)
        first = pieces.pop()[1] if pieces and pieces[-1][::2] == (style.background, column) else column
        pieces.append((style.background, first, column + len(run.text)))
        texts.append(_text(run, style, column, number))
        column += len(run.text)
    for colour, first, end in pieces:
        if colour not in ("", BACKGROUND):
            size = f'width="{_g((end - first) * CELL)}" height="{LINE}"'
            yield f'<rect x="{_x(first)}" y="{_top(number)}" {size} fill="{colour}"/>'
    yield from texts


def _text(run: Run, style: Style, column: int, number: int) -> str:
    """The characters of a run in their columns, whatever font there is."""
    text = run.text.strip(" ")
    if not text:
        return ""
    column += len(run.text) - len(run.text.lstrip(" "))
    flags = {"b": style.is_bold, "d": style.is_dim, "u": style.is_underlined}
    names = " ".join(name for name, is_set in flags.items() if is_set)
    more = f' class="{names}"' if names else ""
    more += f' style="fill:{style.foreground}"' if style.foreground else ""
    length = f'textLength="{_g(len(text) * CELL)}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{_x(column)}" y="{_top(number) + 13}" {length}{more}>{escape(text, quote=False)}</text>'


def _plain(style: Style) -> Style:
    """The style with its colours exchanged where it is reversed."""
    if not style.is_reversed:
        return style
    front, back = style.foreground or FOREGROUND, style.background or BACKGROUND
    return Style(back, front, style.is_bold, style.is_dim, style.is_underlined)


def _x(column: int) -> str:
    return _g(EDGE + column * CELL)


def _top(number: int) -> int:
    return BAR + number * LINE


def _g(value: float) -> str:
    return f"{value:.5g}"
