"""How the cache is laid out: its tables, and notes and entries from their rows."""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.note.entry import Entry, explicit_id
from ctxrepo.domain.text import blake2b
from ctxrepo.domain.words.prompt_terms import last_characters, plain, runs, spelled
from ctxrepo.hooks.known.cached import BETWEEN_TITLES, FORMAT
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.processes.database import TOKENIZER, Schema, storable

if TYPE_CHECKING:
    from ctxrepo.domain.records.evidence import Marks


ITEM_WORDS = f"create virtual table words using fts5(text, content = '', tokenize = \"{TOKENIZER}\")"
INDEX_OF_IDS = "create index if not exists entry_id on entry(id)"


class CacheSchema(Schema):
    """The cache's format stands in its table `meta`, where hooks look for it."""

    def is_current(self, db: sqlite3.Connection) -> bool:
        if not db.execute("select 1 from sqlite_master where name = 'meta'").fetchone():
            return False
        row = db.execute("select value from meta where key = 'format'").fetchone()
        return bool(row and row[0] == self.format)

    def build(self, db: sqlite3.Connection) -> None:
        self.make_tables(db)
        db.execute(INDEX_OF_IDS)
        set_meta(db, format=FORMAT, generation="0", head="", settled="0")


SCHEMA = CacheSchema(FORMAT, __spec__, "cache.sql")


_HUMP = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|[^\x00-\u0590]")
"""What a run that is spelled out has in it: camelCase, and scripts without spaces or with glued articles."""


@dataclass(frozen=True)
class CachedNote:
    """A note's line of the index; `updated` is YYYY-MM-DD or '', `tags` are joined by ', '."""

    path: str
    scope: str
    description: str
    tags: str
    updated: str
    is_pinned: bool
    is_core: bool
    is_listed: bool
    generation: int
    problem: str


@dataclass(frozen=True)
class CachedEntry:
    """An entry with its marks; `hash` changes when its text does. `is_struck`: superseded; `is_expired`: past
    the last day on which it is delivered."""

    entry: Entry
    is_pinned: bool
    is_struck: bool
    hash: str
    is_expired: bool = False
    doubt: str = ""
    """Why it may hold no longer, in brackets, as it is told with the entry."""


SUPERSEDED, EXPIRED = 1, 2
"""Values of `entry.struck` for what is not delivered."""


FaultKind = Literal[
    "settings", "clone", "bounds", "refused", "held", "hidden", "skipped", "note", "conflict", "deletion",
    "remote", "block", "proposal",
]  # fmt: skip


class Fault(NamedTuple):
    """One line that sessions are told about something wrong with the memory."""

    kind: FaultKind
    text: str


class NewestHandoff(NamedTuple):
    """The handoff that sessions in a scope begin with; `ts` begins with its day, an empty `text` is none."""

    scope: str
    name: str = ""
    ts: str = ""
    text: str = ""


def spelled_out(text: str) -> str:
    """The words that the index would not see in a text, ' ' between them; '' for most texts."""
    unified = plain(text)
    if unified == text and not _HUMP.search(text):
        return ""
    if text.isascii():
        return " ".join([word for run in runs(text) for word in spelled(run)])
    seen, words = set(runs(text.lower())), []
    for run in runs(unified):
        folded = run.casefold()
        words += [*([] if folded in seen else [folded]), *spelled(run), *last_characters(run)]
    return " ".join(words)


def is_pinned(entry: Entry, marks: "Marks") -> bool:
    """Whether a mark or its author's words pin the entry."""
    # Ten thousand notes are looked at in one go: the cheap question first.
    return entry.id in marks.pinned or ("(" in entry.text and entry.is_pinned)


def pinned_at(entry: Entry, marks: "Marks") -> int:
    """When a mark pinned the entry, in seconds since 1970; 1 where only its author's words do, 0 if it isn't
    pinned."""
    if not is_pinned(entry, marks):
        return 0
    return max(1, int(seconds_of(marks.pinned_at.get(entry.id, "")) or 1))


def read_entry(row: Sequence[Any]) -> CachedEntry:
    entry_id, path, heading, text, first, last, pinned, struck, digest, doubt = row
    titles = tuple(heading.split(BETWEEN_TITLES)) if heading else ()
    entry = Entry(entry_id, path, text, titles, first, last)
    return CachedEntry(
        entry, bool(pinned), struck == SUPERSEDED, digest, is_expired=struck == EXPIRED, doubt=doubt
    )


def read_note(row: Sequence[Any]) -> CachedNote:
    return CachedNote(*row[:5], *map(bool, row[5:8]), *row[8:])


def lines_of(text: str) -> str:
    return storable(text.replace("\r\n", "\n") if "\r" in text else text)


def hash_of(entry: Entry) -> str:
    """A hash that changes with the entry's text. A derived id does so already; an id that a person gave
    doesn't, so then the text is hashed."""
    text = lines_of(entry.text)
    return digest_of(text) if explicit_id(text) else entry.id


def digest_of(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def meta_of(db: sqlite3.Connection, key: str) -> str:
    """A value of the cache's table `meta`; '' without one."""
    row = db.execute("select value from meta where key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def set_meta(db: sqlite3.Connection, /, **values: str) -> None:
    """Set keys of the cache's table `meta`."""
    db.executemany("insert or replace into meta values (?, ?)", values.items())
