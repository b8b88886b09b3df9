"""`review`: the screen, and what it would show first as plain lines where there is none."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import CtxrepoError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer_with_view, clock, open_desk
from ctxrepo.faces.cli.options import json_option, option

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

WITH_SCREEN = (
    "the screen needs textual: `pipx inject ctxrepo textual`, `uv tool install --with textual git+ADDRESS`, "
    "or `pip install textual` in ctxrepo's own environment"
)


def review(
    plain: Annotated[bool, option("--plain")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Look through the memory on a screen, and decide what waits."""
    has_screen = find_spec("textual") is not None
    if has_screen and not (json or plain) and is_seen():
        _show_screen()
        return
    from ctxrepo.app.panels.load_panel import list_waiting
    from ctxrepo.app.views.deciding import waiting_view

    desk = open_desk()
    answer_with_view(list_waiting, None, json, partial(waiting_view, now=desk.now), desk=desk)
    if not (json or plain):
        output.notice("at a terminal `ctxrepo review` shows a screen" if has_screen else WITH_SCREEN)


def is_seen() -> bool:
    """Whether somebody is at a terminal that a screen can be drawn on."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _show_screen() -> None:
    from ctxrepo.app.desk import Call, Desk
    from ctxrepo.faces.cli.notes.authoring import edit_file, edit_text, editor_of
    from ctxrepo.faces.screen.screen_app import EditorCalls, run

    open_desk().close()  # CtxrepoError where the current folder is gone
    desk = Desk.shared(Call(Path.cwd(), dict(os.environ)), clock, sys.executable)
    try:
        desk.perform(lambda opened, _: opened.open_memory(or_last_settings=True), None)
        run(desk, EditorCalls(editor_of, edit_file, edit_text), _write_page)
    finally:
        desk.close()


def _write_page(desk: Desk, _: None) -> Path:
    """Write the page of the memory; the file. CtxrepoError where this version has none."""
    try:
        report = import_module("ctxrepo.app.review.report")
        page, file = (import_module(f"ctxrepo.faces.page.{name}") for name in ("page", "file"))
    except ImportError:
        raise CtxrepoError("no page can be written yet", "This version has only the screen.") from None
    path: Path = desk.memory.state.root / "review.html"
    file.write_page(path, page.page(report.report(desk, report.ReportRequest()).value))
    return path
