"""Which entries name code files that change now."""

from collections.abc import Mapping

from ctxrepo.domain.note.links import mentions_of


def days_by_name(days: Mapping[str, int]) -> dict[str, int]:
    """The name of each file and `folder/name`, in lower case -> the day on which a file that is called so
    changed last; `days` has it by path."""
    named: dict[str, int] = {}
    for path, day in days.items():
        folder, _, name = path.lower().rpartition("/")
        parent = folder.rpartition("/")[2]
        for key in (name, *([f"{parent}/{name}"] if parent else [])):
            named[key] = max(day, named.get(key, 0))
    return named


def last_changed(text: str, named: Mapping[str, int]) -> int:
    """The day on which a file that the text names changed last; 0 for none. A name with its folder before it
    means no other file of that name."""
    mentions = mentions_of(text) if named else set()
    placed = {mention for mention in mentions if "/" in mention}
    bare = mentions - placed - {mention.rpartition("/")[2] for mention in placed}
    return max((named.get(mention, 0) for mention in placed | bare), default=0)
