"""What a session leaves for later sessions: anchors and handoffs."""

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
    """Which newest handoff is read: that of this scope, '' for the project's."""

    scope: str = ""


@dataclass(frozen=True)
class AnchorWish:
    """The user's wish for an anchor, in their own words. `session` is the beginning of a session's id; '' is
    the session that performs the operation, or else the newest in its project."""

    prompt: str
    session: str = ""


@dataclass(frozen=True)
class HandedOver:
    """A handoff, and the anchor by which it was left."""

    handoff: Handoff
    result: AnchorResult


def anchor(desk: Desk, request: AnchorRequest) -> Result[AnchorResult]:
    """Leave an anchor: a point that the next session is shown."""
    result = _leave(desk, request)
    new = result.anchor
    more = {"trigger": new.trigger, "session": new.session_id, "entry": new.entry, "project": result.folder}
    return Result(result, {**asdict(new), **more, "path": result.path, "existing": result.existing})


def ask_for_anchor(desk: Desk, request: AnchorWish) -> Result[str]:
    """Note that the user of a session wants an anchor, and say what its agent is to be told."""
    from ctxrepo.services.anchors.leave_anchor import ask_for_anchor
    from ctxrepo.services.delivery.sessions import Caller, session_meant

    if not request.prompt.strip():
        raise UsageError("--from-prompt wants to know what the anchor is about", "Say it in a sentence.")
    caller = Caller(desk.cwd, desk.env, desk.session)
    ledger = session_meant(desk.memory, request.session, caller, desk.now)
    instruction = ask_for_anchor(desk.memory, ledger, request.prompt)
    return Result(instruction, {"instruction": instruction})


def draft_handoff(desk: Desk, request: AnchorRequest) -> Result[Handoff]:
    """Say what would be handed over: what the request has, completed by what the session did."""
    handoff = _complete_handoff(desk, request)
    return Result(handoff, _fields(handoff))


def hand_over(desk: Desk, request: AnchorRequest) -> Result[HandedOver]:
    """Leave an anchor that tells the next session how to continue."""
    handoff = _complete_handoff(desk, request)
    result = _leave(desk, replace(request, handoff=handoff))
    data = {**_fields(handoff), "id": result.anchor.id, "name": result.anchor.name, "path": result.path}
    return Result(HandedOver(handoff, result), data | {"existing": result.existing})


def read_handoff(desk: Desk, request: NewestHandoffRequest) -> Result[NewestHandoff]:
    """Read the newest handoff, as the next session is given it."""
    from ctxrepo.domain.tape.handoff_parts import handoff_of, meta_of
    from ctxrepo.services.reading.find import scope_named
    from ctxrepo.services.reading.tape_files import left_handoff, told_handoff

    desk.commit_pending()
    folder = scope_named(desk.memory, request.scope, desk.project).folder
    anchor = left_handoff(desk.memory, folder)
    handoff = told_handoff(desk.memory, desk.memory.head_tree, folder)
    data = {"name": handoff.name, "timestamp": handoff.ts, "text": handoff.text}
    return Result(handoff, {**data, "handoff": meta_of(handoff_of(anchor.meta))["handoff"]})


def _complete_handoff(desk: Desk, request: AnchorRequest) -> Handoff:
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
    # An anchor that stays on this machine isn't committed. Commit what was written before it, so that `undo`
    # takes that back first.
    if tape_settings(desk.memory, desk.origin.agent).sync == "none":
        desk.commit_pending()
    with triggered(desk.memory, desk.origin, request.name) as trigger:
        if request.handoff and not request.handoff.says_something:
            raise UsageError("there is nothing to hand over", "Say it with --goal, --open or --next.")
        keywords = tuple(dict.fromkeys((*trigger.keywords, *request.keywords)))
        request = replace(request, trigger=trigger.name, keywords=keywords)
        result = anchor(desk.memory, request, desk.project, desk.origin, desk.now)
    desk.wake()
    if result.notice:
        desk.notice(result.notice)
    return result


def _entry(desk: Desk, request: AnchorRequest) -> str:
    """The id of the message of the session's transcript at which an anchor is left: the one that is named, or
    the last one. UsageError for a name where no session runs."""
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


def _fields(handoff: Handoff) -> dict[str, Any]:
    from ctxrepo.domain.tape.handoff_parts import meta_of

    return {"handoff": meta_of(handoff)["handoff"], "text": handoff.text}
