"""Anchors, named points in sessions, each one JSON line; and a tape, which is all those of one scope.

The first seven keys of a line and their order are those of an anchors file (`layout.anchors_file`), which we
read too."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from math import inf
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
"""The key of a line that says so, on tapes that exist; named after the agent of the program that reads it."""

_DAY = 86_400.0

Type = Literal["session", "handoff"]
_TYPES: Mapping[str, Type] = {"session": "session", "handoff": "handoff"}


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
    is_ahead: bool = False
    """Its timestamp lies more than a day ahead of the clock of whoever read it."""

    @property
    def moment(self) -> float:
        """When it was left, in Unix seconds; 0 where the timestamp is no time, or lies too far ahead."""
        return 0.0 if self.is_ahead else seconds_of(self.timestamp) or 0.0

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
        return tuple(texts_in(self.meta.get("keywords")))

    @property
    def entry(self) -> str:
        """The message at which it was left, '' where that isn't known."""
        return "" if self.session_entry_id == self.id else self.session_entry_id


def says_the_same(anchor: Anchor, other: Anchor) -> bool:
    """Whether nothing tells two anchors apart but their ids and moments."""
    return _content(anchor) == _content(other)


def _content(anchor: Anchor) -> tuple[object, ...]:
    facts = (anchor.type, anchor.name, anchor.summary, anchor.purpose, anchor.keywords)
    return (*facts, anchor.session_id, anchor.entry, anchor.meta.get("handoff"))


def to_line(anchor: Anchor) -> str:
    """The anchor as one line of our own tapes, without a newline."""
    own = {"v": VERSION, "host": anchor.host, "agent": anchor.agent, "project": anchor.project}
    return render(_fields(anchor) | {key: value for key, value in own.items() if value or key == "host"})


def shared_line(fields: Mapping[str, Any]) -> str:
    """The line of an anchor of ours, once it stands in the project's anchors file as well."""
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
    """The anchors of a tape, in order; lines that are none are passed over."""
    return [*in_order(filter(None, map(anchor_of, records(text))), now)]


def in_order(anchors: Iterable[Anchor], now: float) -> tuple[Anchor, ...]:
    """The oldest first; `now` is in Unix seconds. An anchor whose timestamp is no time, or lies more than a
    day ahead, is before all others: nothing else would ever be the newest."""
    marked = (replace(a, is_ahead=True) if a.moment > now + _DAY else a for a in anchors)
    return tuple(sorted(marked, key=lambda a: (a.moment, a.timestamp, a.id)))


def anchor_of(fields: Mapping[str, Any]) -> Anchor | None:
    """The anchor that a line's object is; None when it is none."""
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
"""What triggers a handoff that no command asked for."""

SHORT_ID = 8
"""Characters of an id that name an anchor, unless another one's id begins with them too."""


@dataclass(frozen=True)
class AnchorFilter:
    """What is wanted of anchors; '' and () stand for anything. `name`, `summary` and `purpose` are parts of
    theirs, `type` is all of it, and each of the `keywords` must be there. Each of the `words` is part of one
    of these, or of what is handed over. Case never matters."""

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
    """The anchors, the oldest first."""

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
        """The last handoff; one that says something comes before a bare one, and one that was left on purpose
        before what was gathered of the same session."""
        handoffs = self.handoffs.anchors
        newest = max(reversed(handoffs), key=_says_something, default=None)
        of_session = [a for a in handoffs if newest and a.session_id == newest.session_id]
        on_purpose = [a for a in of_session if a.trigger != GATHERED]
        return next(filter(_says_something, reversed(on_purpose)), newest)

    def with_id(self, beginning: str) -> Anchor | None:
        """The anchor with this id, or whose id alone begins with it."""
        beginning = beginning.removeprefix("^")
        if exact := [a for a in self.anchors if a.id == beginning]:
            return exact[-1]
        begun = [a for a in self.anchors if len(beginning) >= SHORT_ID and a.id.startswith(beginning)]
        return begun[0] if len({a.id for a in begun}) == 1 else None

    def called(self, name: str) -> Anchor | None:
        """The newest anchor of exactly this name."""
        return self._newest(lambda a: a.name == name)

    def like(self, name: str) -> Anchor | None:
        """The newest anchor whose name has this in it, whatever its case."""
        part = name.casefold()
        return self._newest(lambda a: part in a.name.casefold()) if part else None

    @cached_property
    def short_ids(self) -> Mapping[str, str]:
        """The least of each anchor's id that names it on this tape."""
        ids = sorted({a.id for a in self.anchors})
        beside = zip(ids, ["", *ids], [*ids[1:], ""], strict=False)
        return {
            anchor_id: anchor_id[
                : max(SHORT_ID, 1 + _shared(anchor_id, before), 1 + _shared(anchor_id, after))
            ]
            for anchor_id, before, after in beside
        }

    def _newest(self, is_meant: Callable[[Anchor], bool]) -> Anchor | None:
        return next(filter(is_meant, reversed(self.anchors)), None)


def tape_of(
    files: Mapping[str, str],
    folder: str,
    local: Iterable[Anchor] = (),
    anchors_file_writer: str = "",
    now: float = inf,
) -> Tape:
    """The tape of the scope with this folder: what its files say, by path, and anchors that stand in none.

    An anchor that stands in two files is one. Not on it is what a tombstone in any of the files names, and
    what was put into the anchors file and isn't there any more: it was deleted there. Where that file isn't
    among `files`, nothing says so. A line in it that names no agent is of `anchors_file_writer`."""
    theirs = anchors_file(folder)
    lines = [
        (path == theirs, fields)
        for path, text in sorted(files.items(), key=lambda item: (item[0] == theirs, item[0]))
        for fields in map(record, text.split("\n"))
        if fields is not None
    ]
    dead = {text_of(fields, "id") for _, fields in lines if TOMBSTONE in fields} - {""}
    anchors: dict[tuple[str, str, str], Anchor] = {}
    shared: set[str] = set()
    for is_theirs, fields in lines:
        anchor = None if TOMBSTONE in fields else anchor_of(fields)
        if anchor is None:
            continue
        if is_theirs:
            shared.add(anchor.id)
            anchor = replace(anchor, agent=anchor.agent or anchors_file_writer)
        anchors.setdefault((anchor.id, anchor.timestamp, anchor.name), anchor)
    for anchor in local:
        anchors.setdefault((anchor.id, anchor.timestamp, anchor.name), anchor)
    all_stay = theirs not in files
    stay = (a for a in anchors.values() if all_stay or a.id in shared or not a.is_shared)
    alive = (a for a in stay if a.id not in dead)
    return Tape(in_order(alive, now))


def _says_something(anchor: Anchor) -> bool:
    return bool(anchor.summary) or handoff_of(anchor.meta).says_something


def _shared(first: str, second: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(first), len(second)))
