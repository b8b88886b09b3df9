"""Plots in SVG, drawn here and coloured by the style sheet: columns a day, bars, and marks on a time line.

Each has the same figures beside it in words or a table; colour alone tells nothing."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from ctxrepo.faces.page.markup import Html, tag

_WIDTH, _HEIGHT, _FOOT, _LEFT = 720, 132, 20, 30
SERIES = 6
"""Colours that the style sheet has: `s0` to `s5`."""


def columns(label: str, days: Sequence[date], series: Mapping[str, Sequence[int]]) -> Html:
    """Columns, one a day, with a part for each series; what is drawn first stands below."""
    totals = [sum(values[at] for values in series.values()) for at in range(len(days))]
    top = _round_up(max(totals, default=0))
    step = (_WIDTH - _LEFT) / max(1, len(days))
    room = _HEIGHT - _FOOT - 8
    parts: list[Html] = []
    for value in (0, top // 2, top) if top > 1 else (0, top):
        y = 8 + room * (1 - value / top)
        parts.append(tag("line", x1=_LEFT, x2=_WIDTH, y1=y, y2=y, class_="grid"))
        parts.append(tag("text", str(value), x=_LEFT - 6, y=y + 4, class_="scale end"))
    for at, each in enumerate(days):
        base, x = 8.0 + room, _LEFT + at * step + step * 0.14
        for number, (name, values) in enumerate(series.items()):
            height = room * values[at] / top
            if height:
                base -= height
                title = tag("title", f"{each:%a %d %b}: {values[at]} {name}")
                size = {"x": x, "y": base, "width": step * 0.72, "height": height}
                parts.append(tag("rect", title, **size, class_=f"s{number % SERIES}"))
        if each.weekday() == 0:
            y = float(_HEIGHT - 4)
            parts.append(tag("text", f"{each.day} {each:%b}", x=_LEFT + at * step, y=y, class_="scale"))
    return _svg(label, _HEIGHT, *parts)


def legend(names: Sequence[str], colours: Sequence[str] = ("s0", "s1", "s2", "s3", "s4", "s5")) -> Html:
    """What the colours of a plot stand for, in its order."""
    rows = [
        tag("li", tag("span", class_=f"swatch {colours[number % len(colours)]}"), name)
        for number, name in enumerate(names)
    ]
    return tag("ul", *rows, class_="legend")


def bar(parts: Sequence[tuple[str, int]], most: int) -> Html:
    """A bar of parts that lie over each other from the left: of what was given what was opened, and used."""
    marks = [
        tag("rect", x=0, y=2, width=240 * count / max(1, most), height=10, rx=2, class_=name)
        for name, count in parts
        if count
    ]
    return tag("svg", *marks, viewBox="0 0 240 14", class_="bar", aria_hidden="true", focusable="false")


def timeline(
    label: str, lanes: Sequence[str], marks: Sequence[tuple[str, datetime, bool, str]], days: Sequence[date]
) -> Html:
    """Marks (lane, moment, whether it is a handoff, words) on a line for each lane; those of before stand at
    the left edge."""
    lane_height, left = 40, 96
    height = lane_height * len(lanes) + 26
    step = (_WIDTH - left - 12) / max(1, len(days))
    parts: list[Html] = []
    for at, each in enumerate(days):
        if each.weekday() == 0:
            x = left + at * step
            parts.append(tag("line", x1=x, x2=x, y1=6, y2=height - 22, class_="grid"))
            parts.append(tag("text", f"{each.day} {each:%b}", x=x + 4, y=height - 6, class_="scale"))
    for number, lane in enumerate(lanes):
        y = 6 + lane_height * (number + 0.5)
        parts.append(tag("line", x1=left, x2=_WIDTH - 12, y1=y, y2=y, class_="lane"))
        name = lane if len(lane) <= 13 else f"{lane[:12]}…"
        parts.append(tag("text", name, x=0, y=y + 4, class_="name"))
    for lane, moment, is_handoff, words in marks:
        local = moment.astimezone()
        since = (local.date() - days[0]) / timedelta(days=1) + local.hour / 24
        x, y = left + max(0.0, since) * step, 6 + lane_height * (lanes.index(lane) + 0.5)
        title = tag("title", words)
        if is_handoff:
            parts.append(tag("path", title, d=f"M{x:.1f} {y - 8:.1f}l8 8-8 8-8-8z", class_="handoff"))
        else:
            parts.append(tag("circle", title, cx=x, cy=y, r=5, class_="anchor"))
    return _svg(label, height, *parts)


def _svg(label: str, height: float, *parts: Html) -> Html:
    """`label` is ours: it may stand in an attribute."""
    box = f"0 0 {_WIDTH} {height:.0f}"
    drawn = tag("svg", tag("title", label), *parts, viewBox=box, role="img", class_="plot")
    return tag("div", drawn, class_="frame")


def _round_up(value: int) -> int:
    """A number that halves well, not below the value."""
    power = 1
    while True:
        for factor in (2, 4, 6, 8, 10, 14):
            if factor * power >= value:
                return factor * power
        power *= 10
