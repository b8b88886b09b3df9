"""The command about the past: history."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.review import past
from ctxrepo.app.review.past import HistoryRequest
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, answer_with_view, open_desk, perform
from ctxrepo.faces.cli.answer import show as show_result
from ctxrepo.faces.cli.options import LIMIT, command, option

if TYPE_CHECKING:
    from ctxrepo.app.result import Result
    from ctxrepo.services.history.commits import Old


@command(target="TARGET", limit=LIMIT)
def history(
    request: HistoryRequest,
    show: Annotated[str, option("--show", "--at", metavar="COMMIT")] = "",
    in_review: Annotated[bool, option("--in-review")] = False,
    markdown: Annotated[bool, option("--markdown")] = False,
    json: bool = False,
) -> None:
    """Show the history of the memory, a note or an entry."""
    from ctxrepo.app.views.past import history_view, review_view

    about = request.target
    desk = open_desk()
    if in_review or markdown:
        if about or show or not in_review:
            raise UsageError("--in-review and --markdown are about all that waits", "Give nothing else.")
        if markdown:
            answer(desk, past.pull_request, None, json, str)
        else:
            answer_with_view(desk, past.in_review, None, json, review_view)
    elif show:
        if about is None:
            raise UsageError("--show needs a TARGET", "`ctxrepo history PATH --show COMMIT`.")
        _show(perform(desk, past.version, past.VersionRequest(about, show)), json)
    else:
        view = partial(history_view, limit=request.limit)
        answer_with_view(desk, past.history, request, json, view, hints_with_json=True)


def _show(result: Result[Old], json: bool) -> None:
    """Print a version: to the byte, unless somebody is reading who must not be fooled."""
    if json or sys.stdout.isatty():
        text = str(result.data["text"])
        show_result(result, json, lambda _: text.rstrip("\n"))
    else:
        output.verbatim(result.value.data)
