"""Commands that look at the memory as one looks at code: why something is there, and what changed."""

from __future__ import annotations

from functools import partial

from ctxrepo.app.review import changes, origins
from ctxrepo.app.review.changes import DiffRequest
from ctxrepo.app.review.origins import WhyRequest
from ctxrepo.faces.cli.answer import answer_with_view, open_desk
from ctxrepo.faces.cli.options import command


@command(target="TARGET")
def why(request: WhyRequest, json: bool = False) -> None:
    """Show where a note or an entry comes from: who wrote it, when, and at which prompt."""
    from ctxrepo.app.views.origins import why_view

    desk = open_desk()
    answer_with_view(origins.why, request, json, partial(why_view, now=desk.now), desk=desk)


@command(
    target="TARGET",
    since="--since WHEN",
    session="--session ID",
    start="--from WHEN",
    end="--to WHEN",
    patch="--patch -p",
)
def diff(request: DiffRequest, json: bool = False) -> None:
    """Show what changed in the memory, entry by entry, and who changed it."""
    from ctxrepo.app.views.changes import diff_view

    answer_with_view(changes.diff, request, json, diff_view)
