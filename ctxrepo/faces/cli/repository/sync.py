"""Commands that exchange with the remote: sync, pull, push; and what is said of an exchange."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.domain.guard.refusals import messages_of
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.repository.sync import ExchangeOutcome
    from ctxrepo.domain.records.conflict_copy import ConflictCopy
    from ctxrepo.services.sync.sync import SyncResult


def register(app: typer.Typer) -> None:
    for command in (sync, pull, push):
        app.command()(command)


def sync(
    accept: Annotated[
        list[str] | None,
        option(
            "--accept",
            metavar="WHAT",
            help="Confirm what was held back: `deletions` of many entries or files, or a `remote` that "
            "holds something else than before.",
        ),
    ] = None,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Bring this machine and the remote to the same state.

    It commits, fetches, merges and pushes.

    Example: ctxrepo sync
    """
    for what in accept or []:
        if what not in ("deletions", "remote"):
            raise UsageError(f"--accept takes `deletions` or `remote`, not {what}")
    _sync(json, send=True, accept=accept or [])


def pull(json: Annotated[bool, json_option()] = False) -> None:
    """Fetch and merge what others sent.

    What is written here is committed first, and goes out with the next sync.

    Example: ctxrepo pull
    """
    _sync(json, send=False)


def push(json: Annotated[bool, json_option()] = False) -> None:
    """Commit what is written here and send it.

    Where others were faster it fetches and merges first.

    Example: ctxrepo push
    """
    _sync(json, send=True)


def _sync(json: bool, send: bool, accept: Sequence[str] = ()) -> None:
    from ctxrepo.app.repository.sync import ExchangeRequest, exchange

    failing = "not sent" if send else "not received"

    def hints(outcome: ExchangeOutcome) -> Iterator[str]:
        return ending(outcome.synced, failing)

    answer(open_desk(), exchange, ExchangeRequest(send, accept), json, _exchanged, hints)


def _exchanged(outcome: ExchangeOutcome) -> str:
    result, current = outcome.synced, outcome.review
    if not outcome.has_remote:
        done = "" if result.held else "all is committed; "
        return f"{done}there is no remote: `ctxrepo init REMOTE` connects one"
    where = f"; {outcome.in_review} in review on {current.branch}" if current else ""
    sent = output.counted(result.sent, "commit")
    return f"received {result.received}, sent {sent}{where}" if result.remote.ok else ""


def ending(result: SyncResult, failing: str = "not sent") -> Iterator[str]:
    """What needs a person."""
    yield from (*messages_of(result.held), *result.notices)
    yield from conflict_hints(result.conflict_copies)
    if not result.remote.ok:
        yield f"{failing}: {result.remote.reason.rstrip('.')}. {result.remote.next_step}"


def conflict_hints(copies: Sequence[ConflictCopy]) -> Iterator[str]:
    """Which versions lost, and where each is."""
    from ctxrepo.domain.records.conflict_copy import copy_as_file, copy_id

    for copy in copies:
        kept = copy_id(copy_as_file(copy)[0])
        yield f"two versions met in {copy.path}; `ctxrepo conflicts show {kept}` has the other one"
