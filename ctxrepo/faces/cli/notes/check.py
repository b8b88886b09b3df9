"""The command that looks through the notes, and mends what needs no decision: check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.services.checks.fix import FileFix


def register(app: typer.Typer) -> None:
    app.command()(check)


def check(
    fix: Annotated[
        bool, option("--fix", help="Mend what needs no decision of yours, and show the difference.")
    ] = False,
    dry_run: Annotated[bool, option("--dry-run", help="With --fix: show it and change nothing.")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Look through all notes for what is not as it was meant.

    Ends with 1 when something is found. With --fix it shows what it mended, and then what is left for you.
    Of a conflict that git left in a note or a tape both sides are kept.

    Example: ctxrepo check --fix --dry-run
    """
    from ctxrepo.app.notes.check import CheckedNotes, CheckRequest, check

    if dry_run and not fix:
        raise UsageError("--dry-run goes with --fix", "Without --fix nothing is changed anyway.")

    def said(done: CheckedNotes) -> str:
        lines = [line for one in done.fixed for line in _fixed(one, dry_run)]
        found = done.findings
        lines += [f"{f.path}{f':{f.line}' if f.line else ''}: {f.problem}. {f.remedy}" for f in found]
        return "\n".join(lines) or "nothing to mend"

    answer(open_desk(), check, CheckRequest(fix, dry_run), json, said)


def _fixed(one: FileFix, is_dry: bool) -> Iterator[str]:
    if one.diff:
        yield one.diff
    yield f"{'would mend' if is_dry else 'mended'} {one.path}: {'; '.join(one.deeds)}"
