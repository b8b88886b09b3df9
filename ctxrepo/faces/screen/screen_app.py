"""The whole screen: what the keys do about rows, each by the operation that a command has too."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import SuspendNotSupported

from ctxrepo.app.desk import Desk
from ctxrepo.app.panels import deeds
from ctxrepo.app.panels.deeds import Deed, DeedRequest, TakeBack, ToEdit
from ctxrepo.app.panels.keys import RowAction, actions_of, why_not
from ctxrepo.app.panels.panel import Panel, PanelRow
from ctxrepo.app.result import Result
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import CtxrepoError, NotFound
from ctxrepo.faces.screen.operations_app import ask_ground, theme_of
from ctxrepo.faces.screen.panels_screen import NAMES, PanelsScreen
from ctxrepo.faces.screen.panes import YesOrNo
from ctxrepo.lazy import dataclass

_LEAST = 20
"""So many characters of what was done are shown, however narrow the terminal is."""

PageWriter = Callable[[Desk, None], Path]


@dataclass(frozen=True)
class EditorCalls:
    """How an editor is found and started, which is the command line's: `which` is an operation."""

    which: Callable[[Desk], str]
    on_file: Callable[[str, Path, Mapping[str, str]], int]
    on_text: Callable[[str, str, Mapping[str, str]], tuple[str, Path]]

    def text_after(self, program: str, what: ToEdit, env: Mapping[str, str]) -> str:
        """Wait for the editor; what it left of a text alone. CtxrepoError where it failed."""
        if what.file:
            if code := self.on_file(program, what.file, env):
                raise CtxrepoError(f"{program} ended with {code}", "The note is as it left it.")
            return ""
        text, file = self.on_text(program, what.text, env)
        file.unlink()
        file.parent.rmdir()
        return text


class ReviewScreen(PanelsScreen):
    """The screen at a shared desk; without an `editor` nothing can be edited. `write_page` is an operation
    that writes the page of another face."""

    def __init__(
        self, desk: Desk, editor: EditorCalls | None = None, write_page: PageWriter | None = None
    ) -> None:
        super().__init__(desk)
        self._editor, self._write_page = editor, write_page
        self._ways_back: list[list[TakeBack]] = []
        self._undos_due = 0
        self._keys |= {
            **{key: partial(self._decide, key) for key in "adbe"},
            "u": self._undo,
            "o": self._show_page,
        }

    # ----- deciding

    def _decide(self, key: str) -> None:
        """Do what the key does with the marked rows, or with the one that is chosen."""
        rows = self._rows
        marked = [row for row in rows.rows if row.name in rows.marked]
        targets = marked or ([rows.row] if rows.row else [])
        decisions = [(row, action) for row in targets for action in actions_of(row) if action.key == key]
        if not decisions:
            self._say(why_not(self._name, rows.row, key), is_wrong=True)
        elif decisions[0][1].verb.startswith("edit"):
            self._edit(*decisions[0])
        elif question := next((action for _, action in decisions if action.asks), None):
            count = f" ({len(decisions)} rows)" if decisions[1:] else ""
            dialog = YesOrNo(f"{question.asks}{count}", question.command)
            self.push_screen(
                dialog, lambda yes: self._carry_out(decisions) if yes else self._say("left as it is")
            )
        else:
            self._carry_out(decisions)

    def _carry_out(self, decisions: Sequence[tuple[PanelRow, RowAction]]) -> None:
        """Carry out what was decided, in turn, while the rows are off the list already."""
        self._take_off([row for row, _ in decisions])
        self._under_way += len(decisions)
        self._say(f"{self._under_way} under way …")
        self._work(partial(self._in_turn, decisions))

    def _in_turn(self, decisions: Sequence[tuple[PanelRow, RowAction]]) -> None:
        done: list[Deed] = []
        failed: list[CtxrepoError] = []
        verbs: set[str] = set()
        for row, action in decisions:
            try:
                result = self._ask(deeds.carry_out, DeedRequest(row, action.verb))
                done.append(result.value)
                failed += [result.error] if result.error else []
            except NotFound as error:  # one deletion decides all of them
                failed += [] if action.verb in verbs else [error]
            except CtxrepoError as error:
                failed.append(error)
            verbs.add(action.verb)
        self._tell(partial(self._decided, len(decisions), done, failed))

    def _take_off(self, gone: Sequence[PanelRow]) -> None:
        panel = self._panels[self._name]
        names = {row.name for row in gone}
        rows = [row for row in panel.rows if row.name not in names]
        self._panels[self._name] = Panel(panel.name, rows, panel.empty, panel.look)
        self._show_rows(self._name)

    def _decided(self, count: int, done: Sequence[Deed], failed: Sequence[CtxrepoError]) -> None:
        self._under_way -= count
        ways = [deed.way_back for deed in done if deed.way_back]
        if ways:
            self._ways_back.append(ways)
            self._can_undo = True
        if failed:
            more = f" (and {len(failed) - 1} more)" if failed[1:] else ""
            self._say(f"{failed[0].message}. {failed[0].hint}{more}", is_wrong=True)
        elif done:
            what = done[0].words if len(done) == 1 else f"{len(done)} decided, last: {done[-1].words}"
            back = f" · u takes it back ({ways[-1].command})" if ways else " · no key takes that back"
            self._say(f"{shown(what, max(self.size.width - len(back) - 2, _LEAST))}{back}")
        self._look_again()

    def _look_again(self) -> None:
        """Once nothing is under way any more: undo what is to be undone, and see what is left."""
        if self._under_way:
            self._say(f"{self._under_way} under way …")
        elif self._undos_due:
            self._undos_due -= 1
            self._undo()
        elif self._is_leaving:
            self.exit()
        else:
            self._stale = set(NAMES) - {"sessions"}
            self._look_at_all()

    def _undo(self) -> None:
        """Take back the last thing that was decided here, or all of it where several rows were marked."""
        if self._under_way:
            self._undos_due += 1
        elif not self._ways_back:
            self._say(
                "nothing was decided here yet; `ctxrepo undo` takes back what was before", is_wrong=True
            )
        else:
            ways = self._ways_back.pop()
            self._can_undo = bool(self._ways_back)
            self._under_way += 1
            self._say("taking it back …")
            self._work(partial(self._back_in_turn, ways))

    def _back_in_turn(self, ways: Sequence[TakeBack]) -> None:
        done: list[Deed] = []
        failed: list[CtxrepoError] = []
        for way in reversed(ways):
            try:
                done.append(self._ask(deeds.take_back, way).value)
            except CtxrepoError as error:
                failed.append(error)
        self._tell(partial(self._taken_back, done, failed))

    def _taken_back(self, done: Sequence[Deed], failed: Sequence[CtxrepoError]) -> None:
        self._under_way -= 1
        if failed:
            self._say(f"{failed[0].message}. {failed[0].hint}", is_wrong=True)
        else:
            more = f" and {len(done) - 1} more" if done[1:] else ""
            self._say(f"{done[0].words}{more}")
        self._look_again()

    # ----- editor and page

    def _edit(self, row: PanelRow, action: RowAction) -> None:
        editor, request = self._editor, DeedRequest(row, action.verb)
        if editor is None:
            self._say("no editor can be started here", is_wrong=True)
            return

        def prepare(desk: Desk, request: DeedRequest) -> tuple[str, ToEdit]:
            return editor.which(desk), deeds.begin_edit(desk, request).value

        self._perform(prepare, request, partial(self._in_editor, editor, request))

    def _in_editor(self, editor: EditorCalls, request: DeedRequest, given: tuple[str, ToEdit]) -> None:
        """The terminal is the editor's meanwhile; what it leaves is taken over as its command would."""
        program, what = given
        try:
            with self.suspend():
                text = editor.text_after(program, what, self._call.environment)
        except SuspendNotSupported:
            self._say("no editor can be started here", is_wrong=True)
        except CtxrepoError as error:
            self._say(f"{error.message}. {error.hint}", is_wrong=True)
        else:
            if what.file:
                self._finish(deeds.end_edit, what)
            elif text == what.text:
                self._say("nothing was changed, so it waits as it was")
            else:
                self._take_off([request.row])
                self._finish(deeds.carry_out, DeedRequest(request.row, request.verb, text))

    def _finish(self, operation: Callable[[Desk, Any], Result[Deed]], request: object) -> None:
        self._under_way += 1
        self._perform(
            operation,
            request,
            lambda result: self._decided(1, [result.value], [result.error] if result.error else []),
            lambda error: self._decided(1, [], [error]),
        )

    def _show_page(self) -> None:
        if self._write_page is None:
            self._say("no page can be written here", is_wrong=True)
            return
        self._say("writing the page …")
        self._perform(self._write_page, None, self._open_page)

    def _open_page(self, path: Path) -> None:
        import webbrowser  # it takes as long as opening the memory

        webbrowser.open(path.as_uri())
        self._say(f"wrote {path} · `ctxrepo review --html` does it too")


def run(desk: Desk, editor: EditorCalls, write_page: PageWriter) -> None:
    """Show the screen until somebody leaves it."""
    app = ReviewScreen(desk, editor, write_page)
    app.theme = theme_of(desk.call.environment, ask_ground(sys.stdin.fileno(), sys.stdout.fileno()))
    app.run()
