"""What is left of a session at its moments: a handoff before a compaction, anchors that say what happened."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.domain.tape.handoff_parts import Handoff
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor, session_named, write
from ctxrepo.services.anchors.session_handoff import WorkingSession, prepare
from ctxrepo.services.locate.look import find_location, find_project
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.services.reading.tape_files import BY_ITSELF
from ctxrepo.services.sessions.conversations import last_entry, transcript_of
from ctxrepo.services.settings.session_settings import leaves_alone, tape_settings
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.spool import Compactions, SpoolEvent

_KINDS = {"resume": "resume", "reload": "resume", "fork": "fork", "clear": "clear"}
"""What a start is by its source; any other is a new session's, unless something was said in it before."""


def queue_handoff(memory: Memory, event: SpoolEvent) -> None:
    """Queue a handoff before a compaction: to make it reads the session's folder, which may hang, and this
    runs under the write lock."""
    if event.event == "compact" and "handoff" in memory.settings.hooks.pre_compact:
        Compactions(memory.state.compactions).leave(event)


def hand_over_compaction(memory: Memory, event: SpoolEvent, env: Mapping[str, str], now: datetime) -> None:
    """Leave on the tape what is known of a session before its conversation is shortened, if anything."""
    now = now.astimezone()  # whose day it is decides which log is today's
    working = WorkingSession(event.agent, event.session, event.cwd, event.transcript)
    project = find_project(memory, Path(event.cwd), env) if event.cwd else None
    handoff = prepare(memory, Handoff(), working, project, now)
    if not handoff.says_something:
        return
    origin = Origin(memory.host, event.session, event.agent)
    entry = last_entry(memory, event.agent, event.session, event.transcript)
    request = AnchorRequest("handoff/compaction", trigger=BY_ITSELF, handoff=handoff, entry=entry)
    anchor(memory, request, project, origin, now)


def leave_event_anchor(memory: Memory, event: SpoolEvent, env: Mapping[str, str], now: datetime) -> None:
    """Leave the anchor that an event calls for. No lock is held, for the session's folder may hang."""
    kind = _kind(event)
    if not kind or not event.session:
        return
    here = find_location(memory, Path(event.cwd), {**env, "CTXREPO_PROJECT": ""}) if event.cwd else None
    settings = tape_settings(memory, event.agent)
    if here and (here.is_withheld or here.unknown):
        return
    project = here.project if here else None
    if leaves_alone(settings, event.cwd, project):
        return
    place = scope_named(memory, "", project)
    transcript = event.transcript or transcript_of(event.agent, event.session, memory.places.user_home, env)
    at = min(now, datetime.fromtimestamp(event.at, UTC) if event.at > 0 else now)
    entry = last_entry(memory, event.agent, event.session, transcript, at)
    if kind == "new" and entry:  # something was said in it before
        kind = "resume"
    leave_moment(memory, place, kind, Origin(memory.host, event.session, event.agent), at, entry)


def leave_reset(memory: Memory, place: NamedScope, cwd: Path, origin: Origin, now: datetime) -> Anchor | None:
    """Say on a tape that it was reset; None where nothing is kept of this agent's sessions."""
    if leaves_alone(tape_settings(memory, origin.agent), str(cwd), place.project):
        return None
    return leave_moment(memory, place, "reset", origin, now)


def leave_moment(
    memory: Memory, place: NamedScope, kind: str, origin: Origin, at: datetime, entry: str = ""
) -> Anchor:
    """Write down what happened to a session (`kind`: new, resume, fork, clear, compact, end or reset): here,
    or where `tape.sync` is `all` on the shared tape."""
    anchor_id = random_name()
    made = Anchor(
        id=anchor_id,
        timestamp=stamp(at),
        name=f"session/{kind}",
        type="session",
        session_id=session_named(origin.session),
        session_entry_id=entry or anchor_id,
        host=memory.host,
        agent=origin.agent,
    )
    if tape_settings(memory, origin.agent).sync == "all":
        project = place.project.id if place.project else ""
        write(memory, made, place, Origin(memory.host, origin.session, origin.agent, project), at)
    else:
        made = replace(made, project=place.folder)
        LocalTape(memory.state).note(made)
    return made


def _kind(event: SpoolEvent) -> str:
    if event.event in ("compact", "end"):
        return event.event
    if event.event != "start" or event.source == "compact":  # after which the session goes on
        return ""
    return _KINDS.get(event.source, "new")
