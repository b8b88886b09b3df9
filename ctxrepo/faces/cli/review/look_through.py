"""`review`: the screen, the page, or what `inbox` lists where there is no screen."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer_with_view, clock, open_desk, perform, show
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

WITH_SCREEN = (
    "the screen needs textual: `pipx inject ctxrepo textual`, `uv tool install --with textual git+ADDRESS`, "
    "or `pip install textual` in ctxrepo's own environment"
)

_PAGE = "review.html"


def review(
    file: Annotated[str, argument(metavar="FILE")] = "",
    plain: Annotated[bool, option("--plain")] = False,
    html: Annotated[bool, option("--html")] = False,
    is_opened: Annotated[bool, option("--open")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Look through the memory on a screen, and decide what waits."""
    if html:
        _write_page(file, is_opened=is_opened, json=json)
        return
    if file or is_opened:
        raise UsageError("a file and --open go with --html", "`ctxrepo review --html` writes a page.")
    has_screen = find_spec("textual") is not None
    if has_screen and not (json or plain) and is_seen():
        _show_screen()
        return
    from ctxrepo.app.repository.decide import list_items
    from ctxrepo.app.views.deciding import inbox_view

    desk = open_desk()
    answer_with_view(list_items, None, json, partial(inbox_view, now=desk.now), desk=desk)
    if not (json or plain):
        output.notice("at a terminal `ctxrepo review` shows a screen" if has_screen else WITH_SCREEN)


def is_seen() -> bool:
    """Whether somebody is at a terminal that a screen can be drawn on."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _show_screen() -> None:
    from ctxrepo.app.desk import Call, Desk
    from ctxrepo.faces.cli.editor import edit_file, edit_text, editor_of
    from ctxrepo.faces.screen.screen_app import EditorCalls, run

    open_desk().close()  # CtxrepoError where the current folder is gone
    desk = Desk.shared(Call(Path.cwd(), dict(os.environ)), clock, sys.executable)
    try:
        desk.perform(lambda opened, _: opened.open_memory(or_last_settings=True), None)
        run(desk, EditorCalls(editor_of, edit_file, edit_text), _page_of)
    finally:
        desk.close()


def _page_of(desk: Desk, _: None) -> Path:
    """Write the page of the memory into the state folder; the file."""
    from ctxrepo.app.report.report import report
    from ctxrepo.app.report.report_values import ReportRequest
    from ctxrepo.faces.page.page import page, write_page

    path = desk.memory.state.root / _PAGE
    write_page(path, page(report(desk, ReportRequest()).value))
    return path


def _write_page(file: str, *, is_opened: bool, json: bool) -> None:
    from ctxrepo.app.report.report import report
    from ctxrepo.app.report.report_values import ReportRequest
    from ctxrepo.app.result import Result
    from ctxrepo.faces.page.page import page, write_page

    desk = open_desk()
    result = perform(desk, report, ReportRequest())
    text = page(result.value)
    if file == "-":
        output.verbatim(text.encode())
        return
    path = desk.cwd / Path(file).expanduser() if file else desk.memory.state.root / _PAGE
    if path.resolve().is_relative_to(desk.memory.root.resolve()):
        raise UsageError(f"{path} is in the memory itself, and would be sent with it", "Name another file.")
    write_page(path, text)
    data = {**result.data, "file": str(path), "bytes": len(text.encode())}
    show(Result(path, data), json, lambda where: f"page: {where}")
    if is_opened:
        open_in_browser(path)


def open_in_browser(path: Path) -> None:
    """Show it in the user's browser; where nobody sits at a terminal it stays a file."""
    if not sys.stdout.isatty():
        output.notice("not at a terminal, so no browser was opened")
        return
    import webbrowser

    if not webbrowser.open(path.as_uri()):
        output.notice("no browser was found; open the file in one")
