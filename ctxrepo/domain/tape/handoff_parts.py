"""A handoff: what the next session needs to know to continue, small enough to be given as a whole."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ctxrepo.domain.formats.jsonl import text_of, texts_in
from ctxrepo.lazy import dataclass

MAX_BYTES = 4096
"""The most bytes of a handoff in an anchor's `meta`."""

MAX_WORDS = 300
"""Characters of a goal, a next step or an item."""

MAX_ASKED = 200
"""Characters of a prompt."""

MAX_FILES = 10

_MAX_ITEMS = 20
_MAX_SUMMARY = 100
_TEXT_BYTES = 900
"""Most bytes of a handoff as text: a lane of a packet has 1 KiB, its title included."""


@dataclass(frozen=True)
class Handoff:
    """What is passed on. `done` begins with the oldest item, `files` with the newest; `anchors` are ids, and
    `asked` is what the user asked last, in their own words."""

    goal: str = ""
    done: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    next: str = ""
    files: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    asked: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that it says."""
        return (self.goal, self.next, self.asked, *self.done, *self.open, *self.files, *self.anchors)

    @property
    def text(self) -> str:
        """The text for the next session, a line for each item, the newest of each list; it fits in a lane."""
        count = _MAX_ITEMS
        while len((text := "\n".join(_lines(self, count))).encode()) > _TEXT_BYTES and count > 1:
            count -= 1
        return text

    @property
    def says_something(self) -> bool:
        return self != Handoff()


def one_line(text: str, most: int = MAX_WORDS) -> str:
    """`text` on one line of at most `most` characters, with blanks for unprintable characters."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text[: 20 * most]).split())
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"


def fitted(handoff: Handoff) -> Handoff:
    """The handoff cut to all limits. Items are removed from the longest list, the oldest first."""
    shorter = Handoff(
        goal=one_line(handoff.goal),
        done=_items(handoff.done[-_MAX_ITEMS:]),
        open=_items(handoff.open[:_MAX_ITEMS]),
        next=one_line(handoff.next),
        files=_items(handoff.files[:MAX_FILES]),
        anchors=_items(handoff.anchors[-MAX_FILES:]),
        asked=one_line(handoff.asked, MAX_ASKED),
    )
    while _size(meta_of(shorter)) > MAX_BYTES:
        longest = max(("done", "open", "files", "anchors"), key=lambda name: _size(getattr(shorter, name)))
        items = getattr(shorter, longest)
        is_oldest_first = longest in ("done", "anchors")
        shorter = replace(shorter, **{longest: items[1:] if is_oldest_first else items[:-1]})
    return shorter


def meta_of(handoff: Handoff) -> dict[str, Any]:
    """The handoff as an anchor's `meta`; `summary` in it is for readers that show nothing else."""
    keys = ("goal", "done", "open", "next", "files", "anchors", *(("asked",) if handoff.asked else ()))
    values = {key: getattr(handoff, key) for key in keys}
    fields = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    items = " ".join((*handoff.open[:1], *handoff.done[-1:]))
    summary = handoff.next or handoff.goal or handoff.asked or items
    return {"summary": one_line(summary, _MAX_SUMMARY), "handoff": fields}


def handoff_of(meta: Mapping[str, Any]) -> Handoff:
    """The handoff in an anchor's `meta`, whoever wrote it; values of a wrong type are ignored."""
    fields = meta.get("handoff")
    if not isinstance(fields, dict):
        return Handoff()
    return fitted(
        Handoff(
            goal=text_of(fields, "goal"),
            done=_texts(fields.get("done")),
            open=_texts(fields.get("open")),
            next=text_of(fields, "next"),
            files=_texts(fields.get("files")),
            anchors=_texts(fields.get("anchors")),
            asked=text_of(fields, "asked"),
        )
    )


def _lines(handoff: Handoff, count: int) -> Iterator[str]:
    """At most `count` items of each list, and how many more are open."""
    yield from _line("Goal", handoff.goal)
    yield from (f"Done: {item}" for item in handoff.done[-count:])
    yield from (f"Open: {item}" for item in handoff.open[:count])
    if len(handoff.open) > count:
        yield f"Open: {len(handoff.open) - count} more"
    yield from _line("Next", handoff.next)
    yield from _line("Files", ", ".join(handoff.files[:count]))
    yield from _line("Anchors", ", ".join(handoff.anchors[-count:]))
    yield from _line("Last asked", handoff.asked)


def _line(name: str, words: str) -> list[str]:
    return [f"{name}: {words}"] if words else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(texts_in([value] if isinstance(value, str) else value))


def _items(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for line in map(one_line, items) if line))


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())
