"""Commands about the memory repository: init, status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents.known import SETUP_STEP
from ctxrepo.faces.cli import output, waiting
from ctxrepo.faces.cli.answer import answer, open_desk, perform, show
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.repository.init import InitOutcome


def register(app: typer.Typer) -> None:
    for command in (init, status):
        app.command()(command)


def init(
    remote: Annotated[
        str, argument(metavar="REMOTE", help="URL or path of a git repository; empty is fine.")
    ] = "",
    sparse: Annotated[
        bool,
        option("--sparse", help="Bring only the global notes, and projects as you work on them."),
    ] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Create the memory repository, or clone it from REMOTE.

    Run again it changes nothing. With REMOTE it connects a repository that has none, and merges both. Without
    REMOTE it goes on with the memory repository that pi-memory-md's settings name, where there are any.

    Example: ctxrepo init git@example.org:me/memory.git
    """
    from ctxrepo.app.repository.init import init
    from ctxrepo.faces.cli.repository.sync import ending
    from ctxrepo.services.repository.init import InitRequest

    def hints(done: InitOutcome) -> Iterator[str]:
        if done.is_unsparse:
            yield "--sparse is for a new clone; this one stays as it is"
        if not json and done.made.action != "unchanged":
            yield f"next: {SETUP_STEP}"
        if done.made.synced:
            yield from ending(done.made.synced)

    try:
        result = perform(open_desk(), init, InitRequest(remote, sparse))
    except KeyboardInterrupt:
        output.notice("interrupted; run `ctxrepo init` again to finish it")
        raise
    finally:
        waiting.over()
    show(result, json, _initialised, hints)


def _initialised(done: InitOutcome) -> str:
    words = {
        "created": "created a memory repository",
        "cloned": "cloned the memory repository",
        "connected": "connected the memory repository",
        "adopted": f"goes on with the memory repository of {done.made.program}",
        "unchanged": "the memory repository is as it was",
    }[done.made.action]
    return f"{words}: {done.made.root}{f' with {done.url}' if done.url else ''}"


def status(json: Annotated[bool, json_option()] = False) -> None:
    """Show where the memory stands, and whether agents are given it.

    On one screen: what waits, who was served last, when the remote last answered. The network isn't asked.

    Example: ctxrepo status
    """
    from ctxrepo.app.repository.status import status
    from ctxrepo.faces.cli.repository.standing import lines

    desk = open_desk()
    answer(desk, status, None, json, lambda now: "\n".join(lines(now, desk.now)))
