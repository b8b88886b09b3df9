"""The command that looks through the notes, and mends what needs no decision: check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json

if TYPE_CHECKING:
    from ctxrepo.services.checks.fix import Fixed


def register(app: typer.Typer) -> None:
    app.command()(check)


def check(
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what needs no decision of yours, and show the difference.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --fix: show it and change nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Look through all notes for what is not as it was meant.

    Ends with 1 when something is found. With --fix it shows what it mended, and then what is left for you.
    Of a conflict that git left in a note or a tape both sides are kept.

    Example: ctxrepo check --fix --dry-run
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.checks import fix as service
    from ctxrepo.services.checks.check import check

    if dry_run and not fix:
        raise UsageError("--dry-run goes with --fix", "Without --fix nothing is changed anyway.")
    run = Runtime()
    done: Sequence[Fixed] = ()
    if fix:
        done = service.fixable(run.memory) if dry_run else service.fix(run.memory, run.origin, run.now)
    if done and not dry_run:
        run.wake()
    found = check(run.memory)
    lines = [line for one in done for line in _fixed(one, dry_run)]
    lines += [f"{f.path}{f':{f.line}' if f.line else ''}: {f.problem}. {f.remedy}" for f in found]
    data: dict[str, Any] = {"findings": [asdict(f) for f in found]}
    if fix:
        data["fixed"] = [{"path": one.path, "deeds": one.deeds, "diff": one.diff} for one in done]
    output.done(json, data, "\n".join(lines) or "nothing to mend")
    raise typer.Exit(1 if found else 0)


def _fixed(one: Fixed, is_dry: bool) -> Iterator[str]:
    if one.diff:
        yield one.diff
    yield f"{'would mend' if is_dry else 'mended'} {one.path}: {'; '.join(one.deeds)}"
