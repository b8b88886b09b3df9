"""What a session leaves for those to come: anchor, handoff."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.tape.handoff_parts import Handoff
    from ctxrepo.services.anchors.leave_anchor import AnchorRequest, AnchorResult
    from ctxrepo.storage.cache.layout import NewestHandoff


@dataclass(frozen=True)
class NewestHandoffRequest:
    """The newest handoff of one scope; with '' of the project."""

    scope: str = ""


@dataclass(frozen=True)
class AnchorWish:
    """What the user wants an anchor for, in their own words; `session` is the beginning of a session's id, ''
    the one that the operation is performed in or the newest in its project."""

    prompt: str
    session: str = ""


@dataclass(frozen=True)
class HandedOver:
    """What was left, and the anchor that says it."""

    handoff: Handoff
    anchored: AnchorResult


def anchor(desk: Desk, request: AnchorRequest) -> Result[AnchorResult]:
    """Leave an anchor: a point that the next session is shown."""
    made = _leave(desk, request)
    new = made.anchor
    shown = {"trigger": new.trigger, "session": new.session_id, "entry": new.entry, "project": made.folder}
    return Result(made, {**asdict(new), **shown, "path": made.path, "existing": made.existing})


def ask_for_anchor(desk: Desk, request: AnchorWish) -> Result[str]:
    """Note that the user of a session wants an anchor, and say what its agent is to be told."""
    from ctxrepo.services.anchors.leave_anchor import ask_for_anchor
    from ctxrepo.services.delivery.sessions import Caller, session_meant

    if not request.prompt.strip():
        raise UsageError("--from-prompt wants to know what the anchor is about", "Say it in a sentence.")
    here = Caller(desk.cwd, desk.env, desk.session)
    meant = session_meant(desk.memory, request.session, here, desk.now)
    instruction = ask_for_anchor(desk.memory, meant, request.prompt)
    return Result(instruction, {"instruction": instruction})


def draft_handoff(desk: Desk, request: AnchorRequest) -> Result[Handoff]:
    """Say what would be handed over: what is given, and what is gathered in place of the rest."""
    made = _prepared(desk, request)
    return Result(made, _fields(made))


def hand_over(desk: Desk, request: AnchorRequest) -> Result[HandedOver]:
    """Leave an anchor that tells the next session how to continue."""
    made = _prepared(desk, request)
    anchored = _leave(desk, replace(request, handoff=made))
    data = {**_fields(made), "id": anchored.anchor.id, "name": anchored.anchor.name, "path": anchored.path}
    return Result(HandedOver(made, anchored), data | {"existing": anchored.existing})


def read_handoff(desk: Desk, request: NewestHandoffRequest) -> Result[NewestHandoff]:
    """Read the newest handoff, as the next session is told it."""
    from ctxrepo.domain.tape.handoff_parts import handoff_of, meta_of
    from ctxrepo.services.reading.find import scope_named
    from ctxrepo.services.reading.tape_files import left_handoff, told_handoff

    desk.commit_pending()
    folder = scope_named(desk.memory, request.scope, desk.project).folder
    left = left_handoff(desk.memory, folder)
    told = told_handoff(desk.memory, desk.memory.head_tree, folder)
    data = {"name": told.name, "timestamp": told.ts, "text": told.text}
    return Result(told, {**data, "handoff": meta_of(handoff_of(left.meta))["handoff"]})


def _prepared(desk: Desk, request: AnchorRequest) -> Handoff:
    from ctxrepo.domain.tape.handoff_parts import Handoff
    from ctxrepo.services.anchors.session_anchors import WorkingSession, prepare
    from ctxrepo.services.sessions.conversations import transcript_of

    agent, session = desk.origin.agent, desk.origin.session
    transcript = transcript_of(agent, session, desk.places.user_home, desk.env)
    working = WorkingSession(agent, session, str(desk.cwd), transcript)
    now = desk.now.astimezone()  # whose day it is decides which log is today's
    return prepare(desk.memory, request.handoff or Handoff(), working, desk.project, now, request.scope)


def _leave(desk: Desk, request: AnchorRequest) -> AnchorResult:
    """Leave an anchor; UsageError for a handoff that says nothing."""
    from ctxrepo.services.anchors.leave_anchor import anchor, triggered
    from ctxrepo.services.sessions.session_settings import tape_settings

    request = replace(request, entry=_entry(desk, request))
    # What was written before an anchor that stays on this machine is committed: `undo` then meets that first.
    if tape_settings(desk.memory, desk.origin.agent).sync == "none":
        desk.commit_pending()
    with triggered(desk.memory, desk.origin, request.name) as trigger:
        if request.handoff and not request.handoff.says_something:
            raise UsageError("there is nothing to hand over", "Say it with --goal, --open or --next.")
        keywords = tuple(dict.fromkeys((*trigger.keywords, *request.keywords)))
        request = replace(request, trigger=trigger.name, keywords=keywords)
        left = anchor(desk.memory, request, desk.project, desk.origin, desk.now)
    desk.wake()
    if left.notice:
        desk.notice(left.notice)
    return left


def _entry(desk: Desk, request: AnchorRequest) -> str:
    """The message of the session's transcript at which something is left: the one that was named, or the
    last one by now. UsageError for one that is named where no session runs."""
    from ctxrepo.services.sessions.conversations import last_entry, transcript_of

    agent, session = desk.origin.agent, desk.origin.session
    if request.entry and not session:
        raise UsageError(
            "--entry names a message of the session that leaves the anchor, and none runs here",
            "Leave it out.",
        )
    if request.entry:
        return request.entry
    transcript = transcript_of(agent, session, desk.places.user_home, desk.env) if session else ""
    return last_entry(desk.memory, agent, session, transcript)


def _fields(made: Handoff) -> dict[str, Any]:
    from ctxrepo.domain.tape.handoff_parts import meta_of, told

    return {"handoff": meta_of(made)["handoff"], "text": told(made)}
