"""The command that connects agents: setup."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.agents import names as agent_names
from ctxrepo.agents.known import agent_named
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json

if TYPE_CHECKING:
    from ctxrepo.services.setup.setup import Plan


def register(app: typer.Typer) -> None:
    app.command()(setup)


def setup(
    agent: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help=f"{', '.join(agent_names())}; may be several.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every agent that is on this machine.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only tell whether it is connected.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take everything back, byte for byte.")] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", "--diff", help="Show the difference to the letter and change nothing."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    json: Json = False,
) -> None:
    """Connect an agent: hooks in its settings, skills beside them.

    It says which files would change and asks first; `d` at the question shows the difference.

    Example: ctxrepo setup claude
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.setup import setup as service

    run = Runtime()
    first = agent_names()[0]
    names = list(service.present(run.machine)) if every else agent or []
    if every and not names:
        raise UsageError(
            "no agent that ctxrepo knows is on this machine", f"`ctxrepo setup {first}` makes its folder."
        )
    if not names:
        hint = f"`ctxrepo setup {first}`, or --all for those on this machine."
        raise UsageError("no agent was named", hint)
    if check:
        _check(names, json)
        return
    if not remove:
        _ = run.memory  # hooks without a memory repository would be silent for ever: say so now
    # All are planned first: a name that is wrong stops the command before it has done half of its work.
    plans = [
        (service.removal if remove else service.plan)(name, run.machine) for name in dict.fromkeys(names)
    ]
    told = []
    for plan in plans:
        is_applied = not dry_run and (not plan.visible or yes or _agreed(plan, json))
        if is_applied:
            service.apply(plan)
        for line in plan.notices:
            output.notice(line)
        told.append((plan, is_applied, _words(plan, remove, is_applied, dry_run)))
    shown = [
        {"agent": p.agent, "applied": done, "paths": [str(c.path) for c in p.visible], "diff": p.diff}
        for p, done, _ in told
    ]
    output.done(json, {"agents": shown}, "\n".join(words for _, _, words in told))


def _agreed(plan: Plan, json: bool) -> bool:
    """Say what would change and ask, as often as the difference is wanted; UsageError without a terminal."""
    if json or not sys.stdin.isatty():
        raise UsageError("there is no terminal at which to ask", "Look at --diff, then say --yes.")
    title = agent_named(plan.agent).title
    typer.echo(f"{title}, of which nothing else changes:")
    for line in plan.summary:
        typer.echo(output.visible(f"  {line}"))
    while True:
        said = typer.prompt(
            "Make these changes? [y/n, d shows the difference]", default="n", show_default=False
        )
        if said.strip().lower() != "d":
            return said.strip().lower() in ("y", "yes")
        typer.echo(output.visible(plan.diff))


def _words(plan: Plan, remove: bool, is_applied: bool, dry_run: bool) -> str:
    if not plan.visible:
        return f"{plan.agent}: nothing to remove" if remove else f"{plan.agent} is connected already"
    if is_applied:
        paths = (f"\n  {change.path}" for change in plan.visible)
        return f"{'removed' if remove else 'connected'} {plan.agent}:{''.join(paths)}"
    return plan.diff if dry_run else f"{plan.agent}: nothing was changed"


def _check(names: list[str], json: bool) -> None:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.setup.connected import check

    standings = [check(name, Runtime().machine) for name in names]
    lines = []
    for standing in standings:
        lines.append(f"{standing.agent}: {standing.state}")
        lines += [f"  {f.problem}. {f.remedy}" for f in standing.findings]
    shown = [
        {"agent": s.agent, "state": s.state, "findings": [f.problem for f in s.findings]} for s in standings
    ]
    output.done(json, {"agents": shown}, "\n".join(lines))
    is_well = all(s.state in ("current", "plugin") and not s.findings for s in standings)
    raise typer.Exit(0 if is_well else 1)
