"""Commands that look at the memory as one looks at code: why something is there, and what changed."""

from __future__ import annotations

from collections.abc import Sequence

from ctxrepo.app.review import changes, origins
from ctxrepo.app.review.changes import DiffRequest
from ctxrepo.app.review.origins import Why, WhyRequest
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, answer_with_view, open_desk
from ctxrepo.faces.cli.options import command


@command(target="TARGET")
def why(request: WhyRequest, json: bool = False) -> None:
    """Show who wrote a note or an entry, when, and at which prompt."""
    from ctxrepo.app.views.past import why_view

    desk = open_desk()

    def said(found: Why) -> str | Sequence[output.OutputLine]:
        """The view; in an agent's session as a quotation, where words of past sessions are in it."""
        from ctxrepo.app.sessions.past_search import quoted

        lines = output.drawn(why_view(found, desk.now), 8)
        text = output.text_of(lines)
        framed = quoted(desk, text) if found.has_quotes else text
        return lines if framed == text else framed

    def hints(found: Why) -> Sequence[str]:
        return () if json else why_view(found, desk.now).hints

    answer(origins.why, request, json, said, hints, desk=desk)


@command(
    target="TARGET",
    since="--since WHEN",
    session="--session ID",
    start="--from WHEN",
    end="--to WHEN",
    patch="--patch -p",
)
def diff(request: DiffRequest, json: bool = False) -> None:
    """Show what changed, entry by entry, and who changed it."""
    from ctxrepo.app.views.past import diff_view

    answer_with_view(changes.diff, request, json, diff_view)
