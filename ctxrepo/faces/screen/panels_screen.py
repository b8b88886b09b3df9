"""Panels at the left and what is looked at at the right: moved through, found and read.

Operations run in the thread that owns the memory (ADR 64): the screen answers keys meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Click, Resize
from textual.widgets import Input, Static

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.panels.keys import actions_of, why_not
from ctxrepo.app.panels.load_panel import PanelRequest, load_panel
from ctxrepo.app.panels.panel import LOOKS, TITLES, Panel, PanelName, PanelRow, TapeLook, fitting
from ctxrepo.app.panels.row_details import DetailRequest, look_at
from ctxrepo.app.result import Result
from ctxrepo.app.surprise import log_traceback
from ctxrepo.app.views.view import View
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import CtxrepoError
from ctxrepo.faces.screen.dialogs import AllKeys
from ctxrepo.faces.screen.drawing import lines_of, lines_of_actions
from ctxrepo.faces.screen.panes import RowList, TextPane
from ctxrepo.faces.screen.themes import DARK, DEFAULTS, LIGHT, THEMES, theme_of

NAMES = tuple(TITLES)
_PAUSE = 0.03
"""Seconds that a row is looked at before its detail is asked for: who runs down a list asks for none."""

_LONGEST = 1000
"""Characters of a message."""

_HIGH = 32
"""Lines from which on the labels of choices stand beside their commands."""


class PanelsScreen(App[None]):
    """The panels of a memory; `desk` must be a shared one."""

    CSS_PATH = "review.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "ctxrepo review"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"decide('{key}')", show=False) for key in ("a", "d", "b", "e")),
        *(Binding(str(number), f"go('{name}')", show=False) for number, name in enumerate(NAMES, 1)),
        Binding("tab", "next(1)", show=False, priority=True),
        Binding("shift+tab", "next(-1)", show=False, priority=True),
        Binding("right,l", "look(1)", show=False),
        Binding("left,h", "look(-1)", show=False),
        Binding("space", "mark", show=False),
        Binding("enter", "open", show=False),
        Binding("escape", "step_back", show=False),
        Binding("slash", "filter", show=False),
        Binding("u", "undo", show=False),
        Binding("o", "page", show=False),
        Binding("r", "refresh", show=False),
        Binding("t", "theme", show=False),
        Binding("question_mark", "keys", show=False),
        Binding("q,ctrl+c,ctrl+q", "quit", show=False, priority=False),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_of(desk.call.environment)
        self._desk = desk
        self._call = desk.call
        self._panels: dict[PanelName, Panel] = {}
        self._stale: set[PanelName] = set(NAMES)
        self._loading: set[PanelName] = set()
        self._typed: dict[PanelName, str] = {}
        self._look: TapeLook = "timeline"
        self._name: PanelName = "inbox"
        self._can_undo = False
        self._under_way = 0
        self._asked: object = None
        self._is_new = True

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DEFAULTS)

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            with Vertical(id="left"):
                for name in NAMES:
                    yield Static(id=f"head-{name}", classes="head")
                    rows = RowList()
                    rows.id = f"rows-{name}"
                    yield rows
            with Vertical(id="right"):
                yield Static(id="title")
                yield TextPane()
                yield Static(id="choices")
        yield Input(id="filter", placeholder="filter", compact=True, select_on_focus=False)
        yield Static(id="message")
        yield Static(id="footer")

    def on_mount(self) -> None:
        self.action_go("inbox")
        self._load("conflicts")

    # ----- what is where

    @property
    def _rows(self) -> RowList:
        return self.query_one(f"#rows-{self._name}", RowList)

    @property
    def _text(self) -> TextPane:
        return self.query_one("#right TextPane", TextPane)

    def action_go(self, name: PanelName) -> None:
        """Show a panel and load it where it isn't up to date."""
        self._name = name
        for each in NAMES:
            self.query_one(f"#rows-{each}").set_class(each == name, "current")
        self._close_filter()
        self._rows.focus()
        if name in self._stale:
            self._load(name)
        self._draw_heads()
        self._show_row()

    def action_next(self, by: int) -> None:
        self.action_go(NAMES[(NAMES.index(self._name) + by) % len(NAMES)])

    def action_look(self, by: int) -> None:
        """Another look of the tape."""
        if self._name != "tape":
            self._say("only the Tape has several looks", is_wrong=True)
            return
        self._look = LOOKS[(LOOKS.index(self._look) + by) % len(LOOKS)]
        self._load("tape")

    def on_click(self, event: Click) -> None:
        name = (event.widget.id or "").partition("-")[2] if event.widget else ""
        if name in TITLES and event.widget and event.widget.has_class("head"):
            self.action_go(NAMES[NAMES.index(name)])

    def on_descendant_focus(self) -> None:
        self._draw_heads()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._draw_choices)
        self.call_after_refresh(self._draw_heads)

    # ----- loading

    def _load(self, name: PanelName) -> None:
        self._stale.discard(name)
        self._loading.add(name)
        self._draw_heads()
        request = PanelRequest(name, self._look if name == "tape" else "timeline")
        self._perform(load_panel, request, self._loaded)

    def _loaded(self, result: Result[Panel]) -> None:
        panel = result.value
        self._loading.discard(panel.name)
        self._panels[panel.name] = panel
        self._show_rows(panel.name)
        if self._is_new and {"inbox", "conflicts"} <= self._panels.keys():
            self._is_new = False
            count = sum(len(self._panels[name].rows) for name in ("inbox", "conflicts"))
            self._say(f"{counted(count, 'item waits', 'items wait')} for you · ? shows all keys")
        waiting = [name for name in ("notes", "tape", "sessions") if name in self._stale]
        if waiting and not self._loading and not self._under_way:
            self._load(waiting[0])

    def _show_rows(self, name: PanelName) -> None:
        panel, rows = self._panels[name], self.query_one(f"#rows-{name}", RowList)
        typed = self._typed.get(name, "")
        empty = f"no row has “{typed}” in it" if typed and panel.rows else panel.empty
        rows.show(fitting(panel.rows, typed), empty)
        rows.marked &= {row.name for row in panel.rows}
        self._draw_heads()

    def action_refresh(self) -> None:
        self._stale = set(NAMES)
        self._load(self._name)
        if self._name not in ("inbox", "conflicts"):
            self._load("inbox")
        self._say("looked again")

    # ----- drawing

    def _draw_heads(self) -> None:
        in_text = self._text.has_focus
        for number, name in enumerate(NAMES, 1):
            head = self.query_one(f"#head-{name}", Static)
            head.update(Content(self._head(number, name)))
            head.set_class(name == self._name, "current")
            head.set_class(name == self._name and not in_text, "in-list")
        self.query_one("#title").set_class(in_text, "in-text")
        self._draw_footer()

    def _head(self, number: int, name: PanelName) -> str:
        panel, start = self._panels.get(name), f"{number} {TITLES[name]}"
        if name == "tape" and name == self._name:
            start += f" · {self._look}"
        if typed := self._typed.get(name, ""):
            start += f" /{shown(typed, 20)}"
        if name in self._loading and not panel:
            return f"{start} …"
        rows = self.query_one(f"#rows-{name}", RowList)
        all_rows = len(panel.rows) if panel else ""
        count = f"{len(rows.rows)} of {all_rows}" if typed else f"{all_rows}"
        end = f"{len(rows.marked)} marked, {count}" if rows.marked else count
        return f"{start}{end:>{max(len(end) + 2, self.query_one('#left').size.width - 2 - len(start))}}"

    def on_row_list_moved(self, _: RowList.Moved) -> None:
        self._show_row()

    def _show_row(self) -> None:
        """Ask for the detail of the row that is chosen, once it stays there."""
        row = self._rows.row
        self._asked = row
        self._draw_choices()
        self.set_timer(_PAUSE, partial(self._ask_detail, row))

    def _ask_detail(self, row: PanelRow | None) -> None:
        if row is not self._asked:
            return
        if row is None:
            self._draw_detail(None, Result(View("", ())))
        else:
            self._perform(look_at, DetailRequest(row), partial(self._draw_detail, row))

    def _draw_detail(self, row: PanelRow | None, result: Result[View]) -> None:
        if row is self._asked:
            self.query_one("#title", Static).update(Content(shown(result.value.title)))
            self._text.show(lines_of(result.value))

    def _draw_choices(self) -> None:
        row = self._rows.row
        actions = actions_of(row) if row else ()
        choices = self.query_one("#choices", Static)
        choices.display = bool(actions)
        width = max(1, self._text.size.width)
        lines = lines_of_actions(actions, width, with_labels=self.size.height >= _HIGH)
        choices.update(Content("\n").join(lines))
        self._draw_footer()

    def _draw_footer(self) -> None:
        """The keys of this panel, as many as there is room for; how to see all and to leave stay."""
        row = self._rows.row
        own = [(action.key, action.short) for action in (actions_of(row) if row else ())]
        more: list[tuple[str, str]] = [("space", "mark")] if own and self._name != "notes" else []
        more += [("u", "undo")] if self._can_undo else []
        more += [("←→", "look")] if self._name == "tape" else []
        more += [("/", "filter"), ("enter", "read"), ("1-6", "panels"), ("o", "page"), ("r", "again")]
        last = [("?", "keys"), ("q", "quit")]
        width, keys = self.size.width - 2, [*own]
        for one in more:
            if sum(len(key) + len(said) + 3 for key, said in (*keys, one, *last)) <= width + 2:
                keys.append(one)
        parts: list[Any] = []
        for key, said in (*keys, *last):
            parts += [(key, "bold $primary"), f" {said}  "]
        self.query_one("#footer", Static).update(Content.assemble(*parts).rstrip())

    def _say(self, text: str, *, is_wrong: bool = False) -> None:
        """Put a line where it stays until there is another one."""
        message = self.query_one("#message", Static)
        message.set_class(is_wrong, "wrong")
        message.update(Content(f"{'! ' if is_wrong else ''}{shown(text, _LONGEST)}"))

    # ----- finding and reading

    def action_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.value = self._typed.get(self._name, "")
        box.add_class("open")
        self.query_one("#message").add_class("away")
        box.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id == "filter" and event.input.has_class("open"):
            self._typed[self._name] = event.value
            if self._name in self._panels:
                self._show_rows(self._name)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input.id == "filter":
            self._close_filter()
            self._rows.focus()

    def _close_filter(self) -> None:
        self.query_one("#filter").remove_class("open")
        self.query_one("#message").remove_class("away")

    def action_step_back(self) -> None:
        """One step back: out of the text, out of the filter, then marks and filter go."""
        if not self._rows.has_focus:
            is_filter = self.query_one("#filter").has_class("open")
            self._close_filter()
            self._rows.focus()
            if not is_filter:
                return
        self._typed.pop(self._name, None)
        self._rows.marked.clear()
        if self._name in self._panels:
            self._show_rows(self._name)

    def action_open(self) -> None:
        """Read at the right; of an anchor go to its place in the transcript."""
        row = self._rows.row
        if row is None:
            self._say(why_not(self._name, None, "enter"), is_wrong=True)
            return
        self._text.focus()
        if row.anchor:
            self._perform(look_at, DetailRequest(row, is_place=True), partial(self._draw_place, row))

    def _draw_place(self, row: PanelRow, result: Result[View]) -> None:
        self._draw_detail(row, result)
        self._text.show_line("⚓")

    def action_mark(self) -> None:
        rows = self._rows
        if rows.row is None or not any(a.verb != "edit-note" for a in actions_of(rows.row)):
            self._say("nothing here can be marked: no key takes several of these rows", is_wrong=True)
            return
        rows.marked ^= {rows.row.name}
        rows.action_move(1)
        rows.refresh()
        self._draw_heads()

    def action_theme(self) -> None:
        self.theme = LIGHT if self.theme == DARK else DARK

    def action_keys(self) -> None:
        self.push_screen(AllKeys())

    # ----- the thread that owns the memory

    def _perform(
        self,
        operation: Callable[[Desk, Any], Any],
        request: object,
        then: Callable[[Any], None],
        or_else: Callable[[CtxrepoError], None] | None = None,
    ) -> None:
        """Perform an operation elsewhere, and go on here with its result, or with why there is none."""

        def work() -> None:
            try:
                result = self._ask(operation, request)
            except CtxrepoError as error:
                self._tell(partial(or_else or self._failed, error))
            else:
                self._tell(partial(then, result))

        self._work(work)

    def _ask(self, operation: Callable[[Desk, Any], Any], request: object) -> Any:
        call = Call(self._call.cwd, self._call.environment, self._call.session)
        try:
            return self._desk.perform(operation, request, call)
        except CtxrepoError:
            raise
        except Exception as error:
            report = log_traceback(self._call.environment)
            raise CtxrepoError(f"unexpected: {type(error).__name__}: {error}", report) from error

    def _work(self, work: Callable[[], None]) -> None:
        self.run_worker(work, thread=True, exit_on_error=False)

    def _tell(self, then: Callable[[], None]) -> None:
        if self.is_running:
            self.call_from_thread(then)

    def _failed(self, error: CtxrepoError) -> None:
        self._loading.clear()
        self._say(f"{error.message}. {error.hint}", is_wrong=True)
