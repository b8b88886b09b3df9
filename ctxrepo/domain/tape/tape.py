"""A tape: the anchors of one scope, looked up by id and name, and filtered by what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, text_of
from ctxrepo.domain.project.layout import anchors_file
from ctxrepo.domain.tape.anchor import Anchor, anchor_of
from ctxrepo.domain.tape.handoff import handoff_of
from ctxrepo.lazy import dataclass

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

    def of_session(self, session: str) -> Tape:
        return Tape(tuple(a for a in self.anchors if a.session_id == session))

    @property
    def last(self) -> Anchor | None:
        return self.anchors[-1] if self.anchors else None

    @property
    def handoffs(self) -> Tape:
        return Tape(tuple(a for a in self.anchors if a.type == "handoff"))

    @property
    def newest_handoff(self) -> Anchor | None:
        """The last handoff; one that says something comes before a bare one, and one that was left on purpose
        before what was gathered of the same session."""
        found = self.handoffs.anchors
        newest = max(found, key=_by_weight, default=None)
        meant = [a for a in found if newest and a.session_id == newest.session_id and not _is_gathered(a)]
        return max(filter(_says_something, meant), key=_by_weight, default=newest)

    def with_id(self, wanted: str) -> Anchor | None:
        """The anchor with this id, or whose id alone begins with it."""
        wanted = wanted.removeprefix("^")
        if exact := [a for a in self.anchors if a.id == wanted]:
            return exact[-1]
        begun = [a for a in self.anchors if len(wanted) >= SHORT_ID and a.id.startswith(wanted)]
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
            one: one[: max(SHORT_ID, 1 + _shared(one, before), 1 + _shared(one, after))]
            for one, before, after in beside
        }

    def _newest(self, is_meant: Callable[[Anchor], bool]) -> Anchor | None:
        return next(filter(is_meant, reversed(self.anchors)), None)


def tape_of(
    files: Mapping[str, str], folder: str, local: Iterable[Anchor] = (), anchors_file_writer: str = ""
) -> Tape:
    """The tape of the scope with this folder: what its files say, by path, and anchors that stand in none.

    An anchor that stands in two files is one. Not on it is what a tombstone in any of the files names, and
    what was put into the anchors file and isn't there any more: it was deleted there. Where that file isn't
    among `files`, nothing says so. A line in it that names no agent is of `anchors_file_writer`.
    """
    theirs = anchors_file(folder)
    lines = [
        (path == theirs, fields)
        for path, text in sorted(files.items(), key=lambda item: (item[0] == theirs, item[0]))
        for fields in map(record, text.split("\n"))
        if fields is not None
    ]
    dead = {text_of(fields, "id") for _, fields in lines if TOMBSTONE in fields} - {""}
    found: dict[tuple[str, str, str], Anchor] = {}
    shared: set[str] = set()
    for is_theirs, fields in lines:
        anchor = None if TOMBSTONE in fields else anchor_of(fields)
        if anchor is None:
            continue
        if is_theirs:
            shared.add(anchor.id)
            anchor = replace(anchor, agent=anchor.agent or anchors_file_writer)
        found.setdefault((anchor.id, anchor.timestamp, anchor.name), anchor)
    for anchor in local:
        found.setdefault((anchor.id, anchor.timestamp, anchor.name), anchor)
    all_stay = theirs not in files
    stay = (a for a in found.values() if all_stay or a.id in shared or not a.is_shared)
    alive = (a for a in stay if a.id not in dead)
    return Tape(tuple(sorted(alive, key=lambda a: (a.timestamp, a.id))))


def _by_weight(anchor: Anchor) -> tuple[bool, str, str]:
    return _says_something(anchor), anchor.timestamp, anchor.id


def _is_gathered(anchor: Anchor) -> bool:
    return anchor.trigger == GATHERED


def _says_something(anchor: Anchor) -> bool:
    return bool(anchor.summary) or handoff_of(anchor.meta).says_something


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
