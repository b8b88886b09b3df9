"""Recalled entries as one block: where each stands, how old its note is, and what it says."""

from ctxrepo.hot.block import OVERHEAD, age_of, entry_head, passage, place, seal, size
from ctxrepo.hot.cache import BETWEEN_TITLES, Hit

ROOM = 2500


def recall_block(hits: list[Hit], today: int, secret: str, budget: int = ROOM) -> tuple[str, list[Hit]]:
    """A block of at most `budget` bytes and the hits in it; ('', []) without any.

    An entry that doesn't fit is left out, but for the best: it is cut.
    """
    room = budget - OVERHEAD
    parts: list[str] = []
    given: list[Hit] = []
    for hit in hits:
        part = _entry(hit, today, room) if not given else _entry(hit, today, 1 << 30)
        if part and size(part) <= room:
            room -= size(part)
            parts.append(part)
            given.append(hit)
    return (seal("".join(parts), secret), given) if given else ("", [])


def _entry(hit: Hit, today: int, room: int) -> str:
    _, path, heading, first, last, updated, text, _, _ = hit
    title = entry_head(
        place(path, first, last), heading.replace(BETWEEN_TITLES, " > "), age_of(updated, today)
    )
    return passage(title, text, room)
