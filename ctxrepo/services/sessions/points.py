"""The anchors of sessions, and which of them comes before a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.tape.anchor import Anchor, anchors_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.tape.local_tape import LocalTape

Points = Mapping[str, Sequence[Anchor]]
"""session -> its anchors, oldest first, each with the folder of its scope as its project."""


def points_of(memory: Memory, sessions: frozenset[str]) -> Points:
    """The anchors that these sessions left, on the tapes and on this machine only."""
    found: dict[str, list[Anchor]] = {}
    for path in memory.worktree.scan(TAPES).files:
        for anchor in anchors_of(decode(memory.worktree.read(path) or b"")):
            if anchor.session_id in sessions:
                there = found.setdefault(anchor.session_id, [])
                there.append(replace(anchor, project=tape_folder(path)))
    for anchor in LocalTape(memory.state).all_anchors():
        if anchor.session_id in sessions:
            found.setdefault(anchor.session_id, []).append(anchor)
    return {name: sorted(there, key=lambda one: one.timestamp) for name, there in found.items()}


def last_before(points: Points, session: str, at: int) -> Anchor | None:
    """The last anchor of a session that was left by the second `at`, without secrets; one that somebody left
    on purpose comes before one that a session's start or end left."""
    there = [one for one in points.get(session, ()) if int(seconds_of(one.timestamp) or 0) <= at]
    meant = [one for one in there if one.type == "handoff"]
    chosen = (meant or there)[-1:]
    return masked(chosen[0]) if chosen else None


def masked(anchor: Anchor) -> Anchor:
    """An anchor without secrets: another program's may hold some."""
    meta = {key: mask(value) if isinstance(value, str) else value for key, value in anchor.meta.items()}
    if anchor.keywords:
        meta["keywords"] = [mask(word) for word in anchor.keywords]
    return replace(anchor, name=mask(anchor.name), meta=meta)
