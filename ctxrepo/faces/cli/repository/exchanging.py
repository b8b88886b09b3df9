"""Commands that connect the memory repository and exchange commits with the remote."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents.known import SETUP_STEP
from ctxrepo.app.repository import exchange
from ctxrepo.app.repository.exchange import ExchangeRequest, attention
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output, waiting
from ctxrepo.faces.cli.answer import answer, confirm, open_desk, perform, resumable, show
from ctxrepo.faces.cli.options import argument, command, json_option, option

if TYPE_CHECKING:
    from ctxrepo.app.repository.exchange import ExchangeOutcome, InitOutcome


@command(accept="--accept WHAT")
def sync(request: ExchangeRequest, json: bool = False) -> None:
    """Synchronise this machine with the remote."""
    for what in request.accept:
        if what not in ("deletions", "remote"):
            raise UsageError(f"--accept takes `deletions` or `remote`, not {what}")
    _exchange(request, json)


def pull(json: Annotated[bool, json_option()] = False) -> None:
    """Fetch and merge changes from the remote."""
    _exchange(ExchangeRequest(send=False), json)


def push(json: Annotated[bool, json_option()] = False) -> None:
    """Commit the changes made here and push them."""
    _exchange(ExchangeRequest(), json)


def _exchange(request: ExchangeRequest, json: bool) -> None:
    failing = "not sent" if request.send else "not received"

    def hints(outcome: ExchangeOutcome) -> Iterator[str]:
        return attention(outcome.synced, failing)

    answer(exchange.exchange, request, json, _exchanged, hints)


def _exchanged(outcome: ExchangeOutcome) -> str:
    result, current = outcome.synced, outcome.review
    if not outcome.has_remote:
        lead = "" if result.held else "all is committed; "
        return f"{lead}there is no remote: `ctxrepo init REMOTE` connects one"
    where = f"; {outcome.in_review} in review on {current.branch}" if current else ""
    commits = output.counted(result.sent, "commit")
    return f"received {result.received}, sent {commits}{where}" if result.remote.ok else ""


def init(
    remote: Annotated[str, argument(metavar="REMOTE")] = "",
    sparse: Annotated[bool, option("--sparse")] = False,
    yes: Annotated[bool, option("--yes", "-y")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Create the memory repository, or clone it from REMOTE."""
    from ctxrepo.services.repository.init import InitRequest

    def hints(outcome: InitOutcome) -> Iterator[str]:
        if outcome.is_unsparse:
            yield "--sparse is for a new clone; this one stays as it is"
        if not json and outcome.made.action != "unchanged":
            yield f"next: {SETUP_STEP}"
        if outcome.made.synced:
            yield from attention(outcome.made.synced)

    def agrees(code: str) -> bool:
        if yes or json or not sys.stdin.isatty():
            return yes
        waiting.over()
        return confirm(f"{code}. Is it to become one?")

    with resumable():
        result = perform(open_desk(), exchange.init, InitRequest(remote, sparse, agrees=agrees))
    show(result, json, _initialised, hints)


def _initialised(outcome: InitOutcome) -> str:
    words = {
        "created": "created a memory repository",
        "cloned": "cloned the memory repository",
        "connected": "connected the memory repository",
        "adopted": f"using the memory repository of {outcome.made.program}",
        "unchanged": "the memory repository is unchanged",
    }[outcome.made.action]
    return f"{words}: {outcome.made.root}{f' with {outcome.url}' if outcome.url else ''}"
