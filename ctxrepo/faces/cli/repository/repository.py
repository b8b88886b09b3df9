"""Commands about the memory repository: init, status."""

from __future__ import annotations

from typing import Annotated

import typer

from ctxrepo.agents.known import setup_step
from ctxrepo.faces.cli import output, waiting
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import Json
from ctxrepo.faces.cli.repository.sync import finish


def register(app: typer.Typer) -> None:
    for command in (init, status):
        app.command()(command)


def init(
    remote: Annotated[
        str, typer.Argument(metavar="REMOTE", help="URL or path of a git repository; empty is fine.")
    ] = "",
    sparse: Annotated[
        bool,
        typer.Option("--sparse", help="Bring only the global notes, and projects as you work on them."),
    ] = False,
    json: Json = False,
) -> None:
    """Create the memory repository, or clone it from REMOTE.

    Run again it changes nothing. With REMOTE it connects a repository that has none, and merges both. Without
    REMOTE it goes on with the memory repository that pi-memory-md's settings name, where there are any.

    Example: ctxrepo init git@example.org:me/memory.git
    """
    from ctxrepo.domain.git.remote import unheard
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.repository.init import init
    from ctxrepo.storage.git.git import redact

    run = Runtime()
    try:
        made = init(run.places, run.env, remote, run.interpreter, run.now, waiting.tell, sparse=sparse)
    except KeyboardInterrupt:
        output.notice("interrupted; run `ctxrepo init` again to finish it")
        raise
    finally:
        waiting.over()
    words = {
        "created": "created a memory repository",
        "cloned": "cloned the memory repository",
        "connected": "connected the memory repository",
        "adopted": "goes on with the memory repository of pi-memory-md",
        "unchanged": "the memory repository is as it was",
    }[made.action]
    url = redact(made.remote)
    where = f" with {url}" if url else ""
    run.wake()
    data = {"root": str(made.root), "remote": url, "action": made.action}
    for warning in (*run.pi_warnings, *made.warnings):
        output.notice(warning)
    if told := unheard(run.env, made.remote):
        output.notice(told)
    if made.source:
        data["settings"] = str(made.source)
        output.notice(f"folder and remote are as pi-memory-md's settings say: {made.source}")
    output.done(json, data, f"{words}: {made.root}{where}")
    if sparse and made.action != "cloned" and run.memory.clone.cone is None:
        output.notice("--sparse is for a new clone; this one stays as it is")
    if not json and made.action != "unchanged":
        output.notice(f"next: {setup_step()}")
    if made.synced:
        finish(made.synced)


def status(json: Json = False) -> None:
    """Show where the memory stands, and whether agents are given it.

    On one screen: what waits, who was served last, when the remote last answered. The network isn't asked.

    Example: ctxrepo status
    """
    from ctxrepo.app.repository.status import status
    from ctxrepo.faces.cli.repository.standing import lines

    desk = open_desk()
    answer(desk, status, None, json, lambda now: "\n".join(lines(now, desk.now)))
