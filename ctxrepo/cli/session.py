"""Commands about sessions: context, anchor, hook."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.cli import output
from ctxrepo.cli.options import Json
from ctxrepo.errors import UsageError

if TYPE_CHECKING:
    from ctxrepo.services.context import Context


def register(app: typer.Typer) -> None:
    for command in (context, anchor, hook):
        app.command()(command)


def context(
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset", metavar="P", help="Of another design: `daily`, `semantic`, or `md` (pi-memory-md's)."
        ),
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", metavar="BYTES", min=0, help="Most bytes; 0: as the settings say.")
    ] = 0,
    agent: Annotated[
        str, typer.Option("--agent", metavar="A", help="As this agent is given it: no larger than it takes.")
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the lanes instead: what each was offered and took.")
    ] = False,
    json: Json = False,
) -> None:
    """Print exactly what a session started here would be given now.

    Example: ctxrepo context --explain
    """
    from ctxrepo.agents import agent_named
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.context import context

    known = agent_named(agent).NAME if agent else ""
    run = Runtime()
    run.settle()
    made = context(run.memory, run.project, run.cwd, preset, budget, known)
    data = {**asdict(made), "bytes": len(made.text.encode())}
    output.done(json, data, _table(made) if explain else made.text.rstrip("\n"))


def _table(made: Context) -> str:
    """The lanes in the order in which they were given room."""
    if not made.lanes:
        return f"{len(made.text.encode())} bytes; this preset has no lanes"
    rows = [f"{'lane':28} {'floor':>6} {'cap':>6} {'offered':>8} {'taken':>6}"]
    for lane in made.lanes:
        name = f"{lane.name} {lane.scope}".strip()
        cap = str(lane.cap) if lane.cap < 1 << 30 else "-"
        cut = "  cut" if lane.is_cut else ""
        rows.append(f"{name:28} {lane.floor:6} {cap:>6} {lane.offered:8} {lane.taken:6}{cut}")
    rows.append(f"{len(made.text.encode())} of {made.budget} bytes, frame included")
    return "\n".join(rows)


def anchor(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What this point is, e.g. release/ready.")],
    summary: Annotated[
        str, typer.Option("--summary", metavar="S", help="What was done, in a sentence.")
    ] = "",
    purpose: Annotated[str, typer.Option("--purpose", metavar="P", help="What for, in a word or two.")] = "",
    keyword: Annotated[
        list[str] | None,
        typer.Option("--keyword", metavar="K", help="A word to find it by; may be given again."),
    ] = None,
    json: Json = False,
) -> None:
    """Leave an anchor: a named point that the next session is shown.

    Example: ctxrepo anchor release/ready --summary "All checks pass; tag next"
    """
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.tape import anchor

    run = Runtime()
    made = anchor(
        run.memory,
        name,
        run.project,
        run.origin,
        run.now,
        summary=summary,
        purpose=purpose,
        keywords=keyword or [],
    )
    run.wake()
    output.done(json, {**asdict(made.anchor), "path": made.path}, f"anchored: {made.anchor.name} {made.path}")


def hook(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="claude.")],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The agent's own name for it.")],
) -> None:
    """Answer an agent's hook.

    Its JSON comes on standard input, the answer goes to standard output. `setup` writes a faster line
    into the agent's settings; this one is for trying things out.

    Example: echo '{"session_id":"s","cwd":"'$PWD'"}' | ctxrepo hook claude SessionStart
    """
    raise UsageError(f"`ctxrepo hook {agent} {event}` stands alone", "It takes no options.")
