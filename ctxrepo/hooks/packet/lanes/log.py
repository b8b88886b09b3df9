"""The daily notes: today's, tomorrow's where a machine further east has begun it, and the last before."""

from ctxrepo.domain.text.block import day_of
from ctxrepo.domain.text.cut import TAIL
from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.notes import PacketEntry, daily_notes, entries_at
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DAILY, DEFAULT, Bounds, NoteLane, PacketSource

_DATE = slice(-13, -3)
"""Where the path of a daily note has its date: it ends in `YYYY-MM-DD.md`."""

_LOG_DAYS = 7
"""The last daily note before today's is shown if it is at most so many days old."""


class _Today(NoteLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        now = today()
        for scope in contents.scopes:
            paths = [path for day, path in _dated(source, scope.folder) if now <= day <= now + 1]
            for path in paths[::-1]:
                contents.entries[self.name, path] = entries_at(source.cache, path)

    def words_of(self, entry: PacketEntry) -> list[str]:
        # without `- HH:MM +ZONE ` (domain/working/daily.py)
        return [" ".join(entry.text.split()).split(" ", 3)[-1]]


class _Yesterday(NoteLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        now = today()
        for scope in contents.scopes:
            paths = [path for day, path in _dated(source, scope.folder) if now - _LOG_DAYS <= day < now]
            for path in paths[:1]:
                contents.entries[self.name, path] = entries_at(source.cache, path)


def _dated(source: PacketSource, scope: str) -> list[tuple[int, str]]:
    """(day since 1970, path) of the scope's daily notes, the newest first."""
    found = [(day_of(path[_DATE]), path) for path in daily_notes(source.cache, scope)]
    return [(day, path) for day, path in found if day is not None and path[-3:] == ".md"]


TODAY = _Today(
    "today", {DEFAULT: Bounds(384, 1024, keep=TAIL), DAILY: Bounds(0, 3000, most_lines=120, keep=TAIL)}
)
YESTERDAY = _Yesterday(
    "yesterday",
    {DEFAULT: Bounds(0, 512, keep=TAIL), DAILY: Bounds(0, 3000, most_lines=120, keep=TAIL)},
)
