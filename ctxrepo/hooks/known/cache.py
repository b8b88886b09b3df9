"""What a hook reads from the cache. The tables are in storage/cache/schema.py; number ranges and the version
of the layout, which both sides need, are here.

What packets show of notes is read in `known/notes.py`, which few hooks load.
"""

import _sqlite3

from ctxrepo.hooks.known.compiled import open_database

FORMAT = "8"
"""Version of the layout, and of the rules by which entries are pinned and superseded. A cache of another
version counts as missing."""

BETWEEN_TITLES = "\x1f"
"""Stands between the titles in an entry's `heading`."""

LAST = "\U0010ffff"
"""The last character in SQLite's order: texts that begin with `start` are between it and `start + LAST`."""

SCOPE_SPAN = 1 << 43
NOTE_SPAN = 1 << 21
"""Every note and entry has a number. A scope has a range of numbers, and each of its notes a range within it:
the first number is the note's own, the others are its entries'. So to search a scope is to search a range
(docs/adr/0023-what-can-be-found-has-a-number.md)."""

SCRATCHPAD, DAILY = 1, 2
"""Values of `note.working`. Such notes have lanes of their own and no line in the index. Items of a checklist
answer no prompt either, because a session is told them at its start. Lines of a log do: they say when
something happened (docs/adr/0027-work-in-progress-is-notes.md)."""

_SCOPE = "select id, entries, notes from scope where name = ?"
_HITS = """
    select e.rowid, e.pinned, e.id, n.path, e.heading, e.first_line, e.last_line, n.updated, e.text, e.hash
    from entry e join note n on n.id = e.note where e.rowid in (select value from json_each(?)) and e.found"""
_WATCHED = "select scope, path, stamp from seen where scope in"


class ScopeSpan:
    """The range of numbers of one scope, and how many entries and notes in it can be found."""

    __slots__ = ("entries", "first", "last", "notes")

    def __init__(self, scope: int, entries: int, notes: int) -> None:
        self.first = scope * SCOPE_SPAN
        self.last = self.first + SCOPE_SPAN - 1
        self.entries = entries
        self.notes = notes


class EntryHit:
    """An entry that was found for a prompt or a file."""

    __slots__ = (
        "first_line", "hash", "heading", "id", "is_pinned", "last_line", "path", "score", "text", "updated",
    )  # fmt: skip

    def __init__(self, row: tuple[str, str, str, int, int, str, str, str], score: float = 0.0) -> None:
        (
            self.id,
            self.path,
            self.heading,
            self.first_line,
            self.last_line,
            self.updated,
            self.text,
            self.hash,
        ) = row
        self.score = score
        """How well it fits: the higher, the better."""
        self.is_pinned = False


class CachedFault:
    """A line about what is wrong with the memory itself."""

    __slots__ = ("hash", "text")

    def __init__(self, digest: str, text: str) -> None:
        self.hash = digest
        self.text = text


def open_cache(path: str) -> _sqlite3.Connection | None:
    """The cache at `path`, or None when it is missing, broken or laid out otherwise."""
    return open_database(path, "select value from meta where key = 'format'", FORMAT)


def box_of(text: str) -> str:
    """The mark in the box of a checklist's item: ' ', 'x' or 'X'; '' for a text that is no such item."""
    marker, _, rest = text.replace("\t", " ").lstrip(" ").partition(" ")
    item = rest.lstrip(" ")
    is_number = marker[-1:] in (".", ")") and marker[:-1].isdecimal() and len(marker) <= 10
    is_item = (is_number or marker in ("-", "*", "+")) and item[3:4] in ("", " ", "\n")
    return item[1:2] if is_item and item[:3] in ("[ ]", "[x]", "[X]") else ""


def meta(cache: _sqlite3.Connection) -> dict[str, str]:
    return dict(cache.execute("select key, value from meta"))


def generation_of(cache: _sqlite3.Connection) -> int:
    return int(meta(cache).get("generation", "0"))


def commit_of(cache: _sqlite3.Connection) -> str:
    """The commit that the cache holds; '' while it holds none as a whole."""
    return meta(cache).get("head", "")


def last_round_of(cache: _sqlite3.Connection) -> float:
    """When the worker's last finished round began, in Unix seconds; 0 where none has finished."""
    try:
        return float(meta(cache).get("settled", ""))
    except ValueError:
        return 0.0


def watched_of(cache: _sqlite3.Connection, scopes: list[str]) -> list[tuple[str, str, str]]:
    """(scope, path, stamp) of the watched files of `scopes`: the stamp that each had when the cache held it
    as it was on disk. Empty where they can't be read: that is no reason to give a session nothing."""
    try:
        return cache.execute(f"{_WATCHED} ({', '.join('?' * len(scopes))})", scopes).fetchall()
    except _sqlite3.Error:
        return []


def below(folder: str) -> tuple[str, str]:
    """Two texts between which all paths below a folder are: `0` is the character after `/`."""
    return f"{folder}/", f"{folder}0"


def spans_of(cache: _sqlite3.Connection, scopes: list[str]) -> list[ScopeSpan]:
    """The spans of `scopes`, without those that the cache doesn't have."""
    found = [cache.execute(_SCOPE, (scope,)).fetchone() for scope in scopes]
    return [ScopeSpan(*row) for row in found if row is not None]


def hits_at(cache: _sqlite3.Connection, numbers: list[int]) -> dict[int, EntryHit]:
    """Number → entry, for those of `numbers` that can be found; they have no score yet."""
    found = {}
    for number, pinned, *row in cache.execute(_HITS, (f"[{','.join(map(str, numbers))}]",)):
        found[number] = hit = EntryHit(row)
        hit.is_pinned = bool(pinned)
    return found


def faults_of(cache: _sqlite3.Connection) -> list[CachedFault]:
    """The faults that sessions are to be told, at most 50."""
    rows = cache.execute("select hash, text from fault order by rowid limit 50")
    return [CachedFault(digest, text) for digest, text in rows]
