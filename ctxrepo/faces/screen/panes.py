"""What the screen is made of: a list that draws only the rows in sight, and a text to scroll through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.widgets import Input, Static

from ctxrepo.app.panels.keys import KEYS, RowAction
from ctxrepo.app.panels.panel import SIGNS, PanelRow
from ctxrepo.app.views.view import Field, Table, TextLine, View, ViewSection
from ctxrepo.domain.project.layout import visible
from ctxrepo.lazy import dataclass

LOOKS = ("added", "removed", "place", "heading", "label", "wrong", "command", "muted")


def _strip(content: Content, base: Style, width: int) -> Strip:
    """One line of the screen, exactly `width` cells."""
    return Strip(content.render_segments(base), content.cell_length).adjust_cell_length(
        width, base.rich_style
    )


def _cut(text: str, room: int, *, keeps_end: bool) -> Content:
    """As much of a text as there is room for, with a sign where some is left out."""
    whole = Content(text)
    if not keeps_end or whole.cell_length <= room:
        return whole.truncate(room, ellipsis=True)
    end = Content(text[::-1]).truncate(room - 1).plain[::-1]
    return Content(f"…{end}")


class RowList(ScrollView, can_focus=False):
    """The rows of a panel. 10,000 of them cost no more than those in sight."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row--here", "row--muted", "row--sign"}

    class Moved(Message):
        """Another row is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[PanelRow] = ()
        self.marked: set[str] = set()
        self.empty = ""
        self.at = 0
        self._is_active = True

    @property
    def row(self) -> PanelRow | None:
        """The row that is chosen."""
        return self.rows[self.at] if self.rows else None

    def show(self, rows: Sequence[PanelRow], empty: str) -> None:
        """Show these rows; the same row stays chosen, or where that was."""
        name = self.row.name if self.row else ""
        place = next((number for number, row in enumerate(rows) if row.name == name), self.at)
        self.rows, self.empty = rows, empty
        self.at = max(0, min(place, len(rows) - 1))
        self.virtual_size = Size(0, max(1, len(rows)))
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved())

    def move(self, by: int) -> None:
        """Choose the row so many further down."""
        place = max(0, min(self.at + by, len(self.rows) - 1))
        if place != self.at:
            self.at = place
            self._keep_in_sight()
            self.refresh()
            self.post_message(self.Moved())

    def set_active(self, is_active: bool) -> None:
        """Whether keys move in this list, which is seen."""
        if is_active != self._is_active:
            self._is_active = is_active
            self.refresh()

    def _keep_in_sight(self) -> None:
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if self.at < top:
            self.scroll_to(y=self.at, animate=False, immediate=True)
        elif self.at >= top + height:
            self.scroll_to(y=self.at - height + 1, animate=False, immediate=True)

    def on_resize(self, _: Resize) -> None:
        self._keep_in_sight()

    def on_click(self, event: Click) -> None:
        self.move(self.scroll_offset.y + event.y - self.at)

    def render_line(self, y: int) -> Strip:
        number, width = self.scroll_offset.y + y, self.size.width
        if number >= len(self.rows):
            empty = self.empty if number == 0 else ""
            muted = self.visual_style + self.get_visual_style("row--muted")
            return _strip(Content(f"    {empty}").truncate(width, ellipsis=True), muted, width)
        row = self.rows[number]
        is_here = number == self.at
        base = self.get_visual_style("row--here") if is_here and self._is_active else self.visual_style
        start = f"{'›' if is_here else ' '}{'*' if row.name in self.marked else ' '}"
        side = f" {row.side} " if row.side else " "
        room = max(1, width - 4 - len(side))
        text = _cut(visible(row.text), room, keeps_end=row.is_path)
        gap = " " * (room - text.cell_length)
        muted = self.get_visual_style("row--muted") if base is self.visual_style else Style()
        sign = self.get_visual_style("row--sign") if base is self.visual_style else Style()
        bold = Style(bold=True) if is_here else Style()
        line = Content.assemble((start, bold), (f"{row.sign} ", sign), text.stylize(bold), gap, (side, muted))
        return _strip(line, base, width)


class TextPane(ScrollView, can_focus=False):
    """Text with a look for each line, folded at the width that there is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"text--{look}" for look in LOOKS}

    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[ScreenLine] = ()
        self._folded: list[tuple[Content, str, int]] = []

    def show(self, lines: Sequence[ScreenLine]) -> None:
        """Show this text from its first line on."""
        self.lines = lines
        self.scroll_to(y=0, animate=False, immediate=True)
        self._fold()

    def move(self, by: int) -> None:
        """Scroll so many lines down."""
        self.scroll_to(y=max(0, self.scroll_offset.y + by), animate=False, immediate=True)

    def show_line(self, text: str) -> None:
        """Scroll so that the first line that begins so is in the upper part."""
        for number, (content, _, _) in enumerate(self._folded):
            if content.plain.startswith(text):
                self.scroll_to(y=max(0, number - 3), animate=False, immediate=True)
                return

    def on_resize(self, _: Resize) -> None:
        self._fold()

    def _fold(self) -> None:
        width = self.scrollable_content_region.width
        self._folded = [
            (part, line.look, line.hang if number == 0 else 0)
            for line in self.lines
            for number, part in enumerate(folded(line, width))
        ]
        self.virtual_size = Size(0, len(self._folded))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        number, width = self.scroll_offset.y + y, self.size.width
        base = self.visual_style
        if number >= len(self._folded):
            return Strip.blank(width, base.rich_style)
        content, look, hang = self._folded[number]
        if look == "label":
            content = content.stylize(self.get_visual_style("text--label"), 0, hang)
        elif look:
            content = content.stylize(self.get_visual_style(f"text--{look}"))
        return _strip(content, base, width)


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
    all_lines: list[Content] = []
    for action in actions:
        label = ScreenLine(f"{action.key}  {_clean(action.label)}", hang=3)
        command = ScreenLine(f"{'' if with_labels else action.key:<3}{_clean(action.command)}", hang=3)
        lines = [*(folded(label, width) if with_labels else ())]
        lines += [part.stylize("$place", 1) for part in folded(command, width)]
        all_lines += [lines[0].stylize("bold $primary", 0, 1), *lines[1:]]
    return all_lines


class YesOrNo(ModalScreen[bool]):
    """Asks before what is hard to reverse."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "dismiss(True)", show=False),
        Binding("n,escape,q", "dismiss(False)", show=False),
    ]

    def __init__(self, question: str, command: str) -> None:
        super().__init__()
        self._question, self._command = question, command

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Static(Content(self._question), classes="title")
            yield Static(Content(self._command), classes="command")
            yield Static(Content("y or enter: do it     n or escape: leave it as it is"), classes="muted")


class AllKeys(ModalScreen[None]):
    """Every key with the command that does the same; typing searches."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter", "dismiss", show=False),
        Binding("down", "scroll(1)", show=False, priority=True),
        Binding("up", "scroll(-1)", show=False, priority=True),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(id="keys"):
            yield Static(Content("All keys  (type to search, escape closes)"), classes="title")
            yield Input(placeholder="search", compact=True, select_on_focus=False)
            yield TextPane()

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))
        self._show("")

    def on_resize(self, _: Resize) -> None:
        self._show(self.query_one(Input).value)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def action_scroll(self, by: int) -> None:
        self.query_one(TextPane).scroll_relative(y=by, animate=False)

    def _show(self, typed: str) -> None:
        self.query_one(TextPane).show(list(_matching(typed)) or [ScreenLine("no key does that", "muted")])


def _matching(typed: str) -> Sequence[ScreenLine]:
    words = typed.casefold().split()
    lines = []
    for key in KEYS:
        text = f"{key.key} {key.where} {key.meaning} {key.command}".casefold()
        if all(word in text for word in words):
            where = f"{key.where}: " if key.where else ""
            lines.append(ScreenLine(f"{key.key:<7} {where}{key.meaning}", "label", 8))
            lines += [ScreenLine(f"        {key.command}", "command", 8)] if key.command else []
    signs = [ScreenLine(f"{s:<7} {meaning}", "label", 8) for s, meaning in SIGNS.items() if not words]
    return [*lines, *([ScreenLine(""), ScreenLine("signs before rows", "heading")] if signs else []), *signs]
