"""What the scores of entries are computed from, which of them name code files that change now, and what the
scores come to. Days are counted since 1970."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Literal, NamedTuple

from ctxrepo.domain.note.links import mentions_of
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.text import day_of
from ctxrepo.lazy import dataclass, lazy_pattern

ACTIVE_DAYS, KNOWN_DAYS = 14, 90
"""A file is active if it changed in the last ACTIVE_DAYS; changes are looked up for the last KNOWN_DAYS."""


class Activity(NamedTuple):
    """How many commits changed a file within the active days, and the day of the last one, 0 for none."""

    changes: int = 0
    day: int = 0


def activity_of(days: Iterable[int], today: int) -> Activity:
    """The activity of a file that commits changed on these days, in days since 1970."""
    changes = [*days]
    return Activity(sum(today - day <= ACTIVE_DAYS for day in changes), max(changes, default=0))


def by_name(files: Mapping[str, Activity]) -> dict[str, Activity]:
    """`name` and `folder/name` of each file in lower case -> its activity, the highest of files that share
    the name. `files` has it by path."""
    activities: dict[str, Activity] = {}
    for path, activity in files.items():
        folder, _, name = path.lower().rpartition("/")
        parent = folder.rpartition("/")[2]
        for key in (name, *([f"{parent}/{name}"] if parent else [])):
            activities[key] = Activity(*map(max, activity, activities.get(key, Activity())))
    return activities


def activity_in(text: str, activities: Mapping[str, Activity]) -> Activity:
    """The activity of the files that a text names: the changes of all, and the last day. A name with its
    folder before it means no other file of that name. `activities` come from `by_name`."""
    mentions = mentions_of(text) if activities else set()
    placed = {mention for mention in mentions if "/" in mention}
    bare = mentions - placed - {mention.rpartition("/")[2] for mention in placed}
    files = [activities[mention] for mention in placed | bare if mention in activities]
    return Activity(sum(file.changes for file in files), max((file.day for file in files), default=0))


Lifecycle = Literal["active", "provisional", "doubtful", "candidate", "dropped", "expired"]
"""`active` and `provisional` entries are in a report, `doubtful` ones with their doubt; `candidate` and
`dropped` ones have too low a score; `expired` ones are not delivered. What is in the archive has no standing.
"""

CAPS = {"preference": 8, "lesson": 8, "pattern": 6, "decision": 4, "done": 4, "mistake": 4}
"""Category -> the most active entries."""

MOST_ACTIVE = 40
"""The most active entries of a scope."""

DONE_DAYS = 14
"""So many days a `done` entry is delivered."""

_UNTIL = lazy_pattern(r"(?i)(?<![\w`-])until:[ \t]*(\d{4}-\d{2}-\d{2})(?!\d)")


@dataclass(frozen=True)
class EntryFacts:
    """An entry with all that its standing is computed from."""

    id: str
    scope: str = ""
    """Caps count within a scope."""
    category: str = ""
    """One of CAPS; '' for any other and none."""
    is_pinned: bool = False
    day: int = 0
    """The day of its note, which counts where nothing is recorded of the entry; 0 where none is known."""
    evidence: EntryEvidence | None = None
    """None for an entry of which nothing is recorded: somebody wrote it into a file."""
    helpful: int = 0
    """How many of the sessions that were given it used it."""
    contradicted: int = 0
    """How many of them changed, forgot or superseded it."""
    activity: Activity = Activity()
    """The activity of the code files that it names."""
    until: int = 0
    """The last day on which it is delivered, by its own words; 0 where they name none."""
    is_doubtful: bool = False

    @property
    def stated(self) -> int:
        """The day on which it was first said."""
        return self._day(self.evidence.stated if self.evidence else "")

    @property
    def last(self) -> int:
        """The day on which it was said, reinforced or verified last."""
        return max(self.stated, self._day(self.evidence.last if self.evidence else ""))

    def _day(self, moment: str) -> int:
        return (day_of(moment) if moment else None) or self.day


class EntryStanding(NamedTuple):
    """An entry's place among all others, from 0, with its lifecycle and score. `day` is when it was last
    said, reinforced or verified, `until` the last day on which it is delivered, 0 if it never expires."""

    entry: str
    position: int
    lifecycle: Lifecycle
    score: float
    day: int
    until: int = 0


def until_in(text: str) -> int:
    """The day that a text names as `until: YYYY-MM-DD`, the latest of several; 0 for none."""
    return max((day_of(date) or 0 for date in _UNTIL.findall(text)), default=0)


def written_day(day: int) -> str:
    """A day since 1970 as YYYY-MM-DD."""
    return str(date(1970, 1, 1) + timedelta(days=day))


def over_since(text: str, today: str) -> str:
    """The last day on which an entry with this text is delivered, where that is before `today`; else ''."""
    until = until_in(text)
    return written_day(until) if is_over(until, day_of(today) or 0) else ""


def last_day(facts: EntryFacts) -> int:
    """The last day on which an entry is delivered; 0 for one that never expires. What an entry says makes it
    expire, never its age alone. A pinned entry expires by its own date only."""
    expires = facts.category == "done" and not facts.is_pinned and facts.last > 0
    return facts.until or (facts.last + DONE_DAYS if expires else 0)


def is_over(until: int, today: int) -> bool:
    """Whether an entry that is delivered up to the day `until` no longer is."""
    return 0 < until < today
