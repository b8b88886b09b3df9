"""The command about the past: history."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk, perform
from ctxrepo.faces.cli.answer import show as show_result
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.result import Result
    from ctxrepo.app.review.history import PastCommits
    from ctxrepo.services.history.history import CommitSummary, Old


def register(app: typer.Typer) -> None:
    app.command()(history)


def history(
    target: Annotated[
        str,
        argument(
            metavar="TARGET", help="[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry; also what is gone."
        ),
    ] = "",
    limit: Annotated[int, option("--limit", metavar="N", min=1, max=100_000, help="How many to show.")] = 20,
    show: Annotated[
        str, option("--show", "--at", metavar="COMMIT", help="Print TARGET as it was in COMMIT.")
    ] = "",
    in_review: Annotated[
        bool, option("--in-review", help="Show what waits on the branch for review.")
    ] = False,
    markdown: Annotated[
        bool, option("--markdown", help="With --in-review: the text of a pull request.")
    ] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Show what happened to the memory, a note or an entry.

    The newest comes first. Every version that was ever committed is found, on all sides of merges and
    through renames.

    What is gone is asked for by the path or id that it had.

    With --in-review it shows the commits that wait for people. With --markdown too, it tells session by
    session what they come to, for `gh pr create --body-file -` and its like.

    Example: ctxrepo history topics/release.md
    """
    from ctxrepo.app.review import history as past
    from ctxrepo.domain.project.target import parse_target

    about = parse_target(target) if target else None
    desk = open_desk()
    if in_review or markdown:
        if about or show or not in_review:
            raise UsageError("--in-review and --markdown are about all that waits", "Give nothing else.")
        if markdown:
            answer(desk, past.pull_request, None, json, str)
        else:
            answer(desk, past.in_review, None, json, _waiting)
    elif show:
        if about is None:
            raise UsageError("--show needs a TARGET", "`ctxrepo history PATH --show COMMIT`.")
        _show(perform(desk, past.version, past.VersionRequest(about, show)), json)
    else:

        def more(found: PastCommits) -> Iterator[str]:
            if found.is_more:
                yield f"there is more: `--limit {10 * limit}`"

        answer(desk, past.history, past.HistoryRequest(about, limit), json, _past, more)


def _show(result: Result[Old], json: bool) -> None:
    """Print a version: to the byte, unless somebody is reading who must not be fooled."""
    if json or sys.stdout.isatty():
        text = str(result.data["text"])
        show_result(result, json, lambda _: text.rstrip("\n"))
    else:
        output.verbatim(result.value.data)


def _past(found: PastCommits) -> str:
    newest = found.commits[0].path if found.commits else ""
    return "\n".join([newest] * bool(newest) + [_text(one, newest) for one in found.commits])


def _waiting(found: Sequence[CommitSummary]) -> str:
    return "\n".join(_text(one, "") for one in found)


def _text(deed: CommitSummary, path: str) -> str:
    """One line of a commit; of what was asked for, a line for each thing that became of it."""
    from ctxrepo.app.review.deeds import who

    start = f"{output.wall_time(deed.when)}  {deed.commit[:10]}"
    if not deed.path:
        return f"{start}  {deed.subject}  ({who(deed)})"
    name = "" if deed.path == path else f"  {deed.path}"
    more = [f"… {deed.more} more"] if deed.more else []
    return "\n".join([f"{start}  {who(deed)}{name}", *(f"    {line}" for line in (*deed.lines, *more))])
