"""What is left of a session at its moments: a handoff before a compaction, anchors at its ends."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.tape.anchor import Anchor, to_line
from ctxrepo.domain.tape.handoff import Handoff
from ctxrepo.services.locate.find import find_project
from ctxrepo.services.reading.anchors import BY_ITSELF
from ctxrepo.services.tape.draft_handoff import Sitting
from ctxrepo.services.tape.handoff import HandoverRequest, hand_over, prepare
from ctxrepo.storage.disk.private import opened
from ctxrepo.storage.disk.random_names import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compactions import Compactions
from ctxrepo.storage.state.spool import SpoolEvent

_SESSION_ANCHORS_BYTES = 256 * 1024


def leave_session_anchor(memory: Memory, event: SpoolEvent, now: datetime) -> None:
    """Write the anchor that this event calls for, on this machine only. A compaction is only queued: its
    handoff reads the session's folder, which may hang, and this runs under the write lock."""
    if event.event == "compact" and "handoff" in memory.settings.hooks.pre_compact:
        Compactions(memory.state.compactions).leave(event)
    elif event.event in ("start", "end") and event.source != "compact":  # after which the session goes on
        _leave_here(memory, event, now)


def hand_over_compaction(memory: Memory, event: SpoolEvent, env: Mapping[str, str], now: datetime) -> None:
    """Leave on the tape what is known of a session before its conversation is shortened, if that is
    anything."""
    now = now.astimezone()  # whose day it is decides which log is today's
    sitting = Sitting(event.agent, event.session, event.cwd, event.transcript)
    project = find_project(memory, Path(event.cwd), env) if event.cwd else None
    handoff = prepare(memory, Handoff(), sitting, project, now)
    origin = Origin(memory.host, event.session, event.agent)
    left = HandoverRequest(handoff, "handoff/compaction", trigger=BY_ITSELF)
    hand_over(memory, left, project, origin, now)


def _leave_here(memory: Memory, event: SpoolEvent, now: datetime) -> None:
    kind = {"resume": "resume", "fork": "fork"}.get(event.source, "new")
    anchor_id = random_name()
    made = Anchor(
        id=anchor_id,
        timestamp=stamp(now),
        name="session/end" if event.event == "end" else f"session/{kind}",
        type="session",
        session_id=event.session or "unknown",
        session_entry_id=anchor_id,
        host=memory.host,
    )
    path = memory.state.anchors
    if path.exists() and path.stat().st_size > _SESSION_ANCHORS_BYTES:
        path.replace(path.with_suffix(".old"))
    with opened(path, "ab") as file:
        file.write((to_line(made) + "\n").encode())
