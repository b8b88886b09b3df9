"""How much is in each note, and how much of it matters now."""

from collections.abc import Mapping, Sequence

from ctxrepo.domain.project.layout import scope_of
from ctxrepo.domain.score.seed import HORIZONS
from ctxrepo.domain.score.standing import EntryStanding, written_day
from ctxrepo.domain.words.categories import category_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import search_order
from ctxrepo.storage.cache.computed import ScoredEntry, all_standings, entries_to_score
from ctxrepo.storage.memory import Memory

LARGE = 3000
"""Tokens above which a note should be split: nobody looks through a longer one."""

_CHARACTERS = 4
"""Characters that count as a token."""

_USUAL_DAYS = 30
"""The horizon of an entry whose category has none."""


@dataclass(frozen=True)
class Topic:
    """A note with what its entries come to. `hotness` is the sum of their scores, `tokens` a fourth of their
    characters, `last` the day on which one of them was said, reinforced or verified last, '' where none is
    known."""

    path: str
    entries: int
    active: int
    pinned: int
    hotness: float
    tokens: int
    last: str
    is_cold: bool
    """Whether nothing in it was said again for twice the horizon of its category, and nothing else speaks
    for it."""
    is_large: bool


def topics(memory: Memory, scope: str, project: Project | None, now: int) -> list[Topic]:
    """The notes of one scope, or of the project and global, the hottest of each scope first; on the day `now`
    since 1970. Scores must be up to date: call `update_scores` first."""
    folders = search_order(memory, project, scope)
    notes: dict[str, list[ScoredEntry]] = {}
    for entry in memory.cache.ask(entries_to_score):
        if entry.scope in folders:
            notes.setdefault(entry.path, []).append(entry)
    standings = memory.cache.ask(all_standings)
    is_decaying = memory.settings.score.profile == "seed"
    listed = [_topic(path, entries, standings, now, is_decaying) for path, entries in notes.items()]
    return sorted(listed, key=lambda topic: (folders.index(scope_of(topic.path)), -topic.hotness, topic.path))


def _topic(
    path: str,
    entries: Sequence[ScoredEntry],
    standings: Mapping[str, EntryStanding],
    now: int,
    is_decaying: bool,
) -> Topic:
    known = [(entry, standings[entry.id]) for entry in entries if entry.id in standings]
    tokens = sum(len(entry.text) for entry in entries) // _CHARACTERS
    last = max((standing.day for _, standing in known), default=0)
    return Topic(
        path,
        entries=len(entries),
        active=sum(standing.lifecycle == "active" for _, standing in known),
        pinned=sum(entry.is_pinned for entry in entries),
        hotness=round(sum(standing.score for _, standing in known), 2),
        tokens=tokens,
        last=written_day(last) if last else "",
        is_cold=bool(known) and all(_is_cold(*pair, now, is_decaying) for pair in known),
        is_large=tokens > LARGE,
    )


def _is_cold(entry: ScoredEntry, standing: EntryStanding, now: int, is_decaying: bool) -> bool:
    days = 2 * HORIZONS.get(category_of(entry.category), _USUAL_DAYS)
    is_old = 0 < standing.day < now - days
    return is_old and not entry.is_pinned and (is_decaying or not standing.score)
