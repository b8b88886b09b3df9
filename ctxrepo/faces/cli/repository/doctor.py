"""The command doctor: what is wrong around the notes, or what the agents recorded about our hooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json

if TYPE_CHECKING:
    from ctxrepo.services.faults.finding import Checked

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
    faults: Annotated[
        bool,
        typer.Option("--faults", help="List the faults that sessions were told, those that are over too."),
    ] = False,
) -> None:
    """Look whether all around the notes works: git, agents, hooks.

    It says of each thing how it stands, then what is wrong with it and what helps. Ends with 1 when something
    is wrong. With --fix it says what it did, and then what is left for you. With --hooks it reads the agents'
    own records instead: which hooks ran, how long they took, and whether what they gave reached the model;
    nothing that was said in a session is shown. With --faults it lists what sessions were told is wrong with
    the memory, since when, and when that was over.

    Example: ctxrepo doctor --fix
    """
    if (hooks or faults) and (fix or hooks == faults):
        raise UsageError("--hooks and --faults only look, each alone", "Leave the others out.")
    if hooks:
        _tell_hooks(json)
    if faults:
        _tell_faults(json)
        return
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.faults.faults import standing
    from ctxrepo.services.health.doctor import doctor
    from ctxrepo.services.rescue.mend import mend

    run = Runtime(is_lenient=True)
    done = list(mend(run.memory, run.now)) if fix else []
    checked = doctor(run.memory, run.machine, run.now)
    found = [finding for one in checked for finding in one.findings]
    lines = [*(f"mended: {deed}" for deed in done), *(line for one in checked for line in _lines(one))]
    data = {
        "findings": [asdict(f) for f in found],
        "mended": done,
        "checked": [{"name": c.name, "stands": c.stands, "ok": not c.findings} for c in checked],
        "faults": [asdict(f) for f in standing(run.memory)],
    }
    output.done(json, data, "\n".join([*lines, _summed(len(found))]))
    raise typer.Exit(FAILED if found else 0)


def _tell_faults(json: bool) -> None:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.faults.faults import history

    found = history(Runtime(is_lenient=True).memory)
    lines = [f"{one.since}  {f'over {one.until}' if one.until else 'stands'}  {one.fault}" for one in found]
    data = {"faults": [{**asdict(one), "until": one.until or None} for one in found]}
    output.done(json, data, "\n".join(lines) or "sessions were told of no fault")


def _lines(one: Checked) -> Iterator[str]:
    how = f"{len(one.findings)} wrong" if one.findings else "ok"
    yield f"{one.name:<9} {how}: {one.stands}"
    for finding in one.findings:
        yield f"  {finding.problem}"
        yield f"    {finding.remedy}"


def _summed(count: int) -> str:
    return f"{output.counted(count, 'thing is', 'things are')} wrong" if count else "all is well"


def _tell_hooks(json: bool) -> None:
    from ctxrepo.faces.cli.repository import hooks
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.setup.hook_records import hook_records

    run = Runtime()
    found = hook_records(run.memory, run.machine)
    findings = [finding for agent in found for finding in agent.findings]
    lines = [*hooks.lines(found), *(f"{f.problem}\n  {f.remedy}" for f in findings)]
    data = {"findings": [asdict(f) for f in findings], "hooks": hooks.data(found)}
    output.done(json, data, "\n".join(lines))
    raise typer.Exit(FAILED if findings else 0)
