"""What a hook reads from the cache; how it is laid out is agreed here and written by the storage floor."""

import _sqlite3

from ctxrepo.hooks.known.compiled import open_database

FORMAT = "7"
"""Version of the layout, and of the rules by which entries are pinned and superseded.

A cache that says another is as good as none.
"""

BETWEEN_TITLES = "\x1f"
"""Stands between the titles in an entry's `heading`."""

LAST = "\U0010ffff"
"""What comes after any other character: all that begins with a text stands between it and it with this."""

SCOPE_SPAN = 1 << 43
NOTE_SPAN = 1 << 21
"""Whatever can be found has a number: each scope has a range of them, in it each note has one, whose first
number is the note's own and the others its entries'. So to look into a scope is to look at a range."""

Row = tuple[str, str, str, str, int, int]
"""A line of the index: (path, description, tags, updated, pinned, core)."""

Hit = tuple[str, str, str, int, int, str, str, str, float]
"""A recalled entry: (id, path, heading, first line, last line, updated, text, hash, score)."""

Shown = tuple[str, str, str, int, int, str, str]
"""An entry as a packet shows it: (id, hash, path, first line, last line, text, updated)."""

ENTRIES = 200
"""Entries of a note, or of a kind in a scope, that a packet looks at."""

SCRATCHPAD, DAILY = 1, 2
"""Notes that one works with from day to day have lanes of their own, and no line in the index. Items of a
checklist answer no prompt either, as a session is told them when it begins. Lines of a log do: they say when
something was."""

_SCOPE = "select id, entries, notes from scope where name = ?"
_COUNT = "select count(*) from note where scope = ? and listed = 1 and working = 0"
_INDEX = """
    select path, description, tags, updated, pinned, core from note
    where scope = ? and listed = 1 and working = 0
    order by pinned desc, core desc, updated desc, path limit ?"""
_CHANGED = """
    select path, description, tags, updated, pinned, core from note
    where scope in (select value from json_each(?)) and listed = 1 and working < 2 and generation > ?
    order by pinned desc, core desc, updated desc, path"""
_AT = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated
    from note n join entry e on e.rowid between n.id and n.id + ?
    where n.path = ? and n.listed and not e.struck order by e.rowid desc limit ?"""
_PINNED = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated
    from entry e join note n on n.id = e.note
    where e.pinned = 1 and e.struck = 0 and e.pinned and e.rowid between ? and ? and n.listed
    order by n.updated desc, n.path, e.rowid limit ?"""
_OF_CATEGORY = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated
    from entry e join note n on n.id = e.note
    where e.category != '' and e.category = ? and e.rowid between ? and ? and n.listed and not e.struck
    order by n.updated desc, n.path, e.rowid limit ?"""
_FIRST = """
    select e.id, e.hash, n.path, e.first_line, e.last_line, e.text, n.updated
    from note n join entry e on e.rowid between n.id and n.id + ?
    where n.scope = ? and n.listed = 1 and n.working = 0 and n.is_log = 0 and not e.struck
    and e.category not in (select value from json_each(?))
    order by n.pinned desc, n.core desc, n.updated desc, n.path, e.rowid limit ?"""
_DAILY = "select path from note where path > ? and path < ? and listed order by path desc limit 60"
_RECENT = "select path, focus from recent where project = ? order by position"
_SEEN = "select scope, path, stamp from seen where scope in"
_STRUCK = "select first_line, last_line from entry where note = ? and struck order by first_line desc"


def open_cache(path: str) -> _sqlite3.Connection | None:
    """The cache at `path`, or None when it is missing, broken or laid out otherwise."""
    return open_database(path, "select value from meta where key = 'format'", FORMAT)


def box_of(text: str) -> str:
    """What stands in the box of an item of a checklist, ' ', 'x' or 'X'; '' for an entry that is none."""
    marker, _, rest = text.replace("\t", " ").lstrip(" ").partition(" ")
    said = rest.lstrip(" ")
    is_number = marker[-1:] in (".", ")") and marker[:-1].isdecimal() and len(marker) <= 10
    is_item = (is_number or marker in ("-", "*", "+")) and said[3:4] in ("", " ", "\n")
    return said[1] if is_item and said[:3] in ("[ ]", "[x]", "[X]") else ""


def meta(cache: _sqlite3.Connection) -> dict[str, str]:
    return dict(cache.execute("select key, value from meta"))


def generation_of(cache: _sqlite3.Connection) -> int:
    return int(meta(cache).get("generation", "0"))


def head_of(cache: _sqlite3.Connection) -> str:
    """The commit that the cache holds; '' while it holds none as a whole."""
    return meta(cache).get("head", "")


def settled_of(cache: _sqlite3.Connection) -> float:
    """When the worker's last round began that is over, in Unix seconds; 0 where there was none."""
    try:
        return float(meta(cache).get("settled", ""))
    except ValueError:
        return 0.0


def seen_of(cache: _sqlite3.Connection, scopes: list[str]) -> list[tuple[str, str, str]]:
    """(scope, path, stamp) of the watched files and folders of `scopes`: the stamp that each had when it was
    last as the cache has it. None where they can't be read: that is no reason to give a session nothing."""
    try:
        return cache.execute(f"{_SEEN} ({', '.join('?' * len(scopes))})", scopes).fetchall()
    except _sqlite3.Error:
        return []


def spans_of(cache: _sqlite3.Connection, scopes: list[str]) -> list[tuple[int, int, int]]:
    """(first number, how many entries can be found, and how many notes) of each scope that there is."""
    found = [cache.execute(_SCOPE, (scope,)).fetchone() for scope in scopes]
    return [(row[0] * SCOPE_SPAN, row[1], row[2]) for row in found if row is not None]


def index_of(cache: _sqlite3.Connection, scope: str, limit: int) -> tuple[list[Row], int]:
    """The first `limit` notes of a scope in the order they are delivered, and how many there are."""
    count = cache.execute(_COUNT, (scope,)).fetchone()[0]
    return cache.execute(_INDEX, (scope, limit)).fetchall(), int(count)


def changed_since(cache: _sqlite3.Connection, scopes: list[str], generation: int) -> list[Row]:
    """The notes of `scopes` that changed after `generation`, in the same order."""
    names = cache.execute(f"select json_array({', '.join('?' * len(scopes))})", scopes).fetchone()[0]
    return cache.execute(_CHANGED, (names, generation)).fetchall()


def body_of(cache: _sqlite3.Connection, scope: str) -> str:
    """The body of the scope's MEMORY.md without its struck entries, or ''."""
    path = f"{scope}/MEMORY.md"
    row = cache.execute("select id, body, body_line from note where path = ?", (path,)).fetchone()
    if row is None:
        return ""
    lines = row[1].split("\n")
    for first, last in cache.execute(_STRUCK, (row[0],)):
        lines[first - row[2] : last - row[2] + 1] = []
    return "\n".join(lines)


def entries_at(cache: _sqlite3.Connection, path: str) -> list[Shown]:
    """The last live entries of the note at `path`, in their order."""
    return cache.execute(_AT, (NOTE_SPAN - 1, path, ENTRIES)).fetchall()[::-1]


def pinned_of(cache: _sqlite3.Connection, scope: str) -> list[Shown]:
    """The pinned entries of a scope, of the newest notes first."""
    return cache.execute(_PINNED, (*_numbers(cache, scope), ENTRIES)).fetchall()


def by_category(cache: _sqlite3.Connection, scope: str, categories: tuple[str, ...]) -> list[Shown]:
    """The entries of a scope in one of `categories`, of the newest notes first."""
    span = _numbers(cache, scope)
    return [row for name in categories for row in cache.execute(_OF_CATEGORY, (name, *span, ENTRIES))]


def first_entries(cache: _sqlite3.Connection, scope: str, without: list[str]) -> list[Shown]:
    """The entries of a scope's first notes, without logs and the categories `without`."""
    names = cache.execute(f"select json_array({', '.join('?' * len(without))})", without).fetchone()[0]
    return cache.execute(_FIRST, (NOTE_SPAN - 1, scope, names, ENTRIES)).fetchall()


def daily_notes(cache: _sqlite3.Connection, scope: str) -> list[str]:
    """Paths of the scope's newest notes below `daily/`, newest first."""
    return [row[0] for row in cache.execute(_DAILY, (f"{scope}/daily/", f"{scope}/daily0"))]


def recent_of(cache: _sqlite3.Connection, project: str) -> list[tuple[str, str]]:
    """(path, which lines) of the code files of a project that were touched last."""
    return cache.execute(_RECENT, (project,)).fetchall()


def _numbers(cache: _sqlite3.Connection, scope: str) -> tuple[int, int]:
    """The first and last number of a scope."""
    row = cache.execute(_SCOPE, (scope,)).fetchone()
    first = row[0] * SCOPE_SPAN if row else -1
    return (first, first + SCOPE_SPAN - 1 if row else -1)


def handoff_of(cache: _sqlite3.Connection, scope: str) -> tuple[str, str, str] | None:
    """(name, ts, text) of the scope's newest handoff."""
    row = cache.execute("select name, ts, text from handoff where scope = ?", (scope,)).fetchone()
    return (str(row[0]), str(row[1]), str(row[2])) if row else None


def faults_of(cache: _sqlite3.Connection) -> list[tuple[str, str]]:
    """(hash, text) of what is to be told, at most 50."""
    return cache.execute("select hash, text from fault order by rowid limit 50").fetchall()
