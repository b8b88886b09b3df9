"""Commands about the past: history, and versions that lost a merge: conflicts list, show, resolve;
and what reviewers struck out: declined list, dismiss."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.review import changes, decisions, origins, past
from ctxrepo.app.review.changes import DiffRequest
from ctxrepo.app.review.decisions import ConflictRequest, DismissRequest, ResolveRequest
from ctxrepo.app.review.origins import Why, WhyRequest
from ctxrepo.app.review.past import HistoryRequest
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, answer_with_view, open_desk, perform
from ctxrepo.faces.cli.answer import show as show_result
from ctxrepo.faces.cli.options import LIMIT, Group, command, json_option, option

if TYPE_CHECKING:
    from ctxrepo.app.result import Result
    from ctxrepo.app.review.changes import ReviewText
    from ctxrepo.services.history.commits import Old
    from ctxrepo.services.history.settle_conflict import Resolution
    from ctxrepo.services.review.items import DeclinedReview


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
    if in_review or markdown:
        if about or show or not in_review:
            raise UsageError("--in-review and --markdown are about all that waits", "Give nothing else.")
        if markdown:
            answer(changes.pull_request, None, json, lambda text: text.markdown, _on_forge)
        else:
            answer_with_view(changes.in_review, None, json, review_view)
    elif show:
        if about is None:
            raise UsageError("--show needs a TARGET", "`ctxrepo history PATH --show COMMIT`.")
        _show(perform(open_desk(), past.version, past.VersionRequest(about, show)), json)
    else:
        view = partial(history_view, limit=request.limit)
        answer_with_view(past.history, request, json, view, hints_with_json=True)


def _on_forge(text: ReviewText) -> Iterator[str]:
    yield f"for a pull request from {text.branch}, with the title {text.title!r}"


def _show(result: Result[Old], json: bool) -> None:
    """Print a version: to the byte, unless somebody is reading who must not be fooled."""
    if json or sys.stdout.isatty():
        show_result(result, json, lambda _: str(result.data["text"]).rstrip("\n"))
    else:
        output.verbatim(result.value.data)


conflicts = Group("conflicts", "List, show and resolve the versions that a merge set aside.", "list")


@conflicts.command("list")
def list_conflicts(json: Annotated[bool, json_option()] = False) -> None:
    """List the versions that were set aside."""
    from ctxrepo.app.views.past import conflicts_view

    desk = open_desk()
    view = partial(conflicts_view, now=desk.now)
    answer_with_view(decisions.list_conflicts, None, json, view, desk=desk)


@conflicts.command()
@command(id="ID")
def show(request: ConflictRequest, json: bool = False) -> None:
    """Show a version that was set aside, and how it differs from the one that was kept."""
    from ctxrepo.app.views.past import conflict_view

    desk = open_desk()
    view = partial(conflict_view, now=desk.now)
    answer_with_view(decisions.show_conflict, request, json, view, desk=desk)


@conflicts.command()
@command(id="ID", keep="--keep WHICH", every="--all")
def resolve(request: ResolveRequest, json: bool = False) -> None:
    """Resolve a version that was set aside, or all of them."""

    def words_of(done: Sequence[Resolution]) -> str:
        return "\n".join(_outcome(resolution, request.keep) for resolution in done) or "nothing is set aside"

    answer(decisions.resolve, request, json, words_of)


def _outcome(resolution: Resolution, keep: str) -> str:
    holds = {"kept": "kept the current version", "other": "kept the other version", "both": "kept both"}[keep]
    already = " already" if keep != "kept" and not resolution.is_changed else ""
    return f"resolved: {resolution.id} {resolution.path}, {holds}{already}"


declined = Group("declined", "List what reviewers removed, until you dismiss it.", "list")


@declined.command("list")
def list_declined(json: Annotated[bool, json_option()] = False) -> None:
    """List the entries that reviewers removed, review by review."""

    def words_of(reviews: Sequence[DeclinedReview]) -> str:
        lines = ("\n  - ".join([review.name, *review.entries]) for review in reviews)
        return "\n".join(lines) or "nothing was declined"

    def next_step(reviews: Sequence[DeclinedReview]) -> Iterator[str]:
        if reviews and not json:
            yield "`ctxrepo restore`, with the path of such a note or the id of an entry, proposes it again"
            yield "`ctxrepo declined dismiss` takes them off this list"

    answer(decisions.list_declined, None, json, words_of, next_step)


@declined.command()
@command(names="[NAME]...")
def dismiss(request: DismissRequest, json: bool = False) -> None:
    """Remove declined entries from this list."""

    def words_of(refs: Sequence[str]) -> str:
        return "\n".join(f"removed from the list; kept in {ref}" for ref in refs) or "nothing to dismiss"

    answer(decisions.dismiss, request, json, words_of)


@command(target="TARGET")
def why(request: WhyRequest, json: bool = False) -> None:
    """Show who wrote a note or an entry, when, and at which prompt."""
    from ctxrepo.app.views.past import why_view

    desk = open_desk()

    def words_of(why: Why) -> str | Sequence[output.OutputLine]:
        """The view; in an agent's session as a quotation, where words of past sessions are in it."""
        from ctxrepo.app.sessions.past_search import quoted

        lines = output.drawn(why_view(why, desk.now), 8)
        text = output.text_of(lines)
        framed = quoted(desk, text) if why.has_quotes else text
        return lines if framed == text else framed

    def hints(why: Why) -> Sequence[str]:
        return () if json else why_view(why, desk.now).hints

    answer(origins.why, request, json, words_of, hints, desk=desk)


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
