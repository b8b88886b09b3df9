"""The command doctor: what is wrong around the notes, or what the agents recorded about our hooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.repository.doctor import Diagnosis
    from ctxrepo.services.faults.finding import CheckOutcome
    from ctxrepo.services.setup.hook_records import AgentRecords
    from ctxrepo.storage.state.ledgers import FaultRecord


def register(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(
    json: Annotated[bool, json_option()] = False,
    fix: Annotated[
        bool, option("--fix", help="Mend what needs no decision of yours; nothing is deleted.")
    ] = False,
    hooks: Annotated[
        bool,
        option("--hooks", help="Tell what the agents recorded about our hooks in the last sessions."),
    ] = False,
    faults: Annotated[
        bool,
        option("--faults", help="List the faults that sessions were told, those that are over too."),
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
    from ctxrepo.app.repository import doctor as operations

    if hooks:
        answer(open_desk(), operations.read_hook_records, None, json, _hook_lines)
    elif faults:
        answer(open_desk(), operations.list_faults, None, json, _fault_lines)
    else:
        answer(open_desk(), operations.doctor, operations.DoctorRequest(fix), json, _diagnosis)


def _diagnosis(found: Diagnosis) -> str:
    lines = [f"mended: {deed}" for deed in found.mended]
    lines += [line for one in found.checked for line in _lines(one)]
    return "\n".join([*lines, _summed(found.findings)])


def _fault_lines(found: Sequence[FaultRecord]) -> str:
    lines = [f"{one.since}  {f'over {one.until}' if one.until else 'stands'}  {one.fault}" for one in found]
    return "\n".join(lines) or "sessions were told of no fault"


def _hook_lines(found: Sequence[AgentRecords]) -> str:
    from ctxrepo.faces.cli.repository import hooks

    findings = [finding for agent in found for finding in agent.findings]
    return "\n".join([*hooks.lines(found), *(f"{f.problem}\n  {f.remedy}" for f in findings)])


def _lines(one: CheckOutcome) -> Iterator[str]:
    how = f"{len(one.findings)} wrong" if one.findings else "ok"
    yield f"{one.name:<9} {how}: {one.stands}"
    for finding in one.findings:
        yield f"  {finding.problem}"
        yield f"    {finding.remedy}"


def _summed(count: int) -> str:
    return f"{output.counted(count, 'thing is', 'things are')} wrong" if count else "all is well"
