"""What a hook reads from the cache: number ranges, entries, notes, faults."""

import _sqlite3

from ctxrepo.domain.text import blake2b
from ctxrepo.hooks.known.world import open_database

FORMAT = "17-26e5ad96"
"""Version of the rules of pins and superseding, and a digest of the layout, which a test of it tells
(tests/storage/cache/test_layout.py); a cache of another counts as missing."""

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

RULES, HABITS = 2, 1
"""Values of `note.rules`: a note whose name or tags say that it holds the person's rules and preferences, and
one that tells of habits, which count in the global scope alone (docs/adr/0099-rules-at-the-start.md)."""

_SCOPE = "select id, entries, notes from scope where name = ?"
_HITS = """
    select e.rowid, e.pinned, e.id, n.path, e.heading, e.first_line, e.last_line, n.updated, e.text, e.hash,
        e.doubt, e.rival, exists(select 1 from doubt where entry = e.id and kind = 'idle' and hash = e.hash)
    from entry e join note n on n.id = e.note where e.rowid in (select value from json_each(?)) and e.found"""
_WATCHED = "select scope, path, stamp from seen where scope in"


DOUBT_MARK = "~"
"""Stands in a hash between that of the text and that of what is doubted of it."""


def version(digest: str, doubt: str) -> str:
    """The hash of an entry as it is given: that of its text, and of what is doubted of it."""
    if not doubt:
        return digest
    return f"{digest}{DOUBT_MARK}{blake2b(doubt.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


class ScopeSpan:
    """The range of numbers of one scope, and how many entries and notes in it can be found."""

    def __init__(self, scope: int, entries: int, notes: int) -> None:
        self.first = scope * SCOPE_SPAN
        self.last = self.first + SCOPE_SPAN - 1
        self.entries = entries
        self.notes = notes


class EntryHit:
    """An entry that was found for a prompt or a file."""

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
        self.own = 100.0
        """How far it stands out by itself, as a multiple of what chance reaches, where that was measured."""
        self.is_pinned = False
        self.is_idle = False
        """Many sessions were given it, and none used it."""
        self.doubt = ""
        """Why it may hold no longer, in brackets."""
        self.rival = ""
        """The id of a newer entry that says otherwise."""

    def doubted(self, doubt: str, rival: str) -> None:
        """Note what is doubted of it; with another doubt it is another entry for whoever was given it."""
        self.doubt, self.rival = doubt, rival
        self.hash = version(self.hash, doubt)


def newest_alone(hits: list[EntryHit]) -> tuple[list[EntryHit], list[tuple[EntryHit, str]]]:
    """The hits without those that another of them overtakes, which stands where the better one did; and those
    that are left out, each with why."""
    by_id = {hit.id: hit for hit in hits}
    heirs: dict[str, EntryHit] = {}
    left_out = []
    for hit in hits:
        heir = hit
        for _ in hits:  # as many steps as a chain may have
            heir = by_id.get(heir.rival, heir)
        if heir is not hit:
            heir.score, heir.own = max(heir.score, hit.score), max(heir.own, hit.own)
            left_out.append((hit, f"^{heir.id} is newer and says otherwise"))
        heirs.setdefault(heir.id, heir)
    return list(heirs.values()), left_out


class CachedFault:
    """A line about what is wrong with the memory itself."""

    def __init__(self, digest: str, text: str) -> None:
        self.hash = digest
        self.text = text


def open_cache(path: str) -> _sqlite3.Connection | None:
    """The cache at `path`, or None when it is missing, broken or laid out otherwise.

    All that is read until it is closed is of one moment, and SQLite locks its file once instead of at each of
    some thirty statements. A process that lives longer than a hook closes it soon: nothing can be cleared
    from the write-ahead log meanwhile."""
    cache = open_database(path, "select value from meta where key = 'format'", FORMAT)
    if cache is not None:
        cache.execute("begin")
    return cache


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
    rows = [cache.execute(_SCOPE, (scope,)).fetchone() for scope in scopes]
    return [ScopeSpan(*row) for row in rows if row is not None]


def hits_at(cache: _sqlite3.Connection, numbers: list[int]) -> dict[int, EntryHit]:
    """Number → entry, for those of `numbers` that can be found; they have no score yet."""
    hits, array = {}, f"[{','.join(map(str, numbers))}]"
    for number, pinned, *row, doubt, rival, idle in cache.execute(_HITS, (array,)):
        hits[number] = hit = EntryHit(row)
        hit.doubted(doubt, rival)
        hit.is_pinned, hit.is_idle = bool(pinned), bool(idle)
    return hits


def faults_of(cache: _sqlite3.Connection) -> list[CachedFault]:
    """The faults that sessions are to be told, at most 50."""
    rows = cache.execute("select hash, text from fault order by rowid limit 50")
    return [CachedFault(digest, text) for digest, text in rows]


def json_array(db: _sqlite3.Connection, texts: list[str]) -> str:
    """These texts as a JSON array."""
    return str(db.execute(f"select json_array({', '.join('?' * len(texts))})", texts).fetchone()[0])
