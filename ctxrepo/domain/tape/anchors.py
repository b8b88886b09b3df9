"""Anchors, which are named points in sessions, one JSON line each; and a tape, all anchors of one scope.

The first seven keys of a line, and their order, are those of the anchors file of another program
(`layout.anchors_file`), which is read too."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from math import inf
from posixpath import commonprefix
from typing import Any, Literal

from ctxrepo.domain.formats.jsonl import (
    TOMBSTONE,
    record,
    records,
    render,
    render_compactly,
    text_of,
    texts_in,
)
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.project.layout import anchors_file
from ctxrepo.domain.tape.handoff_parts import handoff_of
from ctxrepo.lazy import dataclass

VERSION = 1

_IS_SHARED = "pi"
"""The key by which a line says so. Tapes exist that have it; it is the name of an agent."""

_DAY = 86_400.0

Type = Literal["session", "handoff"]
_TYPES: Mapping[str, Type] = {"session": "session", "handoff": "handoff"}


@dataclass(frozen=True)
class Anchor:
    """`timestamp` is ISO 8601 with milliseconds in UTC. `meta` may have a summary, a purpose, keywords, a
    trigger, and of a handoff its parts. `session_entry_id` is the id of the last message of the session's
    transcript when the anchor was left, or the anchor's own id if that was unknown."""

    id: str
    timestamp: str
    name: str
    type: Type
    session_id: str
    session_entry_id: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    host: str = ""
    is_shared: bool = False
    """Whether it was also written into the project's anchors file. If that lacks it, it was deleted there."""
    agent: str = ""
    project: str = ""
    """The scope's folder, on a line in a file that several scopes share; else ''."""
    is_ahead: bool = False
    """Whether its timestamp is more than a day ahead of the clock of the machine that read it."""

    @property
    def moment(self) -> float:
        """When it was left, in Unix seconds; 0 if the timestamp is no time, or too far ahead."""
        return 0.0 if self.is_ahead else seconds_of(self.timestamp) or 0.0

    @property
    def summary(self) -> str:
        return text_of(self.meta, "summary")

    @property
    def purpose(self) -> str:
        return text_of(self.meta, "purpose")

    @property
    def trigger(self) -> str:
        """Why it was left: `direct`, `keyword`, `manual` or `compaction`; '' if unknown."""
        return text_of(self.meta, "trigger")

    @property
    def keywords(self) -> tuple[str, ...]:
        return tuple(texts_in(self.meta.get("keywords")))

    @property
    def entry(self) -> str:
        """The id of the message at which it was left, '' if unknown."""
        return "" if self.session_entry_id == self.id else self.session_entry_id


def says_the_same(anchor: Anchor, other: Anchor) -> bool:
    """Whether two anchors differ only in their ids and moments."""
    return _content(anchor) == _content(other)


def _content(anchor: Anchor) -> tuple[object, ...]:
    facts = (anchor.type, anchor.name, anchor.summary, anchor.purpose, anchor.keywords)
    return (*facts, anchor.session_id, anchor.entry, anchor.meta.get("handoff"))


def to_line(anchor: Anchor) -> str:
    """The anchor as one line of our own tapes, without a newline."""
    more = {"v": VERSION, "host": anchor.host, "agent": anchor.agent, "project": anchor.project}
    return render(_fields(anchor) | {key: value for key, value in more.items() if value or key == "host"})


def shared_line(fields: Mapping[str, Any]) -> str:
    """The line of an anchor of ours that was also written into the project's anchors file."""
    return render({**fields, _IS_SHARED: True})


def to_anchors_file_line(anchor: Anchor) -> str:
    """The anchor as a line of the project's anchors file, without a newline, as its program writes it."""
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


def anchors_of(text: str, now: float = inf) -> list[Anchor]:
    """The anchors of a tape file, the oldest first; other lines are ignored. `now` is in Unix seconds."""
    return [*in_order(filter(None, map(anchor_of, records(text))), now)]


def in_order(anchors: Iterable[Anchor], now: float) -> tuple[Anchor, ...]:
    """The oldest first; `now` is in Unix seconds. An anchor whose timestamp is no time or more than a day
    ahead comes first: otherwise it would stay the newest one for good."""
    marked = (replace(a, is_ahead=True) if a.moment > now + _DAY else a for a in anchors)
    return tuple(sorted(marked, key=lambda a: (a.moment, a.timestamp, a.id)))


def anchor_of(fields: Mapping[str, Any]) -> Anchor | None:
    """The anchor of a line's object, None if it is no anchor."""
    name, timestamp = text_of(fields, "name"), text_of(fields, "timestamp")
    anchor_type = _TYPES.get(text_of(fields, "type") or text_of(fields, "kind"))
    session, entry = text_of(fields, "sessionId"), text_of(fields, "sessionEntryId")
    if anchor_type is None or not (name and timestamp and session and entry):
        return None
    meta = fields.get("meta")
    return Anchor(
        id=text_of(fields, "id") or f"{entry}:{timestamp}:{name}",
        timestamp=timestamp,
        name=name,
        type=anchor_type,
        session_id=session,
        session_entry_id=entry,
        meta=meta if isinstance(meta, dict) else {},
        host=text_of(fields, "host"),
        is_shared=fields.get(_IS_SHARED) is True,
        agent=text_of(fields, "agent"),
        project=text_of(fields, "project"),
    )


GATHERED = "compaction"
"""The trigger of a handoff that no command asked for: it was gathered before a compaction."""

SHORT_ID = 8
"""Characters of an id by which an anchor is named, if no other id begins with them."""


@dataclass(frozen=True)
class AnchorFilter:
    """Conditions on anchors; '' and () are no condition. An anchor's name, summary and purpose must contain
    `name`, `summary` and `purpose`, its type must be `type`, and it must have all `keywords`. Each of the
    `words` must be contained in one of these, or in its handoff. Case is ignored."""

    words: tuple[str, ...] = ()
    name: str = ""
    type: str = ""
    summary: str = ""
    purpose: str = ""
    keywords: tuple[str, ...] = ()

    def fits(self, anchor: Anchor) -> bool:
        pairs = ((self.name, anchor.name), (self.summary, anchor.summary), (self.purpose, anchor.purpose))
        keywords = {word.casefold() for word in anchor.keywords}
        handoff = handoff_of(anchor.meta).texts if self.words else ()
        texts = (anchor.name, anchor.type, anchor.summary, anchor.purpose, anchor.trigger, *anchor.keywords)
        text = "\n".join((*texts, *handoff)).casefold()
        return (
            all(part.casefold() in whole.casefold() for part, whole in pairs)
            and self.type in ("", anchor.type)
            and all(word.casefold() in keywords for word in self.keywords)
            and all(word.casefold() in text for word in self.words)
        )


@dataclass(frozen=True)
class Tape:
    """The anchors of a scope, the oldest first."""

    anchors: tuple[Anchor, ...] = ()

    def of_session(self, session: str) -> "Tape":
        return Tape(tuple(a for a in self.anchors if a.session_id == session))

    @property
    def last(self) -> Anchor | None:
        return self.anchors[-1] if self.anchors else None

    @property
    def handoffs(self) -> "Tape":
        return Tape(tuple(a for a in self.anchors if a.type == "handoff"))

    @property
    def newest_handoff(self) -> Anchor | None:
        """The last handoff. One with a text is preferred to an empty one, and one that was left on purpose to
        one that was gathered in the same session."""
        handoffs = self.handoffs.anchors
        newest = max(reversed(handoffs), key=_says_something, default=None)
        of_session = [a for a in handoffs if newest and a.session_id == newest.session_id]
        on_purpose = [a for a in of_session if a.trigger != GATHERED]
        return next(filter(_says_something, reversed(on_purpose)), newest)

    def with_id(self, beginning: str) -> Anchor | None:
        """The anchor with this id, or the only one whose id begins so; None otherwise."""
        beginning = beginning.removeprefix("^")
        if exact := [a for a in self.anchors if a.id == beginning]:
            return exact[-1]
        matches = [a for a in self.anchors if len(beginning) >= SHORT_ID and a.id.startswith(beginning)]
        return matches[0] if len({a.id for a in matches}) == 1 else None

    def called(self, name: str) -> Anchor | None:
        """The newest anchor of exactly this name."""
        return next((a for a in reversed(self.anchors) if a.name == name), None)

    def like(self, name: str) -> Anchor | None:
        """The newest anchor whose name contains this, whatever its case; None for ''."""
        part = name.casefold()
        return next((a for a in reversed(self.anchors) if part and part in a.name.casefold()), None)

    @cached_property
    def short_ids(self) -> Mapping[str, str]:
        """id -> the shortest beginning of it, of at least SHORT_ID characters, that no other id has."""
        ids = sorted({a.id for a in self.anchors})
        shorts = {}
        for before, id_, after in zip(["", *ids], ids, [*ids[1:], ""], strict=False):
            common = max(len(commonprefix([id_, other])) for other in (before, after))
            shorts[id_] = id_[: max(SHORT_ID, 1 + common)]
        return shorts


def tape_of(
    files: Mapping[str, str],
    folder: str,
    local: Iterable[Anchor] = (),
    anchors_file_writer: str = "",
    now: float = inf,
) -> Tape:
    """The tape of the scope with this folder: the anchors in its `files` (path -> text) and `local` ones.

    An anchor that is in two files counts once. Anchors that a tombstone in any of the files names are left
    out, and those that were written into the anchors file and are no longer there, if that file is among
    `files`: they were deleted there. `anchors_file_writer` is the agent of its lines that name none."""
    shared_path = anchors_file(folder)
    lines = [
        (path == shared_path, fields)
        for path, text in sorted(files.items(), key=lambda item: (item[0] == shared_path, item[0]))
        for fields in map(record, text.split("\n"))
        if fields is not None
    ]
    deleted = {text_of(fields, "id") for _, fields in lines if TOMBSTONE in fields} - {""}
    anchors: dict[tuple[str, str, str], Anchor] = {}
    shared: set[str] = set()
    for is_shared, fields in lines:
        anchor = None if TOMBSTONE in fields else anchor_of(fields)
        if anchor is None:
            continue
        if is_shared:
            shared.add(anchor.id)
            anchor = replace(anchor, agent=anchor.agent or anchors_file_writer)
        anchors.setdefault((anchor.id, anchor.timestamp, anchor.name), anchor)
    for anchor in local:
        anchors.setdefault((anchor.id, anchor.timestamp, anchor.name), anchor)
    has_file = shared_path in files
    stay = (a for a in anchors.values() if a.id in shared or not (has_file and a.is_shared))
    return Tape(in_order((a for a in stay if a.id not in deleted), now))


def _says_something(anchor: Anchor) -> bool:
    return bool(anchor.summary) or handoff_of(anchor.meta).says_something
