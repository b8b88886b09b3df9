"""The command about the past: history."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.domain.formats.moment import second
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json
from ctxrepo.faces.cli.review.deeds import who

if TYPE_CHECKING:
    from ctxrepo.domain.project.target import Target
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.history.history import CommitSummary


def register(app: typer.Typer) -> None:
    app.command()(history)


def history(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry; also what is gone."
        ),
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=100_000, help="How many to show.")
    ] = 20,
    show: Annotated[
        str, typer.Option("--show", "--at", metavar="COMMIT", help="Print TARGET as it was in COMMIT.")
    ] = "",
    in_review: Annotated[
        bool, typer.Option("--in-review", help="Show what waits on the branch for review.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="With --in-review: the text of a pull request.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what happened to the memory, a note or an entry.

    The newest comes first. Every version that was ever committed is found, on all sides of merges and
    through renames.

    What is gone is asked for by the path or id that it had.

    With --in-review it shows the commits that wait for people. With --markdown too, it tells session by
    session what they come to, for `gh pr create --body-file -` and its like.

    Example: ctxrepo history topics/release.md
    """
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.history.history import history

    about = parse_target(target) if target else None
    run = Runtime()
    if in_review or markdown:
        if about or show or not in_review:
            raise UsageError("--in-review and --markdown are about all that waits", "Give nothing else.")
        _in_review(run, markdown, json)
        return
    if show:
        if about is None:
            raise UsageError("--show needs a TARGET", "`ctxrepo history PATH --show COMMIT`.")
        _show(run, about, show, json)
        return
    run.settle()
    found = history(run.memory, about, run.project, limit + 1)
    deeds = found[:limit]
    newest = deeds[0].path if deeds else ""
    lines = [newest] * bool(newest) + [_text(deed, newest) for deed in deeds]
    output.done(json, {"history": [_data(d) for d in deeds]}, "\n".join(lines))
    if len(found) > limit:
        output.notice(f"there is more: `--limit {10 * limit}`")


def _in_review(run: Runtime, markdown: bool, json: bool) -> None:
    """What waits for people, as commits or as the text in which they are asked."""
    from ctxrepo.faces.cli.review.pull_request import markdown as text_of
    from ctxrepo.services.review.pull_request import deeds_in_review, pull_request

    if markdown:
        text = text_of(pull_request(run.memory))
        output.done(json, {"markdown": text}, text)
    else:
        deeds = deeds_in_review(run.memory)
        output.done(json, {"history": [_data(d) for d in deeds]}, "\n".join(_text(d, "") for d in deeds))


def _show(run: Runtime, target: Target, commit: str, json: bool) -> None:
    """Print a version: to the byte, unless somebody is reading who must not be fooled."""
    from ctxrepo.domain.note.note import decode_exactly
    from ctxrepo.services.history.history import version

    old = version(run.memory, target, run.project, commit)
    text = decode_exactly(old.data)
    if json or sys.stdout.isatty():
        output.done(json, {"commit": old.commit, "path": old.path, "text": text}, text.rstrip("\n"))
    else:
        output.verbatim(old.data)


def _text(deed: CommitSummary, path: str) -> str:
    """One line of a commit; of what was asked for, a line for each thing that became of it."""
    start = f"{output.wall_time(deed.when)}  {deed.commit[:10]}"
    if not deed.path:
        return f"{start}  {deed.subject}  ({who(deed)})"
    name = "" if deed.path == path else f"  {deed.path}"
    more = [f"… {deed.more} more"] if deed.more else []
    return "\n".join([f"{start}  {who(deed)}{name}", *(f"    {line}" for line in (*deed.lines, *more))])


def _data(deed: CommitSummary) -> dict[str, Any]:
    return {**asdict(deed), "when": second(deed.when)}
