"""Which entries sessions are given, and what they make of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from ctxrepo.domain.project.layout import is_aside
from ctxrepo.domain.records.recall_quality import Usage, is_zombie, rate
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import scope_named
from ctxrepo.storage.cache.rows import CachedEntry
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.usage import UsageStore


@dataclass(frozen=True)
class EntryUsage:
    """An entry with its counts; `at` and `text` are what they are today, '' for a text that was edited or is
    gone."""

    usage: Usage
    at: str
    text: str


@dataclass(frozen=True)
class Report:
    """The entries that were asked for, the most delivered first, and the sums of all in these scopes."""

    entries: Sequence[EntryUsage]
    count: int
    delivered: int
    sessions: int
    opened: int
    used: int
    contradicted: int

    @property
    def usage_rate(self) -> float:
        """How many of the entries that a session was given it used, with two decimals."""
        return rate(self.used, self.sessions)


def usage(memory: Memory, scope: str, project: Project | None, limit: int) -> Report:
    """The entries of one scope, or of all, that were delivered most."""
    return _report(memory, scope, project, limit, _is_any)


def zombies(
    memory: Memory, scope: str, project: Project | None, limit: int, sessions: int, now: float
) -> Report:
    """Those that at least so many sessions were given and none opened or used; neither pinned ones nor those
    that are known for a few days only."""

    def is_one(one: Usage, known: CachedEntry | None) -> bool:
        is_live = known is not None and not known.is_struck and not is_aside(known.entry.path)
        return is_live and not (known and known.is_pinned) and is_zombie(one, now, sessions)

    return _report(memory, scope, project, limit, is_one)


def _is_any(*_: object) -> bool:
    return True


def _report(
    memory: Memory,
    scope: str,
    project: Project | None,
    limit: int,
    is_wanted: Callable[[Usage, CachedEntry | None], bool],
) -> Report:
    folder = scope_named(memory, scope, project).folder if scope else ""
    try:
        with UsageStore.writing(memory.state.usage) as store:
            found = store.all()
    except sqlite3.DatabaseError as error:
        raise CtxrepoError(f"{memory.state.usage} can't be read: {error}", "It may be deleted.") from error
    there = [one for one in found if not folder or one.path.startswith(f"{folder}/")]
    there.sort(key=lambda one: (-one.delivered, -one.last, one.id))
    cached = ((one, memory.cache.find_entry(one.id)) for one in there)
    wanted = [(one, known) for one, known in cached if is_wanted(one, known)]
    return Report(
        entries=[_counted(one, known) for one, known in wanted[:limit]],
        count=len(wanted),
        delivered=sum(one.delivered for one in there),
        sessions=sum(one.sessions for one in there),
        opened=sum(one.opened for one in there),
        used=sum(one.used for one in there),
        contradicted=sum(one.contradicted for one in there),
    )


def _counted(one: Usage, known: CachedEntry | None) -> EntryUsage:
    return EntryUsage(one, known.entry.at, known.entry.plain) if known else EntryUsage(one, one.path, "")
