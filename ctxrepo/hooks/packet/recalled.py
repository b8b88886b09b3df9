"""Recalled entries as text: where each stands, how old its note is, and what it says."""

from ctxrepo.domain.text.block import OVERHEAD, age_mark, entry_head, entry_place, seal, size
from ctxrepo.domain.text.cut import UNLIMITED, passage
from ctxrepo.hooks.known.cache import BETWEEN_TITLES, EntryHit
from ctxrepo.hooks.known.compiled import RECALL_BYTES

ROOM = RECALL_BYTES


def recall_block(
    hits: list[EntryHit], today: int, secret: str, budget: int = ROOM
) -> tuple[str, list[EntryHit]]:
    """A block of at most `budget` bytes and the hits in it; ('', []) without any."""
    text, given = recall_section(hits, today, budget - OVERHEAD)
    return (seal(text, secret), given) if given else ("", [])


def recall_section(hits: list[EntryHit], today: int, room: int, most: int = 0) -> tuple[str, list[EntryHit]]:
    """The text of the hits that fit in `room` bytes and `most` lines (0: any number), and these hits.

    A hit that doesn't fit is left out; only the first one that is given may be cut.
    """
    left = most or UNLIMITED
    parts: list[str] = []
    given: list[EntryHit] = []
    for hit in hits:
        text = passage(entry_title(hit, today), hit.text, room if not given else UNLIMITED)
        if text and size(text) <= room and text.count("\n") <= left:
            room -= size(text)
            left -= text.count("\n")
            parts.append(text)
            given.append(hit)
    return "".join(parts), given


def entry_title(hit: EntryHit, today: int) -> str:
    """The line over an entry."""
    titles = hit.heading.replace(BETWEEN_TITLES, " > ")
    where = entry_place(hit.path, hit.first_line, hit.last_line, hit.id)
    return entry_head(where, titles, age_mark(hit.updated, today))
