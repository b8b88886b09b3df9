"""The tape of a scope: looked through, searched and read, and anchors taken off it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from ctxrepo.app.result import Result
from ctxrepo.app.sessions.anchor_fields import anchor_fields, message_fields, shown_fields
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.tape.anchor import Anchor
    from ctxrepo.domain.tape.tree import TreeLine
    from ctxrepo.services.anchors.take_off import Reset
    from ctxrepo.services.tape.look import AnchorShown, ReadTape, TapeHits, TapeInfo, TapeReading, TapeSearch
    from ctxrepo.services.tape.view import TapeView

Wanted = TypeVar("Wanted")
Value = TypeVar("Value")


@dataclass(frozen=True)
class TapeRequest(Generic[Wanted]):
    """What is `wanted` of the tape of a scope, '' the project's; `session` is the beginning of an id, '' the
    session that the operation is performed in, or the newest one here."""

    wanted: Wanted
    scope: str = ""
    session: str = ""


@dataclass(frozen=True)
class ListWanted:
    """The newest anchors of one type ('' any), each with so many messages before and after it."""

    type: Literal["", "handoff", "session"] = ""
    limit: int = 20
    context: int = 1


@dataclass(frozen=True)
class OnTape(Generic[Value]):
    """What was found, and on whose tape: the folder of a scope, and the agent and session that is meant."""

    found: Value
    folder: str
    agent: str
    session: str


@dataclass(frozen=True)
class ResetDone:
    """What became of a tape, and the anchor that says so."""

    reset: Reset
    anchor: Anchor | None
    folder: str


def tape_info(desk: Desk, request: TapeRequest[None]) -> Result[OnTape[TapeInfo]]:
    """Say how a tape stands, and how far the session is past its last anchor."""
    from ctxrepo.services.settings.session_settings import tape_settings
    from ctxrepo.services.tape.look import info

    view = view_tape(desk, request)
    found = info(view)
    notice_missing(desk, view)
    is_manual = tape_settings(desk.memory, view.agent).mode == "manual"
    advice = "" if is_manual else found.advice  # an agent may leave none by itself
    if advice:
        desk.notice(advice)
    counts = {
        "all": len(found.anchors.anchors),
        "handoff": len(found.anchors.handoffs.anchors),
        "session": len(found.anchors.anchors) - len(found.anchors.handoffs.anchors),
    }
    folder = view.place.folder
    data = {
        "project": folder,
        "agent": view.agent,
        "session": view.session,
        "entries": found.messages,
        "anchors": counts,
        "last": anchor_fields(found.last.anchor, folder) if found.last else None,
        "since": found.since,
        "advice": advice,
    }
    return Result(on_tape(view, found), data)


def list_tape(desk: Desk, request: TapeRequest[ListWanted]) -> Result[OnTape[Sequence[AnchorShown]]]:
    """List the newest anchors, the newest last."""
    from ctxrepo.services.tape.look import list_anchors

    wanted = request.wanted
    view = view_tape(desk, request)
    is_only_own = bool(request.session)
    found = list_anchors(view, wanted.type, wanted.limit, wanted.context, is_only_own=is_only_own)
    notice_missing(desk, view)
    rows = [shown_fields(one, view.place.folder, with_context=wanted.context > 0) for one in found]
    return Result(on_tape(view, found), {"anchors": rows})


def search_tape(desk: Desk, request: TapeRequest[TapeSearch]) -> Result[OnTape[TapeHits]]:
    """Find anchors and messages that fit."""
    from ctxrepo.app.sessions.search import search_index
    from ctxrepo.services.tape.look import search

    view = view_tape(desk, request)
    wanted = request.wanted
    is_complete = True
    if "messages" in wanted.kinds:
        found, is_complete = search_index(desk, lambda: search(view, wanted))
    else:
        found = search(view, wanted)
    notice_missing(desk, view)
    if found.scope == "project" and view.session and wanted.where != "project":
        desk.notice("the session has nothing of one kind that fits, so the whole project was searched")
    is_in_context = wanted.context > 0
    data = {
        "anchors": [shown_fields(a, view.place.folder, with_context=is_in_context) for a in found.anchors],
        "entries": [*map(message_fields, found.messages)],
        "scope": found.scope,
        "complete": is_complete,
    }
    return Result(on_tape(view, found), data)


def read_tape(desk: Desk, request: TapeRequest[ReadTape]) -> Result[OnTape[TapeReading]]:
    """Read what was said."""
    from ctxrepo.services.sessions.points import masked
    from ctxrepo.services.tape.look import read

    view = view_tape(desk, request)
    found = read(view, request.wanted)
    notice_missing(desk, view)
    ends = {"after": found.stretch.after, "until": found.stretch.until}
    folder = view.place.folder
    bounds = {name: anchor_fields(masked(end), folder) if end else None for name, end in ends.items()}
    return Result(on_tape(view, found), {"entries": [*map(message_fields, found.messages)], **bounds})


def tape_tree(desk: Desk, request: TapeRequest[None]) -> Result[OnTape[Sequence[TreeLine]]]:
    """Draw a session's branches, with its anchors."""
    from ctxrepo.services.tape.draw import draw

    view = view_tape(desk, request)
    found = draw(view)
    notice_missing(desk, view)
    folder = view.place.folder
    nodes = [
        message_fields(line.message)
        | {"parent": line.parent, "anchors": [anchor_fields(anchor, folder) for anchor in line.anchors]}
        for line in found
    ]
    return Result(on_tape(view, found), {"agent": view.agent, "session": view.session, "nodes": nodes})


def delete_from_tape(desk: Desk, request: TapeRequest[tuple[str, ...]]) -> Result[Sequence[Anchor]]:
    """Take the anchors with these ids off the tape."""
    from ctxrepo.services.anchors.take_off import delete_anchors
    from ctxrepo.services.reading.find import scope_named

    folder = scope_named(desk.memory, request.scope, desk.project).folder
    gone = delete_anchors(desk.memory, folder, request.wanted, desk.origin, desk.now)
    desk.wake()
    if any(anchor.project for anchor in gone):
        desk.notice("what stood on this machine only can't be brought back")
    return Result(gone, {"deleted": [anchor_fields(anchor, folder) for anchor in gone]})


def reset_tape(desk: Desk, request: TapeRequest[None]) -> Result[ResetDone]:
    """Move the anchors of a scope, or of one session, to the archive."""
    from ctxrepo.services.anchors.session_anchors import leave_reset
    from ctxrepo.services.anchors.take_off import reset_tape

    view = view_tape(desk, request)
    session = view.session if request.session else ""
    done = reset_tape(desk.memory, view.place.folder, session, desk.origin, desk.now)
    left = leave_reset(desk.memory, view.place, desk.cwd, desk.origin, desk.now)
    desk.wake()
    if done.of_here:
        desk.notice(
            f"{done.aside} has what stood on this machine only: `ctxrepo undo` doesn't bring that back"
        )
    folder = view.place.folder
    data = {
        "archived": done.archived,
        "paths": list(done.paths),
        "anchor": anchor_fields(left, folder) if left else None,
    }
    return Result(ResetDone(done, left, folder), data)


def view_tape(desk: Desk, request: TapeRequest[Wanted]) -> TapeView:
    from ctxrepo.services.delivery.sessions import Caller
    from ctxrepo.services.tape.view import view_of

    here = Caller(desk.cwd, desk.env, desk.session)
    return view_of(desk.memory, request.scope, request.session, desk.project, here)


def notice_missing(desk: Desk, view: TapeView) -> None:
    for line in view.notices():
        desk.notice(line)


def on_tape(view: TapeView, found: Value) -> OnTape[Value]:
    return OnTape(found, view.place.folder, view.agent, view.session)
