"""Panels at the left and what is looked at at the right: moved through, found and read.

Operations run in the thread that owns the memory (ADR 64): the screen answers keys meanwhile."""

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Click, Event, Key, Paste, Resize
from textual.widgets import Static

from ctxrepo.app.desk import Desk
from ctxrepo.app.panels.keys import actions_of, why_not
from ctxrepo.app.panels.load_panel import PanelRequest, load_panel, load_waiting
from ctxrepo.app.panels.panel import LOOKS, TITLES, Panel, PanelName, PanelRow, TapeLook, fitting
from ctxrepo.app.panels.row_details import DetailRequest, look_at
from ctxrepo.app.result import Result
from ctxrepo.app.views.view import View
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import CtxrepoError
from ctxrepo.faces.screen.operations_app import DARK, DEFAULTS, LIGHT, THEMES, OperationsApp, theme_of
from ctxrepo.faces.screen.panes import AllKeys, RowList, TextPane, lines_of, lines_of_actions

NAMES = tuple(TITLES)
_PAUSE = 0.03
"""Seconds that a row is looked at before its detail is asked for: who runs down a list asks for none."""

_LONGEST = 1000
"""Characters of a message."""

_FAR = 10**9

_WAITING: frozenset[PanelName] = frozenset(("inbox", "conflicts"))
"""Panels that are loaded together."""

_HIGH = 32
"""Lines from which on the labels of choices stand beside their commands."""


class PanelsScreen(OperationsApp):
    """The panels of a memory; `desk` must be a shared one."""

    CSS_PATH = "review.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "ctxrepo review"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_of(desk.call.environment)
        self._panels: dict[PanelName, Panel] = {}
        self._stale: set[PanelName] = set(NAMES)
        self._loading: set[PanelName] = set()
        self._typed: dict[PanelName, str] = {}
        self._look: TapeLook = "timeline"
        self._name: PanelName = "inbox"
        self._can_undo = False
        self._under_way = 0
        self._asked: object = None
        self._is_new, self._is_leaving = True, False
        self._is_reading, self._is_filtering = False, False
        self._lists = {name: RowList() for name in NAMES}
        self._heads = {name: Static(classes="head", name=name) for name in NAMES}
        self._title, self._choices = Static(id="title"), Static(id="choices")
        self._message, self._footer = Static(id="message"), Static(id="footer")
        self._text = TextPane()
        self._keys: dict[str, Callable[[], object]] = {
            **{str(number): partial(self.go, name) for number, name in enumerate(NAMES, 1)},
            **dict.fromkeys(("down", "j", "n"), partial(self._move, 1)),
            **dict.fromkeys(("up", "k", "N"), partial(self._move, -1)),
            **dict.fromkeys(("pagedown", "ctrl+d", "ctrl+f"), partial(self._page, 1)),
            **dict.fromkeys(("pageup", "ctrl+u", "ctrl+b"), partial(self._page, -1)),
            **dict.fromkeys(("home", "g"), partial(self._move, -_FAR)),
            **dict.fromkeys(("end", "G"), partial(self._move, _FAR)),
            **dict.fromkeys(("right", "l"), partial(self._show_look, 1)),
            **dict.fromkeys(("left", "h"), partial(self._show_look, -1)),
            "tab": partial(self._next, 1),
            "shift+tab": partial(self._next, -1),
            "space": self._mark,
            "enter": self._open,
            "escape": self._step_back,
            "/": self._filter,
            "r": self._look_again_now,
            "t": self._change_theme,
            "?": lambda: self.push_screen(AllKeys()),
            "q": self._leave,
            **dict.fromkeys(("ctrl+c", "ctrl+q"), self.exit),
        }

    async def on_event(self, event: Event) -> None:
        """Keys are taken here in the order in which they were typed. Widgets have queues of their own: who
        types fast would have letters of a filter decide rows."""
        if isinstance(event, Key) and self.screen_stack and not self.screen.is_modal:
            self.take(event)
        elif isinstance(event, Paste) and self._is_filtering and not self.screen.is_modal:
            self._type("".join(event.text.split("\n")))
        else:
            await super().on_event(event)

    def take(self, key: Key) -> None:
        """Do what the key means here."""
        letter = key.character if key.is_printable and key.character else ""
        if self._is_filtering and (letter or key.key in ("backspace", "ctrl+u", "ctrl+h")):
            self._type(letter, erases=key.key)
            return
        if deed := self._keys.get("space" if letter == " " else letter or key.key):
            deed()
        else:
            self._say(f"{shown(letter or key.key, 20)} means nothing here; ? shows all keys", is_wrong=True)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DEFAULTS)

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            with Vertical(id="left"):
                for name in NAMES:
                    yield self._heads[name]
                    yield self._lists[name]
            with Vertical(id="right"):
                yield self._title
                yield self._text
                yield self._choices
        yield self._message
        yield self._footer

    def on_mount(self) -> None:
        self.go("inbox")

    # ----- what is where

    @property
    def _rows(self) -> RowList:
        return self._lists[self._name]

    def go(self, name: PanelName) -> None:
        """Show a panel and load it where it isn't up to date."""
        self._name = name
        for each, rows in self._lists.items():
            rows.display = each == name
        self._is_reading, self._is_filtering = False, False
        if name in self._stale:
            self._load(name)
        self._draw_heads()
        self._show_row()

    def _next(self, by: int) -> None:
        self.go(NAMES[(NAMES.index(self._name) + by) % len(NAMES)])

    def _move(self, by: int) -> None:
        if self._is_reading:
            self._text.move(by)
        else:
            self._rows.move(by)

    def _page(self, by: int) -> None:
        self._move(by * max(1, (self._text if self._is_reading else self._rows).size.height - 1))

    def _show_look(self, by: int) -> None:
        """Another look of the tape."""
        if self._name != "tape":
            self._say("only the Tape has several looks", is_wrong=True)
            return
        self._look = LOOKS[(LOOKS.index(self._look) + by) % len(LOOKS)]
        self._load("tape")

    def on_click(self, event: Click) -> None:
        for name, head in self._heads.items():
            if event.widget is head:
                self.go(name)

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._draw_choices)
        self.call_after_refresh(self._draw_heads)

    # ----- loading

    def _load(self, name: PanelName) -> None:
        names = _WAITING if name in _WAITING else {name}
        self._stale -= names
        self._loading |= names
        self._draw_heads()
        if name in _WAITING:
            self._perform(load_waiting, None, self._loaded_waiting)
        else:
            self._perform(load_panel, PanelRequest(name, self._look), self._loaded)

    def _loaded_waiting(self, result: Result[tuple[Panel, Panel]]) -> None:
        for panel in result.value:
            self._loaded(Result(panel))
        if self._is_new:
            self._is_new = False
            count = sum(len(panel.rows) for panel in result.value)
            self._say(f"{counted(count, 'item waits', 'items wait')} for you · ? shows all keys")

    def _loaded(self, result: Result[Panel]) -> None:
        panel = result.value
        self._loading.discard(panel.name)
        self._panels[panel.name] = panel
        self._show_rows(panel.name)
        waiting = [name for name in ("notes", "tape", "sessions") if name in self._stale]
        if waiting and not self._loading and not self._under_way:
            self._load(waiting[0])

    def _show_rows(self, name: PanelName) -> None:
        panel, rows = self._panels[name], self._lists[name]
        typed = self._typed.get(name, "")
        empty = f"no row has “{typed}” in it" if typed and panel.rows else panel.empty
        rows.show(fitting(panel.rows, typed), empty)
        rows.marked &= {row.name for row in panel.rows}
        self._draw_heads()

    def _look_at_all(self) -> None:
        """Load what is seen, and how much waits; other panels once somebody goes there."""
        self._stale = set(NAMES)
        self._load(self._name)
        if self._name not in _WAITING:
            self._load("inbox")

    def _look_again_now(self) -> None:
        self._look_at_all()
        self._say("looked again")

    # ----- drawing

    def _draw_heads(self) -> None:
        for number, (name, head) in enumerate(self._heads.items(), 1):
            head.update(Content(self._head(number, name)))
            head.set_class(name == self._name, "current")
            head.set_class(name == self._name and not self._is_reading, "in-list")
        self._title.set_class(self._is_reading, "in-text")
        self._rows.set_active(not self._is_reading)
        if self._is_filtering:
            typed = shown(self._typed.get(self._name, ""), _LONGEST)
            self._message.remove_class("wrong")
            self._message.update(Content.assemble(("/", "bold $primary"), f" {typed}", ("▏", "$primary")))
        self._draw_footer()

    def _head(self, number: int, name: PanelName) -> str:
        panel, start = self._panels.get(name), f"{number} {TITLES[name]}"
        if name == "tape" and name == self._name:
            start += f" · {self._look}"
        if typed := self._typed.get(name, ""):
            start += f" /{shown(typed, 20)}"
        if name in self._loading and not panel:
            return f"{start} …"
        rows = self._lists[name]
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
            self._title.update(Content(shown(result.value.title)))
            self._text.show(lines_of(result.value))

    def _draw_choices(self) -> None:
        row = self._rows.row
        actions = actions_of(row) if row else ()
        self._choices.display = bool(actions)
        width = max(1, self._text.size.width)
        lines = lines_of_actions(actions, width, with_labels=self.size.height >= _HIGH)
        self._choices.update(Content("\n").join(lines))
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
        for hint in more:
            if sum(len(key) + len(label) + 3 for key, label in (*keys, hint, *last)) <= width + 2:
                keys.append(hint)
        parts: list[Any] = []
        for key, label in (*keys, *last):
            parts += [(key, "bold $primary"), f" {label}  "]
        self._footer.update(Content.assemble(*parts).rstrip())

    def _say(self, text: str, *, is_wrong: bool = False) -> None:
        """Put a line where it stays until there is another one."""
        self._message.set_class(is_wrong, "wrong")
        self._message.update(Content(f"{'! ' if is_wrong else ''}{shown(text, _LONGEST)}"))

    # ----- finding and reading

    def _filter(self) -> None:
        self._is_reading, self._is_filtering = False, True
        self._draw_heads()

    def _type(self, letters: str, erases: str = "") -> None:
        """Letters come to the filter, or its last one goes, or all of it."""
        typed = self._typed.get(self._name, "") + letters
        self._typed[self._name] = typed if letters else "" if erases == "ctrl+u" else typed[:-1]
        if self._name in self._panels:
            self._show_rows(self._name)
        self._draw_heads()

    def _step_back(self) -> None:
        """One step back: out of the text; else filter and marks go."""
        if not self._is_reading:
            self._typed.pop(self._name, None)
            self._rows.marked.clear()
            if self._name in self._panels:
                self._show_rows(self._name)
        self._end_filter()
        self._is_reading = False
        self._draw_heads()

    def _end_filter(self) -> None:
        if self._is_filtering:
            self._is_filtering = False
            self._say(f"{len(self._rows.rows)} found" if self._typed.get(self._name) else "no filter")

    def _open(self) -> None:
        """Read at the right; of an anchor go to its place in the transcript."""
        row = self._rows.row
        if self._is_filtering:
            self._end_filter()
        elif row is None:
            self._say(why_not(self._name, None, "enter"), is_wrong=True)
        else:
            self._is_reading = True
            if row.anchor:
                self._perform(look_at, DetailRequest(row, is_place=True), partial(self._draw_place, row))
        self._draw_heads()

    def _draw_place(self, row: PanelRow, result: Result[View]) -> None:
        self._draw_detail(row, result)
        self._text.show_line("⚓")

    def _mark(self) -> None:
        rows = self._rows
        if rows.row is None or not any(a.verb != "edit-note" for a in actions_of(rows.row)):
            self._say("nothing here can be marked: no key takes several of these rows", is_wrong=True)
            return
        rows.marked ^= {rows.row.name}
        rows.move(1)
        rows.refresh()
        self._draw_heads()

    def _leave(self) -> None:
        """Close, once nothing is under way any more; ctrl+c waits for nothing but what has begun."""
        if self._under_way:
            self._is_leaving = True
            self._say(f"{self._under_way} under way, then it closes; ctrl+c leaves the rest waiting")
        else:
            self.exit()

    def _change_theme(self) -> None:
        self.theme = LIGHT if self.theme == DARK else DARK

    def _failed(self, error: CtxrepoError) -> None:
        self._loading.clear()
        self._say(f"{error.message}. {error.hint}", is_wrong=True)
