"""What the screen is made of: a list that draws only the rows in sight, and a text to scroll through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from ctxrepo.app.panels.panel import PanelRow
from ctxrepo.domain.project.layout import visible
from ctxrepo.faces.screen.drawing import ScreenLine, folded

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
