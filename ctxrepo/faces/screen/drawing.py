"""Views as lines of a screen, folded at its width; nothing in a text is taken for markup or reaches the
terminal as a control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from ctxrepo.app.panels.keys import RowAction
from ctxrepo.app.views.view import Field, Table, TextLine, View, ViewSection
from ctxrepo.domain.project.layout import visible
from ctxrepo.lazy import dataclass

_TAB = 4
_NARROW = 12
"""Columns below which nothing hangs."""


@dataclass(frozen=True)
class ScreenLine:
    """A line, its look (see `panes.LOOKS`), and how many characters of it stand alone when it is folded."""

    text: str
    look: str = ""
    hang: int = 0


def lines_of(view: View) -> list[ScreenLine]:
    """A view, section by section, with an empty line between them."""
    lines: list[ScreenLine] = []
    for section in view.sections:
        lines += [ScreenLine("")] if lines and lines[-1].text else []
        lines += _section(section)
    return lines


def _section(section: ViewSection) -> Iterator[ScreenLine]:
    if section.heading:
        yield ScreenLine(section.heading, "heading")
    labels = [len(part.label) for part in section.parts if isinstance(part, Field)]
    width = max(labels, default=0)
    for part in section.parts:
        if isinstance(part, TextLine):
            indent = "  " * part.depth
            look = "command" if part.text.startswith("`") and part.depth else part.mark
            for text in part.text.split("\n"):
                body = _clean(text)
                hang = len(indent) + len(body) - len(body.lstrip())
                yield ScreenLine(indent + body, look, hang + 2 * body.lstrip().startswith(("- ", "* ")))
        elif isinstance(part, Field):
            for number, text in enumerate(part.lines):
                label = "" if number else part.label
                yield ScreenLine(f"{_clean(label):<{width}}  {_clean(text)}", part.mark or "label", width + 2)
        elif isinstance(part, Table):
            yield from (ScreenLine("  ".join(map(_clean, row))) for row in (part.columns, *part.rows))
        else:
            yield from (_of_diff(_clean(text)) for text in part.lines)


def _of_diff(text: str) -> ScreenLine:
    look = {"+": "added", "-": "removed", "@": "place"}.get(text[:1], "")
    return ScreenLine(f"{text[:1]} {text[1:]}" if look in ("added", "removed") else text, look, 2)


def _clean(text: str) -> str:
    """Tabs as blanks, and what acts on a terminal or hides something written out."""
    return visible(text.expandtabs(_TAB))


def folded(line: ScreenLine, width: int) -> list[Content]:
    """The line in as many as it takes: no wider than `width` cells, further ones below its hang."""
    whole = Content(line.text)
    if whole.cell_length <= width or width < 1:
        return [whole]
    hang = line.hang if width - line.hang >= _NARROW else 0
    start, rest = whole.divide([hang]) if hang else (Content(""), whole)
    sign = line.text[0] if line.look in ("added", "removed") else " "
    below = Content(sign + " " * (hang - 1)) if hang else start
    parts = rest.wrap(width - hang) or [rest]
    return [(below if number else start) + part.rstrip() for number, part in enumerate(parts)]


def lines_of_actions(actions: Sequence[RowAction], width: int, *, with_labels: bool) -> list[Content]:
    """What the keys do about a row and the commands that do it too, folded at a width."""
    found: list[Content] = []
    for action in actions:
        said = ScreenLine(f"{action.key}  {_clean(action.label)}", hang=3)
        command = ScreenLine(f"{'' if with_labels else action.key:<3}{_clean(action.command)}", hang=3)
        lines = [*(folded(said, width) if with_labels else ())]
        lines += [part.stylize("$place", 1) for part in folded(command, width)]
        found += [lines[0].stylize("bold $primary", 0, 1), *lines[1:]]
    return found
