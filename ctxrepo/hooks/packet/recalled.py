"""Recalled entries as text: where each stands, how old its note is, and what it says."""

from ctxrepo.domain.text.block import (
    SHORT_OVERHEAD,
    age_mark,
    entry_head,
    entry_place,
    further_head,
    seal_shortly,
    size,
)
from ctxrepo.domain.text.cut import UNLIMITED, passage
from ctxrepo.domain.text.escape import escape_field
from ctxrepo.hooks.known.cache import BETWEEN_TITLES, EntryHit
from ctxrepo.hooks.known.compiled import RECALL_BYTES

ROOM = RECALL_BYTES


def recall_block(
    hits: list[EntryHit], today: int, secret: str, budget: int = ROOM
) -> tuple[str, list[EntryHit]]:
    """A block of at most `budget` bytes and the hits in it; ('', []) without any."""
    text, given = recall_section(hits, today, budget - SHORT_OVERHEAD)
    return (seal_shortly(text, secret), given) if given else ("", [])


def recall_section(hits: list[EntryHit], today: int, room: int, most: int = 0) -> tuple[str, list[EntryHit]]:
    """The text of the hits that fit in `room` bytes and `most` lines (0: any number), and these hits.

    Entries of a note stand together, notes in the order of their best ones. A hit that doesn't fit is left
    out; only the first one that is given may be cut.
    """
    left = most or UNLIMITED
    texts: dict[str, str] = {}
    given: dict[str, list[EntryHit]] = {}
    above: EntryHit | None
    for hit in hits:
        *_, above = [None, *given.get(hit.path, [])]
        text = passage(entry_title(hit, today, above), hit.text, room if not given else UNLIMITED)
        if text and size(text) <= room and text.count("\n") <= left:
            room -= size(text)
            left -= text.count("\n")
            texts[hit.path] = texts.get(hit.path, "") + text
            given.setdefault(hit.path, []).append(hit)
    return "".join(texts.values()), [hit for hit in hits if hit in given.get(hit.path, ())]


def entry_title(hit: EntryHit, today: int, above: EntryHit | None = None) -> str:
    """The line over an entry. Below another one of its note it doesn't say again where that is and how old,
    nor the same heading."""
    titles = hit.heading.replace(BETWEEN_TITLES, " > ")
    if above is None or above.updated != hit.updated or (above.heading and not titles):
        return entry_head(entry_place(hit.path, *_where(hit)), titles, age_mark(hit.updated, today))
    return further_head(entry_place("", *_where(hit)), "" if above.heading == hit.heading else titles)


def is_shown(hit: EntryHit, text: str) -> bool:
    """Whether the text of a section has this entry."""
    heads = [line.partition(" · ") for line in text.split("\n") if line.startswith("## ")]
    places = {place.removeprefix("## ") for place, *_ in heads}
    whole = escape_field(entry_place(hit.path, *_where(hit)), "·")
    return whole in places or entry_place("", *_where(hit)) in places


def _where(hit: EntryHit) -> tuple[int, int, str]:
    return hit.first_line, hit.last_line, hit.id
