"""What stands before everything else for a moment: a question, and the list of all keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ctxrepo.app.panels.keys import KEYS
from ctxrepo.app.panels.panel import SIGNS
from ctxrepo.faces.screen.drawing import ScreenLine
from ctxrepo.faces.screen.panes import TextPane


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
    signs = [ScreenLine(f"{s:<7} {said}", "label", 8) for s, said in SIGNS.items() if not words]
    return [*lines, *([ScreenLine(""), ScreenLine("signs before rows", "heading")] if signs else []), *signs]
