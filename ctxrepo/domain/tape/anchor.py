"""An anchor: a named point in a session, one JSON line on a tape.

The first seven keys and their order are those of an anchors file (`layout.anchors_file`), which we read too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from ctxrepo.domain.formats.jsonl import records, render, render_compactly, text_of
from ctxrepo.lazy import dataclass

VERSION = 1

_IS_SHARED = "pi"
"""The key of a line that says so, on tapes that exist; named after the agent of the program that reads it."""

Type = Literal["session", "handoff"]


@dataclass(frozen=True)
class Anchor:
    """`timestamp` is ISO 8601 with milliseconds in UTC; `meta` may hold summary, purpose, keywords,
    trigger and, for a handoff, what the next session needs. `session_entry_id` is the last message of the
    session's transcript when the anchor was left, or the anchor's own id where that isn't known."""

    id: str
    timestamp: str
    name: str
    type: Type
    session_id: str
    session_entry_id: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    host: str = ""
    is_shared: bool = False
    """Whether it was put into the project's anchors file too: if it isn't there, it was deleted there."""
    agent: str = ""
    project: str = ""
    """The scope's folder, on a line that stands in no folder of the scope's own; else ''."""

    @property
    def summary(self) -> str:
        return text_of(self.meta, "summary")

    @property
    def purpose(self) -> str:
        return text_of(self.meta, "purpose")

    @property
    def trigger(self) -> str:
        """What it was left for: `direct`, `keyword`, `manual` or `compaction`; '' where nothing says so."""
        return text_of(self.meta, "trigger")

    @property
    def keywords(self) -> tuple[str, ...]:
        said = self.meta.get("keywords")
        return tuple(word for word in said if isinstance(word, str)) if isinstance(said, list) else ()

    @property
    def entry(self) -> str:
        """The message at which it was left, '' where that isn't known."""
        return "" if self.session_entry_id == self.id else self.session_entry_id


def says_the_same(one: Anchor, other: Anchor) -> bool:
    """Whether nothing tells two anchors apart but their ids and moments."""
    return _said(one) == _said(other)


def _said(anchor: Anchor) -> tuple[object, ...]:
    said = (anchor.type, anchor.name, anchor.summary, anchor.purpose, anchor.keywords)
    return (*said, anchor.session_id, anchor.entry, anchor.meta.get("handoff"))


def to_line(anchor: Anchor) -> str:
    """The anchor as one line of our own tapes, without a newline."""
    own = {"v": VERSION, "host": anchor.host, "agent": anchor.agent, "project": anchor.project}
    return render(_fields(anchor) | {key: value for key, value in own.items() if value or key == "host"})


def shared_line(fields: Mapping[str, Any]) -> str:
    """The line of an anchor of ours, once it stands in the project's anchors file as well."""
    return render({**fields, _IS_SHARED: True})


def to_anchors_file_line(anchor: Anchor) -> str:
    """The anchor as one line of the project's anchors file, as the program writes it that keeps that file,
    without a newline."""
    return render_compactly(_fields(anchor))


def _fields(anchor: Anchor) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": anchor.id,
        "timestamp": anchor.timestamp,
        "name": anchor.name,
        "type": anchor.type,
    }
    if anchor.meta:
        fields["meta"] = dict(anchor.meta)
    return fields | {"sessionId": anchor.session_id, "sessionEntryId": anchor.session_entry_id}


def anchors_of(text: str) -> list[Anchor]:
    """The anchors of a tape, oldest first; lines that are none are passed over."""
    found = [a for a in map(anchor_of, records(text)) if a is not None]
    return sorted(found, key=lambda a: (a.timestamp, a.id))


def anchor_of(fields: Mapping[str, Any]) -> Anchor | None:
    """The anchor that a line's object is; None when it is none."""
    name, timestamp = text_of(fields, "name"), text_of(fields, "timestamp")
    kind = text_of(fields, "type") or text_of(fields, "kind")
    session, entry = text_of(fields, "sessionId"), text_of(fields, "sessionEntryId")
    if not (name and timestamp and session and entry):
        return None
    meta = fields.get("meta")
    known: Type
    if kind == "session":
        known = "session"
    elif kind == "handoff":
        known = "handoff"
    else:
        return None
    return Anchor(
        id=text_of(fields, "id") or f"{entry}:{timestamp}:{name}",
        timestamp=timestamp,
        name=name,
        type=known,
        session_id=session,
        session_entry_id=entry,
        meta=meta if isinstance(meta, dict) else {},
        host=text_of(fields, "host"),
        is_shared=fields.get(_IS_SHARED) is True,
        agent=text_of(fields, "agent"),
        project=text_of(fields, "project"),
    )
