"""Which entries name code files that change now."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ctxrepo.domain.note.links import mentions_of

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


def activity_in(text: str, named: Mapping[str, Activity]) -> Activity:
    """The activity of the files that a text names: the changes of all, and the last day. A name with its
    folder before it means no other file of that name. `named` comes from `by_name`."""
    mentions = mentions_of(text) if named else set()
    placed = {mention for mention in mentions if "/" in mention}
    bare = mentions - placed - {mention.rpartition("/")[2] for mention in placed}
    files = [named[mention] for mention in placed | bare if mention in named]
    return Activity(sum(file.changes for file in files), max((file.day for file in files), default=0))
