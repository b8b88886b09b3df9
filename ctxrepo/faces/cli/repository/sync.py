"""Commands that exchange with the remote: sync, pull, push; and what is said of an exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.domain.guard.deletions import told
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json

if TYPE_CHECKING:
    from ctxrepo.domain.merge import ConflictCopy
    from ctxrepo.services.sync.sync import Synced

CONFLICT, QUEUED, REFUSED = 4, 5, 6


def register(app: typer.Typer) -> None:
    for command in (sync, pull, push):
        app.command()(command)


def sync(
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="WHAT",
            help="Confirm what was held back: `deletions` of many entries or files, or a `remote` that "
            "holds something else than before.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Bring this machine and the remote to the same state.

    It commits, fetches, merges and pushes.

    Example: ctxrepo sync
    """
    for what in accept or []:
        if what not in ("deletions", "remote"):
            raise UsageError(f"--accept {what} is nothing to accept", "It takes `deletions` or `remote`.")
    _sync(json, send=True, accept=accept or [])


def pull(json: Json = False) -> None:
    """Fetch and merge what others sent.

    What is written here is committed first, and goes out with the next sync.

    Example: ctxrepo pull
    """
    _sync(json, send=False)


def push(json: Json = False) -> None:
    """Commit what is written here and send it.

    Where others were faster it fetches and merges first.

    Example: ctxrepo push
    """
    _sync(json, send=True)


def _sync(json: bool, send: bool, accept: Sequence[str] = ()) -> None:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.repository.register import register
    from ctxrepo.services.rescue.repair import healing
    from ctxrepo.services.review.review import in_review, open_review
    from ctxrepo.services.saving.commit import CommitRequest
    from ctxrepo.services.saving.spooled import spooled_versions
    from ctxrepo.services.sync.sync import sync

    run = Runtime()
    memory = replace(run.memory, is_hurried=True)
    wanted = CommitRequest(spooled_versions(memory), deletions="deletions" in accept)
    register(memory, run.interpreter)
    result = healing(
        memory,
        run.now,
        lambda: sync(memory, run.now, send=send, wanted=wanted, accept_remote="remote" in accept),
        lambda repaired: output.notice(repaired.words),
    )
    if memory.cache.head != (result.head or "") or memory.state.blocks.exists():
        run.wake()
    data = {
        "head": result.head,
        "remote": result.remote.outcome,
        "received": result.received,
        "sent": result.sent,
        "branch": result.branch,
        "held": [asdict(h) for h in result.held],
        "aside": [a.path for a in result.conflict_copies],
        "notices": result.notices,
    }
    current = open_review(memory)
    waiting = len(in_review(memory))
    data["in_review"] = waiting
    where = f"; {waiting} in review on {current.branch}" if current else ""
    sent = output.counted(result.sent, "commit")
    text = f"received {result.received}, sent {sent}{where}" if result.remote.ok else ""
    if not run.memory.has_remote:
        done = "" if result.held else "all is committed; "
        text = f"{done}there is no remote: `ctxrepo init REMOTE` connects one"
    output.done(json, data, text)
    finish(result, "not sent" if send else "not received")


def finish(result: Synced, failing: str = "not sent") -> None:
    """Say what needs a person, and end with the code for it: 6 before 5 before 4."""
    for line in (*told(result.held), *result.notices):
        output.notice(line)
    tell_copies(result.conflict_copies)
    if not result.remote.ok:
        output.notice(f"{failing}: {result.remote.reason.rstrip('.')}. {result.remote.next_step}")
    has_copies = bool(result.conflict_copies)
    code = REFUSED if result.held else QUEUED if not result.remote.ok else CONFLICT if has_copies else 0
    if code:
        raise typer.Exit(code)


def tell_copies(copies: Sequence[ConflictCopy]) -> None:
    """Say which versions lost, and where each is."""
    from ctxrepo.domain.merge import copy_as_file, copy_id

    for copy in copies:
        kept = copy_id(copy_as_file(copy)[0])
        output.notice(f"two versions met in {copy.path}; `ctxrepo conflicts show {kept}` has the other one")
