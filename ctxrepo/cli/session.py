"""Commands about sessions: context, anchor, hook."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ctxrepo.cli import output
from ctxrepo.cli.options import Json
from ctxrepo.errors import UsageError


def register(app: typer.Typer) -> None:
    for command in (context, anchor, hook):
        app.command()(command)


def context(
    preset: Annotated[
        str,
        typer.Option("--preset", metavar="P", help="Another format: `md` is the index of pi-memory-md."),
    ] = "",
    json: Json = False,
) -> None:
    """Print exactly what a session started here would be given now.

    Example: ctxrepo context --preset md
    """
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.context import context

    run = Runtime()
    run.settle()
    text = context(run.memory, run.project, run.cwd, preset)
    output.done(json, {"text": text, "bytes": len(text.encode())}, text.rstrip("\n"))


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
