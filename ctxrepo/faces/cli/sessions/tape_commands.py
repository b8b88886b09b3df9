"""Commands about the tape: tape info, list, search, read, delete, reset, tree, digest."""

from functools import partial
from typing import Annotated

from ctxrepo.app.sessions import tape_operations
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli.answer import answer, answer_with_past
from ctxrepo.faces.cli.options import LIMIT, OWN, SCOPE, Group, command, option
from ctxrepo.faces.cli.sessions import past_text
from ctxrepo.services.anchors.tape_requests import (
    DeleteAnchors,
    DigestRequest,
    ListAnchors,
    ReadTape,
    TapeRequest,
    TapeSearch,
)

tape = Group("tape", "Find anchors that sessions left, and what was said between them.", "info")

_TAPE = {"session": "--session ID", "scope": SCOPE}
_RANGE = {"after": "--after A", "until": "--until A"}
_PART = {**_RANGE, "is_last": "--last", "start": "--from D", "end": "--to D"}
"""How the fields of a TapeRequest, an AnchorRange and a TapePart are spelled."""

_TYPES = "--type T"
_IN = "--in WHERE"
_CONTEXT = "--context N"


@command(**_TAPE)
def info(request: TapeRequest, json: bool = False) -> None:
    """Say how the tape stands, and how many messages came since the session's last anchor."""
    answer(tape_operations.tape_info, request, json, past_text.info_text)


@command(limit=LIMIT, context=_CONTEXT, type=_TYPES, **_TAPE)
def list_anchors(request: ListAnchors, json: bool = False) -> None:
    """List the anchors of the project, or with --session those of one session, the newest last."""
    text = partial(past_text.list_text, request=request)
    answer_with_past(tape_operations.list_tape, request, json, text)


@command(
    query="QUERY...",
    where=_IN,
    types=_TYPES,
    limit=LIMIT,
    context=_CONTEXT,
    **_PART,
    name="--name N",
    anchor_type="--anchor-type T",
    summary="--summary S",
    purpose="--purpose P",
    keywords="--keyword K",
    **_TAPE,
)
def search(request: TapeSearch, json: bool = False) -> None:
    """Search anchors and messages of the session, and where it has none, those of the project."""
    answer_with_past(tape_operations.search_tape, request, json, past_text.search_text)


@command(
    **_PART,
    around="--around A",
    text="--scan TEXT",
    types=_TYPES,
    limit=LIMIT,
    chars="--chars N",
    where=_IN,
    **_TAPE,
)
def read(request: ReadTape, json: bool = False) -> None:
    """Read what was said, the newest last."""
    text = partial(past_text.read_text, is_whole=request.chars == 0)
    answer_with_past(tape_operations.read_tape, request, json, text)


@command(ids="ID", scope=SCOPE)
def delete(request: DeleteAnchors, json: bool = False) -> None:
    """Delete anchors, on every machine."""
    answer(tape_operations.delete_from_tape, request, json, past_text.deletion_text)


@command(session=OWN, scope=SCOPE)
def reset(
    request: TapeRequest,
    session: Annotated[str | None, option("--session", metavar="ID")] = None,
    json: bool = False,
) -> None:
    """Start a new tape: move all anchors of the project to its archive, which no session reads."""
    if session is not None and not session.strip():  # an empty variable would reset all
        raise UsageError("--session names no session", "Without --session the whole tape is reset.")
    request = TapeRequest(session or "", request.scope)
    answer(tape_operations.reset_tape, request, json, past_text.reset_text)


@command(**_TAPE)
def tree(request: TapeRequest, json: bool = False) -> None:
    """Draw a session as a tree: a line for each message, its branches, and its anchors."""
    answer_with_past(tape_operations.tape_tree, request, json, past_text.tree_text)


@command(days="--days N", handoffs="--handoffs N", **_RANGE, scope=SCOPE)
def digest(request: DigestRequest, json: bool = False) -> None:
    """Gather a part of past work, and what memory says of it already."""
    answer_with_past(tape_operations.digest_work, request, json, past_text.digest_text)


for _function in (info, list_anchors, search, read, delete, reset, tree, digest):
    tape.command(_function.__name__.removesuffix("_anchors"))(_function)
