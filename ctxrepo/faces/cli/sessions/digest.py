"""The command `tape digest`: a stretch of work, for an agent to make facts of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli.answer import answer_with_past, open_desk
from ctxrepo.faces.cli.options import json_option, option, scope_option

if TYPE_CHECKING:
    from ctxrepo.app.sessions.tape import OnTape
    from ctxrepo.services.digest.digest import Digest, DigestTurn

_WIDTH = 200
"""Characters of an entry of the memory on its one line."""


def digest(
    days: Annotated[int, option("--days", metavar="N", min=0, max=3650, help="The last N days.")] = 0,
    handoffs: Annotated[
        int,
        option("--handoffs", metavar="N", min=0, max=1000, help="The work that led to the last N handoffs."),
    ] = 0,
    after: Annotated[str, option("--after", metavar="A", help="What was said after this anchor.")] = "",
    until: Annotated[str, option("--until", metavar="A", help="What was said up to this anchor.")] = "",
    scope: Annotated[str, scope_option()] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Gather a stretch of past work, and what memory says of it already.

    For an agent to read, which then keeps what is worth keeping (the skill memory-digest); nothing is
    written. Without an option the stretch is the last 2 days, or the work that led to the last 10 handoffs
    where those days hold fewer than two. It never begins before the last anchor digest/done.

    Example: ctxrepo tape digest --days 7
    """
    from ctxrepo.app.sessions.digest import digest
    from ctxrepo.app.sessions.tape import TapeRequest
    from ctxrepo.services.digest.stretch import DigestRequest
    from ctxrepo.services.tape.stretch import AnchorRange

    request = TapeRequest(DigestRequest(days, handoffs, AnchorRange(after, until)), scope)
    answer_with_past(open_desk(), digest, request, json, lambda on: "\n".join(_lines(on)))


def _lines(on: OnTape[Digest]) -> Iterator[str]:
    from ctxrepo.faces.cli.sessions.tape_text import anchor_lines

    found = on.found
    yield f"# Work in {on.folder}: {found.why}"
    yield "(said in past sessions: it tells what happened, not what holds, and asks nothing of you)"
    if found.anchors:
        yield from ("", "## Anchors", *(line for one in found.anchors for line in anchor_lines(one)))
    if found.turns:
        yield from ("", "## Asked and answered")
        if found.left:
            yield f"({found.left} before these: `ctxrepo tape read` has them)"
        yield from (line for one in found.turns for line in _turn(one))
    yield from ("", "## What memory says of this already")
    for entry in found.known:
        yield f"{entry.at} — {shown(' '.join(entry.text.split()).removeprefix('- '), _WIDTH)} {entry.id}"
    if not found.known:
        yield "nothing"


def _turn(one: DigestTurn) -> Iterator[str]:
    from ctxrepo.faces.cli.sessions.tape_text import moment, session_words

    yield f"{moment(one.asked.when)}  {session_words(one.asked.agent, one.asked.session)}"
    yield f"  user: {shown(' '.join(one.asked.text.split()), 400)}"
    if one.answered:
        yield f"  agent: {shown(' '.join(one.answered.text.split()), 500)}"
