"""The anchors of sessions, and which of them comes before a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxrepo.domain.formats.jsonl import text_of
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder
from ctxrepo.domain.tape.anchor import Anchor, anchors_of
from ctxrepo.services.sessions.said import seconds_of
from ctxrepo.storage.disk.recent import lines_of
from ctxrepo.storage.memory import Memory

Points = Mapping[str, Sequence[tuple[str, Anchor]]]
"""session -> (folder of the tape, anchor), oldest first"""


def points_of(memory: Memory, sessions: frozenset[str]) -> Points:
    """The anchors that these sessions left, on the tapes and on this machine only."""
    tapes = {path: memory.worktree.read(path) or b"" for path in memory.worktree.scan(TAPES).files}
    texts = [(tape_folder(path), decode(data)) for path, data in tapes.items()]
    kept = memory.state.anchors
    texts += [("", "\n".join(lines_of(path)[0])) for path in (kept.with_suffix(".old"), kept)]
    found: dict[str, list[tuple[str, Anchor]]] = {}
    for folder, text in texts:
        for anchor in anchors_of(text):
            if anchor.session_id in sessions:
                found.setdefault(anchor.session_id, []).append((folder, anchor))
    return {name: sorted(there, key=lambda one: one[1].timestamp) for name, there in found.items()}


def last_before(points: Points, session: str, at: int) -> dict[str, Any] | None:
    """The last anchor of a session that was left by the second `at`, as JSON; one that somebody left on
    purpose comes before one that a session's start or end left."""
    there = [one for one in points.get(session, ()) if seconds_of(one[1].timestamp) <= at]
    meant = [one for one in there if one[1].type == "handoff"]
    chosen = (meant or there)[-1:]
    return _fields(*chosen[0]) if chosen else None


def _fields(folder: str, anchor: Anchor) -> dict[str, Any]:
    keywords = anchor.meta.get("keywords")
    return {
        "id": anchor.id,
        "name": anchor.name,
        "type": anchor.type,
        "when": anchor.timestamp,
        "agent": text_of(anchor.meta, "agent"),
        "session": anchor.session_id,
        "entry": anchor.session_entry_id,
        "host": anchor.host,
        "project": folder,
        "trigger": text_of(anchor.meta, "trigger"),
        "keywords": [word for word in keywords if isinstance(word, str)]
        if isinstance(keywords, list)
        else [],
        "summary": anchor.summary,
        "purpose": text_of(anchor.meta, "purpose"),
    }
