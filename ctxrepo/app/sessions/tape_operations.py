"""Operations on a tape: list, search and remove anchors, read what was said, and digest past work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ctxrepo.app.result import Result, reads
from ctxrepo.app.sessions.past_search import anchor_fields, message_fields, search_index
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.tape.anchors import Anchor
    from ctxrepo.domain.tape.session_messages import TreeLine
    from ctxrepo.services.anchors.remove_anchors import Reset
    from ctxrepo.services.anchors.tape_lookup import AnchorShown, TapeHits, TapeInfo, TapeReading
    from ctxrepo.services.anchors.tape_requests import (
        DeleteAnchors,
        DigestRequest,
        ListAnchors,
        ReadTape,
        TapeRequest,
        TapeSearch,
    )
    from ctxrepo.services.anchors.tape_view import TapeView
    from ctxrepo.services.anchors.work_digest import Digest

Value = TypeVar("Value")


@dataclass(frozen=True)
class OnTape(Generic[Value]):
    """The value of an operation, and the tape: the folder of its scope, and the agent and session."""

    value: Value
    folder: str
    agent: str
    session: str
    resume: str = ""
    """The command that resumes the session of the last message that was read."""
    no_resume: str = ""
    """Why there is none, if its agent can resume other sessions."""


@dataclass(frozen=True)
class TapeReset:
    """What was reset, and the folder of its scope."""

    reset: Reset
    folder: str


def tape_info(desk: Desk, request: TapeRequest) -> Result[OnTape[TapeInfo]]:
    """Say how a tape stands, and how far the session is past its last anchor."""
    from ctxrepo.services.anchors.tape_lookup import info
    from ctxrepo.services.sessions.session_settings import tape_settings

    view = _view(desk, request)
    tape = info(view)
    on_tape = _on_tape(desk, view, tape)
    is_manual = tape_settings(desk.memory, view.agent).mode == "manual"
    advice = "" if is_manual else tape.advice  # an agent may leave none by itself
    if advice:
        desk.notice(advice)
    anchors, handoffs = len(tape.anchors.anchors), len(tape.anchors.handoffs.anchors)
    folder = view.place.folder
    data = {
        "project": folder,
        "agent": view.agent,
        "session": view.session,
        "entries": tape.messages,
        "anchors": {"all": anchors, "handoff": handoffs, "session": anchors - handoffs},
        "last": anchor_fields(tape.last.anchor, folder) if tape.last else None,
        "since": tape.since,
        "advice": advice,
    }
    return Result(on_tape, data)


def list_tape(desk: Desk, request: ListAnchors) -> Result[OnTape[Sequence[AnchorShown]]]:
    """List the newest anchors, the newest last."""
    from ctxrepo.services.anchors.tape_lookup import list_anchors

    view = _view(desk, request)
    anchors = list_anchors(view, request)
    rows = [_fields(anchor, view.place.folder, request.context) for anchor in anchors]
    return Result(_on_tape(desk, view, anchors), {"anchors": rows})


def search_tape(desk: Desk, request: TapeSearch) -> Result[OnTape[TapeHits]]:
    """Find anchors and messages that fit."""
    from ctxrepo.services.anchors.tape_lookup import search

    request.require_valid()
    view = _view(desk, request)
    is_complete = True
    if "messages" in request.kinds:
        hits, is_complete = search_index(desk, lambda: search(view, request))
    else:
        hits = search(view, request)
    on_tape = _on_tape(desk, view, hits)
    if hits.widened and view.session:
        kinds = " and ".join(hits.widened)
        desk.notice(f"the session has no {kinds} that fit, so those of the whole project were searched")
    data = {
        "anchors": [_fields(anchor, view.place.folder, request.context) for anchor in hits.anchors],
        "entries": [*map(message_fields, hits.messages)],
        "scope": hits.scope,
        "complete": is_complete,
    }
    return Result(on_tape, data)


def read_tape(desk: Desk, request: ReadTape) -> Result[OnTape[TapeReading]]:
    """Read what was said in a part of the tape."""
    from ctxrepo.services.anchors.tape_lookup import read
    from ctxrepo.services.sessions.conversations import mask_anchor
    from ctxrepo.services.sessions.prompt_moments import Resumption, resumption

    view = _view(desk, request)
    reading = read(view, request)
    ends = {"after": reading.bounds.after, "until": reading.bounds.until}
    folder = view.place.folder
    bounds = {name: anchor_fields(mask_anchor(end), folder) if end else None for name, end in ends.items()}
    resume = Resumption()
    if reading.messages:
        last = reading.messages[-1]
        resume = resumption(desk.memory, last.agent, last.session or view.session)
    data = {"entries": [*map(message_fields, reading.messages)], **bounds, "resume": resume.command or None}
    on_tape = _on_tape(desk, view, reading)
    return Result(replace(on_tape, resume=resume.command, no_resume=resume.obstacle), data)


def tape_tree(desk: Desk, request: TapeRequest) -> Result[OnTape[Sequence[TreeLine]]]:
    """Draw a session's branches, with its anchors."""
    from ctxrepo.services.anchors.tape_lookup import draw

    view = _view(desk, request)
    lines = draw(view)
    folder = view.place.folder
    nodes = [
        message_fields(line.message)
        | {"parent": line.parent, "anchors": [anchor_fields(anchor, folder) for anchor in line.anchors]}
        for line in lines
    ]
    return Result(_on_tape(desk, view, lines), {"agent": view.agent, "session": view.session, "nodes": nodes})


@reads
def digest_work(desk: Desk, request: DigestRequest) -> Result[OnTape[Digest]]:
    """Gather what was asked and answered in a part of past work, and what memory already says about it."""
    from ctxrepo.services.anchors.work_digest import digest
    from ctxrepo.services.reading.find import search_order

    view = _view(desk, request)
    work = digest(view, request, search_order(desk.memory, desk.project), desk.now.astimezone())
    folder = view.place.folder
    data = {
        "stretch": work.why,
        "anchors": [anchor_fields(each.anchor, folder) for each in work.anchors],
        "turns": [
            {
                "asked": message_fields(turn.asked),
                "answered": message_fields(turn.answered) if turn.answered else None,
            }
            for turn in work.turns
        ],
        "left": work.left,
        "known": [asdict(entry) for entry in work.known],
    }
    return Result(_on_tape(desk, view, work), data)


def delete_from_tape(desk: Desk, request: DeleteAnchors) -> Result[Sequence[Anchor]]:
    """Take the anchors with these ids off the tape."""
    from ctxrepo.services.anchors.remove_anchors import delete_anchors
    from ctxrepo.services.reading.find import scope_named

    desk.commit_pending()  # so that `undo` takes this back first, even if it changes no commit
    folder = scope_named(desk.memory, request.scope, desk.project).folder
    deleted = delete_anchors(desk.memory, folder, request.ids, desk.origin, desk.now)
    desk.wake()
    return Result(deleted, {"deleted": [anchor_fields(anchor, folder) for anchor in deleted]})


def reset_tape(desk: Desk, request: TapeRequest) -> Result[TapeReset]:
    """Move the anchors of a scope, or of one session, to the archive."""
    from ctxrepo.services.anchors.remove_anchors import reset_tape
    from ctxrepo.services.anchors.session_anchors import leave_reset

    view = _view(desk, request)
    session = view.session if request.session else ""
    reset = reset_tape(desk.memory, view.place.folder, session, desk.origin, desk.now)
    anchor = leave_reset(desk.memory, view.place, desk.cwd, desk.origin, desk.now)
    desk.wake()
    if reset.of_here:
        desk.notice(
            f"{reset.aside} has what stood on this machine only: `ctxrepo undo` doesn't bring that back"
        )
    folder = view.place.folder
    data = {
        "archived": reset.archived,
        "paths": list(reset.paths),
        "anchor": anchor_fields(anchor, folder) if anchor else None,
    }
    return Result(TapeReset(reset, folder), data)


def _fields(shown: AnchorShown, folder: str, context: int) -> dict[str, Any]:
    """An anchor, with the messages before and after it if `context` asks for any."""
    sides = {"before": shown.before, "after": shown.after} if context else {}
    messages = {name: [*map(message_fields, side)] for name, side in sides.items()}
    return anchor_fields(shown.anchor, folder) | messages


def _view(desk: Desk, request: TapeRequest) -> TapeView:
    from ctxrepo.services.anchors.tape_view import view_of

    return view_of(desk.memory, request.scope, request.session, desk.project, desk.session)


def _on_tape(desk: Desk, view: TapeView, value: Value) -> OnTape[Value]:
    """The value of an operation on a view, with a notice of what is missing in it."""
    desk.notice(*view.notices())
    return OnTape(value, view.place.folder, view.agent, view.session)
