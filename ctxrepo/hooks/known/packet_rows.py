"""What a packet reads from the cache: notes of the index, entries of lanes, handoffs, first files."""

import _sqlite3

from ctxrepo.domain.text import with_doubt
from ctxrepo.domain.words.categories import SPELLINGS
from ctxrepo.hooks.known.cached import NOTE_SPAN, below, json_array, spans_of, version

_CATEGORIES = [word for words in SPELLINGS.values() for word in words]

ENTRIES = 200
"""The most entries of a note, or of a category in a scope, that a packet looks at."""

_RULE_NOTES, _RULE_ENTRIES = 20, 50
"""The most notes and entries of a scope that a packet's rules are chosen from: more have no room."""

# A note's `working` is 0 for a plain note, 1 for a checklist, 2 for a daily note (SCRATCHPAD, DAILY).
_COUNT = "select count(*) from note where scope = ? and listed = 1 and working = 0"
_INDEX = """
    select path, description, tags, updated, pinned, core from note
    where scope = ? and listed = 1 and working = 0
    order by pinned desc, core desc, updated desc, path limit ?"""
_NAMED = """
    select path, description, tags, updated, pinned, core from note
    where path in (select value from json_each(?)) and listed = 1 and working = 0"""
_CHANGED = """
    select path, description, tags, updated, pinned, core from note
    where scope in (select value from json_each(?)) and listed = 1 and working < 2 and generation > ?
    order by pinned desc, core desc, updated desc, path"""
_AT = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival
    from note n join entry e on e.rowid between n.id and n.id + ?
    where n.path = ? and n.listed and not e.struck order by e.rowid desc limit ?"""
# `e.pinned` by itself, and below `e.category != ''`, let SQLite use the partial indexes entry_marked and
# entry_category.
# What only its author's words pin was pinned when its note was last edited.
_PINNED = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival,
        iif(e.pinned > 1, e.pinned, coalesce(cast(strftime('%s', n.updated) as integer), 1)) as since
    from entry e join note n on n.id = e.note
    where e.pinned > 0 and e.struck = 0 and e.pinned and e.rowid between ? and ? and n.listed
    order by since desc, n.updated desc, n.path, e.rowid limit ?"""
_OF_CATEGORY = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival
    from entry e join note n on n.id = e.note
    where e.category != '' and e.category = ? and e.rowid between ? and ? and n.listed and not e.struck
    order by n.updated desc, n.path, e.rowid limit ?"""
_FIRST = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival
    from note n join entry e on e.rowid between n.id and n.id + ?
    where n.scope = ? and n.listed = 1 and n.working = 0 and n.is_log = 0 and not e.struck
    and e.category not in (select value from json_each(?))
    order by n.pinned desc, n.core desc, n.updated desc, n.path, e.rowid limit ?"""
_OF_RULES = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival, e.heading
    from (
        select id, path, updated, rules from note
        where scope = ?1 and rules >= ?2 and listed = 1 and working = 0 and path != ?1 || '/MEMORY.md'
        order by rules desc, updated desc, path limit ?3
    ) n join entry e on e.rowid between n.id and n.id + ?4
    where not e.struck order by n.rules desc, n.updated desc, n.path, e.rowid limit ?5"""
# What is in doubt stands in a section of its own. What has no score yet is new, and comes first.
_OF_REPORT = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival,
        coalesce(s.position, -1) as at
    from entry e join note n on n.id = e.note left join score s on s.entry = e.id
    where e.category != '' and e.category in (select value from json_each(?)) and e.rowid between ? and ?
    and n.listed and n.working = 0 and not e.struck and e.doubt = ''
    and coalesce(s.lifecycle, 'active') not in ('candidate', 'dropped') and coalesce(s.day, ?4) >= ?4
    order by at, n.path, e.rowid limit ?"""
_OF_NONE = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival, s.position
    from score s cross join entry e on e.id = s.entry join note n on n.id = e.note
    where s.lifecycle not in ('candidate', 'dropped') and e.category not in (select value from json_each(?))
    and e.rowid between ? and ? and n.listed and n.working = 0 and not e.struck and e.doubt = ''
    and s.day >= ?
    order by s.position limit ?"""
_OF_DOUBT = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated, e.doubt, e.rival,
        coalesce(s.position, -1) as at
    from entry e join note n on n.id = e.note left join score s on s.entry = e.id
    where e.doubt != '' and e.rowid between ? and ? and n.listed and n.working = 0 and not e.struck
    order by at, n.path, e.rowid limit ?"""
_DAILY = "select path from note where path > ? and path < ? and listed order by path desc limit 60"
_SELECTED = "select top, path, rank, why from recent where project = ? and owner = ? order by position"
_SHOWN_OTHERWISE = """
    select first_line, last_line, doubt,
        struck or rival in (select id from entry where rowid between ?1 and ?2 and not struck)
    from entry where rowid between ?1 and ?2 and (struck or doubt != '') order by first_line desc"""


class IndexRow:
    """A note as the index lists it."""

    def __init__(self, row: tuple[str, str, str, str, int, int]) -> None:
        self.path, self.description, self.tags, self.updated, self.is_pinned, self.is_core = row


PacketRow = tuple[str, str, str, int, int, str, str, str, str]


class PacketEntry:
    """An entry as a packet shows it."""

    def __init__(self, row: PacketRow, heading: str = "") -> None:
        (
            self.id,
            digest,
            self.path,
            self.first_line,
            self.last_line,
            self.text,
            self.updated,
            self.doubt,
            self.rival,
        ) = row
        """`doubt` says in brackets why it may hold no longer, `rival` is the id of a newer entry that says
        otherwise."""
        self.hash = version(digest, self.doubt)
        self.heading = heading
        """The titles above it, where a lane shows them."""
        self.line = ""
        """Its lines in its lane, once they were made: a packet is drafted more than once."""

    @property
    def full_text(self) -> str:
        """Its text with its doubt."""
        return with_doubt(self.text, self.doubt)


def without_overtaken(entries: list[PacketEntry]) -> list[PacketEntry]:
    """The entries without those that another of them overtakes."""
    ids = {entry.id for entry in entries}
    return [entry for entry in entries if entry.rival not in ids]


class SelectedFile:
    """A note or a file that comes first (domain/tape/selection.py)."""

    def __init__(self, row: tuple[str, str, int, str]) -> None:
        self.top, self.path, self.rank, self.why = row

    @property
    def is_note(self) -> bool:
        return not self.top


class CachedHandoff:
    """What a session hands over to the next one."""

    def __init__(self, name: str, ts: str, text: str) -> None:
        self.name = name
        self.ts = ts
        """The time at which it was left."""
        self.text = text


def index_of(
    cache: _sqlite3.Connection, scope: str, limit: int, also: dict[str, str] | None = None
) -> tuple[list[IndexRow], int]:
    """The first `limit` notes of a scope in the order they are delivered, and how many there are. Those
    at the paths in `also` are with them, wherever they stand in that order."""
    (count,) = cache.execute(_COUNT, (scope,)).fetchone()
    rows = [IndexRow(row) for row in cache.execute(_INDEX, (scope, limit))]
    if also and count > len(rows):
        paths = {row.path for row in rows}
        missing = [path for path in also if path.startswith(f"{scope}/") and path not in paths]
        rows += notes_at(cache, missing).values()
    return rows, count


def notes_at(cache: _sqlite3.Connection, paths: list[str]) -> dict[str, IndexRow]:
    """The notes at these paths that an index lists, by path."""
    rows = map(IndexRow, cache.execute(_NAMED, (json_array(cache, paths),)))
    return {row.path: row for row in rows}


def changed_since(cache: _sqlite3.Connection, scopes: list[str], generation: int) -> list[IndexRow]:
    """The notes of `scopes` that changed after `generation`, in the same order."""
    return [IndexRow(row) for row in cache.execute(_CHANGED, (json_array(cache, scopes), generation))]


def memory_text_of(cache: _sqlite3.Connection, scope: str) -> str:
    """The text of the scope's MEMORY.md with its doubts, or ''; without its struck entries, and those that a
    newer one in it overtakes."""
    path = f"{scope}/MEMORY.md"
    row = cache.execute("select id, body, body_line from note where path = ?", (path,)).fetchone()
    if row is None:
        return ""
    note, body, start = row
    lines = body.split("\n")
    for first, last, doubt, goes in cache.execute(_SHOWN_OTHERWISE, (note, note + NOTE_SPAN - 1)):
        span = slice(first - start, last - start + 1)
        lines[span] = [] if goes else [with_doubt("\n".join(lines[span]), doubt)]
    return "\n".join(lines)


def entries_at(cache: _sqlite3.Connection, path: str) -> list[PacketEntry]:
    """The last live entries of the note at `path`, in their order."""
    return _entries(cache, _AT, NOTE_SPAN - 1, path, ENTRIES)[::-1]


def pinned_of(cache: _sqlite3.Connection, scopes: list[str]) -> list[PacketEntry]:
    """The pinned entries of these scopes, those that were pinned last first."""
    spans = spans_of(cache, scopes)
    rows = [row for span in spans for row in cache.execute(_PINNED, (span.first, span.last, ENTRIES))]
    return [PacketEntry(row[:-1]) for row in sorted(rows, key=lambda row: -row[-1])]


def by_category(cache: _sqlite3.Connection, scope: str, categories: tuple[str, ...]) -> list[PacketEntry]:
    """The entries of a scope in one of `categories`, of the newest notes first."""
    return [
        entry
        for span in spans_of(cache, [scope])
        for name in categories
        for entry in _entries(cache, _OF_CATEGORY, name, span.first, span.last, ENTRIES)
    ]


def rule_entries(cache: _sqlite3.Connection, scope: str, least: int) -> list[PacketEntry]:
    """The entries of a scope's notes of rules, then of habits, then of all others; of notes whose `rules` are
    at least `least`. The newest notes of each kind come first. MEMORY.md is left out."""
    values = (scope, least, _RULE_NOTES, NOTE_SPAN - 1, _RULE_ENTRIES)
    return [PacketEntry(row, heading) for *row, heading in cache.execute(_OF_RULES, values)]


def report_entries(
    cache: _sqlite3.Connection, scopes: list[str], categories: tuple[str, ...], first: int
) -> list[PacketEntry]:
    """The entries of some categories, or with none of all others, that a report shows, by their scores; those
    that were said, reinforced or verified on the day `first` or later, in days since 1970."""
    query = _OF_REPORT if categories else _OF_NONE
    names = json_array(cache, [*(categories or _CATEGORIES)])
    return _by_score(cache, scopes, query, (names,), (first, ENTRIES))


def doubtful_entries(cache: _sqlite3.Connection, scopes: list[str]) -> list[PacketEntry]:
    """The entries of which something speaks against their truth, by their scores."""
    return _by_score(cache, scopes, _OF_DOUBT, (), (ENTRIES,))


def _by_score(
    cache: _sqlite3.Connection, scopes: list[str], query: str, before: tuple[str, ...], after: tuple[int, ...]
) -> list[PacketEntry]:
    """What a query that ends its rows with a position finds in the spans of these scopes."""
    spans = spans_of(cache, scopes)
    rows = [row for s in spans for row in cache.execute(query, (*before, s.first, s.last, *after))]
    return [PacketEntry(row[:-1]) for row in sorted(rows, key=lambda row: row[-1])]


def first_entries(cache: _sqlite3.Connection, scope: str, without: list[str]) -> list[PacketEntry]:
    """The entries of a scope's first notes, without logs and the categories `without`."""
    return _entries(cache, _FIRST, NOTE_SPAN - 1, scope, json_array(cache, without), ENTRIES)


def daily_notes(cache: _sqlite3.Connection, scope: str) -> list[str]:
    """Paths of the scope's newest notes below `daily/`, newest first."""
    return [path for (path,) in cache.execute(_DAILY, below(f"{scope}/daily"))]


def selected_of(cache: _sqlite3.Connection, project: str, owner: str) -> list[SelectedFile]:
    """What comes first for sessions of a project, by the settings of `owner` (World.tape_owner)."""
    return [SelectedFile(row) for row in cache.execute(_SELECTED, (project, owner))] if project else []


def handoff_of(cache: _sqlite3.Connection, scope: str) -> CachedHandoff | None:
    """The scope's newest handoff."""
    row = cache.execute("select name, ts, text from handoff where scope = ?", (scope,)).fetchone()
    return CachedHandoff(*map(str, row)) if row else None


def _entries(cache: _sqlite3.Connection, query: str, *values: str | int) -> list[PacketEntry]:
    return [PacketEntry(row) for row in cache.execute(query, values)]
