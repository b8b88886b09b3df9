"""What a change of a note comes to, entry by entry, as far as it is about entries alone."""

from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import Entry, entries_of, reworded
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class ChangedEntry:
    """An entry as it was and as it is; None before it was there, or after it went."""

    before: Entry | None
    after: Entry | None


def entry_changes(path: str, before: str, after: str) -> list[ChangedEntry] | None:
    """The entries that were added, edited and removed; None where a change is about more than that: the head,
    headings, the order."""
    olds, news = entries_of(path, before), entries_of(path, after)
    known = {entry.id: entry for entry in olds}
    stay = [entry.id for entry in news if entry.id in known]
    if _rest(before, olds) != _rest(after, news) or stay != [e.id for e in olds if e.id in {*stay}]:
        return None
    edits = reworded(olds, news)
    paired = {entry.id for pair in edits for entry in pair} | {*stay}
    # A ticked box leaves the id of an entry as it is.
    edits += [(known[e.id], e) for e in news if e.id in known and _words(e) != _words(known[e.id])]
    changes = [ChangedEntry(old, new) for old, new in edits]
    changes += [ChangedEntry(entry, None) for entry in olds if entry.id not in paired]
    return changes + [ChangedEntry(None, entry) for entry in news if entry.id not in paired]


def _words(entry: Entry) -> str:
    return " ".join(entry.text.split())


def _rest(text: str, entries: list[Entry]) -> list[str]:
    """What is no entry: fields of the head but for its dates, headings, and whatever else stands there."""
    fields = frontmatter.read(text).fields.items()
    inside = {number for entry in entries for number in range(entry.first_line, entry.last_line + 1)}
    head = frontmatter.split(text)[0].count("\n")
    lines = enumerate(text.split("\n"), 1)
    return [
        *(f"{key}: {value}" for key, value in fields if key not in ("created", "updated")),
        *(line.strip() for number, line in lines if number > head and number not in inside and line.strip()),
    ]
