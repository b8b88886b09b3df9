"""The command `review`: the whole memory to look at, as a page in one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from ctxrepo.app.report.report import report
from ctxrepo.app.report.report_values import ReportRequest
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import open_desk, perform, show
from ctxrepo.faces.cli.options import argument, json_option, option

_FILE = "review.html"


def review(
    file: Annotated[str, argument(metavar="FILE")] = "",
    html: Annotated[bool, option("--html")] = False,
    is_opened: Annotated[bool, option("--open")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Write a page of the memory to look at in a browser."""
    from ctxrepo.app.result import Result
    from ctxrepo.faces.page.file import write_page
    from ctxrepo.faces.page.page import page

    if not html:
        raise UsageError(
            "say what to make of it",
            "`ctxrepo review --html` writes a page; `ctxrepo history --in-review` shows what is in review.",
        )
    desk = open_desk()
    result = perform(desk, report, ReportRequest())
    text = page(result.value)
    if file == "-":
        output.verbatim(text.encode())
        return
    path = desk.cwd / Path(file).expanduser() if file else desk.memory.state.root / _FILE
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
