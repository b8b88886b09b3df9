"""The command doctor: what is wrong around the notes, or what the agents recorded about our hooks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ctxrepo.cli import output
from ctxrepo.cli.options import Json
from ctxrepo.errors import UsageError

FAILED = 1


def register(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(
    json: Json = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what needs no decision of yours; nothing is deleted.")
    ] = False,
    hooks: Annotated[
        bool,
        typer.Option("--hooks", help="Tell what the agents recorded about our hooks in the last sessions."),
    ] = False,
) -> None:
    """Look for what is wrong around the notes: git, clone, hooks.

    Ends with 1 when something is found. With --fix it says what it did, and then what is left for you. With
    --hooks it reads the agents' own records instead: which hooks ran, how long they took, and whether what
    they gave reached the model. Nothing that was said in a session is shown.

    Example: ctxrepo doctor --fix
    """
    if hooks:
        if fix:
            raise UsageError("--hooks only looks", "Leave out --fix.")
        _tell_hooks(json)
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.doctor import doctor
    from ctxrepo.services.mend import mend

    run = Runtime()
    done = list(mend(run.memory, run.now)) if fix else []
    found = doctor(run.memory, run.machine)
    lines = [*(f"mended: {deed}" for deed in done), *(f"{f.problem}\n  {f.remedy}" for f in found)]
    data = {"findings": [asdict(f) for f in found], "mended": done}
    output.done(json, data, "\n".join(lines) or "all is well")
    raise typer.Exit(FAILED if found else 0)


def _tell_hooks(json: bool) -> None:
    from ctxrepo.cli import hooks
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.hook_records import hook_records

    run = Runtime()
    found = hook_records(run.memory, run.machine)
    findings = [finding for agent in found for finding in agent.findings]
    lines = [*hooks.lines(found), *(f"{f.problem}\n  {f.remedy}" for f in findings)]
    data = {"findings": [asdict(f) for f in findings], "hooks": hooks.data(found)}
    output.done(json, data, "\n".join(lines))
    raise typer.Exit(FAILED if findings else 0)
