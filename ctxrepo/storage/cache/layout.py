"""How the cache is laid out: its tables, notes and entries as their rows and back, and putting them in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ctxrepo.domain.note.entry import Entry, explicit_id
from ctxrepo.domain.note.links import mentions_of
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import CHECKLIST, MEMORY, is_aside
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.text import blake2b
from ctxrepo.domain.words.prompt_terms import runs, spelled
from ctxrepo.hooks.known.cached import (
    BETWEEN_TITLES,
    DAILY,
    FORMAT,
    NOTE_SPAN,
    SCOPE_SPAN,
    SCRATCHPAD,
    box_of,
)
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.processes.database import drop_everything

TOKENIZER = "porter unicode61 remove_diacritics 2"
"""How texts become words in the index."""

_SCHEMA = """
    create table meta(key text primary key, value text not null) without rowid;
    create table scope(
        id integer primary key, name text not null unique, entries integer not null, notes integer not null
    );
    create table note(
        id integer primary key, path text not null unique, scope text not null, description text not null,
        tags text not null, updated text not null, pinned integer not null, core integer not null,
        listed integer not null, generation integer not null, body text not null,
        body_line integer not null, problem text not null, hash text not null, context text not null,
        day text not null, is_log integer not null, entries integer not null, working integer not null
    );
    create index note_order on note(scope, listed, working, pinned desc, core desc, updated desc, path);
    create index note_generation on note(generation);
    create index note_problem on note(problem) where problem != '';
    create table entry(
        rowid integer primary key, note integer not null, id text not null, heading text not null,
        text text not null, first_line integer not null, last_line integer not null,
        pinned integer not null, struck integer not null, hash text not null, found integer not null,
        spelled text not null, category text not null
    );
    create index entry_marked on entry(pinned, struck) where pinned or struck;
    create index entry_category on entry(category) where category != '';
    create view document(id, text) as
        select id, context from note where listed
        union all
        select rowid, heading || ' ' || text || ' ' || spelled from entry where found;
    create table mention(name text not null, entry integer not null, primary key(name, entry)) without rowid;
    create table handoff(scope text primary key, name text not null, ts text not null, text text not null);
    create table recent(
        project text not null, owner text not null, position integer not null, top text not null,
        path text not null, rank integer not null, why text not null, primary key(project, owner, position)
    ) without rowid;
    create table seen(
        scope text not null, path text not null, stamp text not null, primary key(scope, path)
    );
    create table fault(hash text primary key, text text not null)
"""
_WORDS = f"""
    create virtual table words using fts5(
        text, content = document, content_rowid = id, columnsize = 0, detail = none, tokenize = "{TOKENIZER}"
    )
"""


def is_current(db: sqlite3.Connection) -> bool:
    if not db.execute("select 1 from sqlite_master where name = 'meta'").fetchone():
        return False
    row = db.execute("select value from meta where key = 'format'").fetchone()
    return bool(row and row[0] == FORMAT)


INDEX_OF_IDS = "create index if not exists entry_id on entry(id)"


def build(db: sqlite3.Connection) -> None:
    """Empty tables in place of whatever is there; inside the caller's transaction."""
    drop_everything(db)
    for statement in (*_SCHEMA.split(";\n"), _WORDS):
        db.execute(statement)
    db.execute(INDEX_OF_IDS)
    start = {"format": FORMAT, "generation": "0", "head": "", "settled": "0"}
    db.executemany("insert into meta values (?, ?)", start.items())


_HUMP = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|[^\x00-\u10ff]")
"""What a run that is spelled out has in it: camelCase, and scripts that are written without spaces."""

_DAILY = lazy_pattern(r"daily/\d{4}-\d{2}-\d{2}\.md")

_DAY = lazy_pattern(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


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
    """An entry with its marks; `hash` changes when its text does."""

    entry: Entry
    is_pinned: bool
    is_struck: bool
    hash: str


class NewestHandoff(NamedTuple):
    """The handoff that sessions in a scope begin with; `ts` begins with its day, an empty `text` is none."""

    scope: str
    name: str = ""
    ts: str = ""
    text: str = ""


_ROWID, _TEXT, _PINNED, _STRUCK = 0, 4, 7, 8
"""Where a row of the table `entry` has these columns."""


class Rows(NamedTuple):
    """A note as rows: its own, those of its entries, and (name, entry) for each file that they name."""

    id: int
    note: tuple[object, ...]
    entries: list[tuple[Any, ...]]
    mentions: list[tuple[str, int]]


def rows_of(note: Note, note_id: int, marks: Marks, generation: int) -> Rows:
    """The rows of a note, whose entries have the numbers that follow its own."""
    is_listed, working = not is_aside(note.path), _working(note.path.partition("/")[2])
    numbered = enumerate(note.entries, note_id + 1)
    entries = [_entry_row(rowid, note_id, entry, marks, is_listed, working) for rowid, entry in numbered]
    has_pinned = any(row[_PINNED] and not row[_STRUCK] for row in entries)
    recalled = [row for row in entries if is_recalled(row[_TEXT], is_listed, working)]
    mentions = [(name, row[_ROWID]) for row in recalled for name in mentions_of(row[_TEXT])]
    return Rows(note_id, _note_row(note, note_id, has_pinned, generation), entries, mentions)


def _note_row(note: Note, note_id: int, is_pinned: bool, generation: int) -> tuple[object, ...]:
    head, path = note.head, storable(note.path)
    scope, _, rest = path.partition("/")
    body, first = _memory_body(note) if rest == MEMORY else ("", 0)
    description, tags = storable(head.description), storable(", ".join(head.tags))
    name = rest.removesuffix(MEMORY).removesuffix(".md")
    dated = _DAY.search(path.rpartition("/")[2])
    context = f"{description}\n{tags}\n{name}"
    updated = head.updated or head.created
    shown = (description, tags, updated, is_pinned, rest.startswith("core/"), not is_aside(path))
    hashed = digest_of(storable(note.text))
    content = (body, first, storable(head.problem), hashed, f"{context}\n{spelled_out(context)}")
    day = (dated[0] if dated else updated, dated is not None)
    return (note_id, path, scope, *shown, generation, *content, *day, len(note.entries), _working(rest))


def _working(rest: str) -> int:
    """Whether a note, by its path in the scope, is the checklist or a log of the day."""
    if rest == CHECKLIST:
        return SCRATCHPAD
    return DAILY if rest.startswith("daily/") and _DAILY.fullmatch(rest) else 0


def _memory_body(note: Note) -> tuple[str, int]:
    """The body of a scope's MEMORY.md without blank lines around it, and the line it begins on."""
    body = _lines(note.body)
    return body.strip("\n"), note.head.lines + 1 + len(body) - len(body.lstrip("\n"))


def _entry_row(
    rowid: int, note_id: int, entry: Entry, marks: Marks, is_listed: bool, working: int
) -> tuple[Any, ...]:
    text = _lines(entry.text)
    heading = BETWEEN_TITLES.join(map(storable, entry.heading))
    place = (entry.first_line, entry.last_line)
    is_struck = entry.id in marks.struck
    is_found = is_recalled(text, is_listed, working) and not is_struck
    shown = (is_pinned(entry, marks), is_struck, hash_of(entry), is_found)
    # Ten thousand notes are looked at in one go, and most entries have no bracket at all.
    found_by = (spelled_out(f"{heading} {text}"), entry.category if "[" in text else "")
    return (rowid, note_id, entry.id, heading, text, *place, *shown, *found_by)


def is_recalled(text: str, is_listed: bool, working: int) -> bool:
    """Whether prompts and edits may bring an entry with this text as long as nothing strikes it."""
    return is_listed and not (working == SCRATCHPAD and box_of(text))


def spelled_out(text: str) -> str:
    """The words that the index would not see in a text, ' ' between them; '' for most texts."""
    if not _HUMP.search(text):
        return ""
    return " ".join([word for run in runs(text) for word in spelled(run)])


def is_pinned(entry: Entry, marks: Marks) -> bool:
    """Whether a mark or its author's words pin the entry."""
    # Ten thousand notes are looked at in one go: the cheap question first.
    return entry.id in marks.pinned or ("(" in entry.text and entry.is_pinned)


def read_entry(row: Sequence[Any]) -> CachedEntry:
    entry_id, path, heading, text, first, last, pinned, struck, digest = row
    titles = tuple(heading.split(BETWEEN_TITLES)) if heading else ()
    return CachedEntry(Entry(entry_id, path, text, titles, first, last), bool(pinned), bool(struck), digest)


def read_note(row: Sequence[Any]) -> CachedNote:
    return CachedNote(*row[:5], *map(bool, row[5:8]), *row[8:])


def _lines(text: str) -> str:
    return storable(text.replace("\r\n", "\n") if "\r" in text else text)


def storable(text: str) -> str:
    """SQLite keeps no half surrogates: they become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def hash_of(entry: Entry) -> str:
    """A hash that changes with the entry's text. A derived id does so already; an id that a person gave
    doesn't, so then the text is hashed."""
    text = _lines(entry.text)
    return digest_of(text) if explicit_id(text) else entry.id


def digest_of(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


_PUT_NOTE = "insert into note values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_ENTRY = "insert into entry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_MENTION = "insert or ignore into mention values (?, ?)"
_DROP_MENTION = "delete from mention where name = ? and entry = ?"
_INDEX = "insert into words(rowid, text) select id, text from document where id between ? and ?"
_UNINDEX = """
    delete from words where rowid in (
        select id from note where id = ?1 and listed union all
        select rowid from entry where rowid between ?1 and ?2 and found
    )
"""
_RECOUNT = """
    update scope set entries = (
        select count(*) from entry where rowid between scope.id * ?1 and (scope.id + 1) * ?1 - 1 and found
    ), notes = (
        select count(*) from note where id between scope.id * ?1 and (scope.id + 1) * ?1 - 1 and listed
    ) where id in (select value from json_each(?2))
"""


def put(db: sqlite3.Connection, rows: Sequence[Rows]) -> None:
    """Insert notes and their entries; `index` must follow."""
    db.executemany(_PUT_NOTE, [row.note for row in rows])
    db.executemany(_PUT_ENTRY, [entry for row in rows for entry in row.entries])
    db.executemany(_PUT_MENTION, [mention for row in rows for mention in row.mentions])


def index(db: sqlite3.Connection, first: int, last: int) -> None:
    """Add the documents with these numbers to the full-text index. None of them may be in it yet."""
    db.execute(_INDEX, (first, last))


def drop(db: sqlite3.Connection, note_id: int) -> None:
    """Take a note and its entries out."""
    span = (note_id, note_id + NOTE_SPAN - 1)
    db.execute(_UNINDEX, span)
    texts = db.execute("select rowid, text from entry where rowid between ? and ?", span).fetchall()
    db.executemany(_DROP_MENTION, [(name, number) for number, text in texts for name in mentions_of(text)])
    db.execute("delete from entry where rowid between ? and ?", span)
    db.execute("delete from note where id = ?", (note_id,))


def recount(db: sqlite3.Connection, scopes: Iterable[int]) -> None:
    """Note how many entries and notes can be found in each of these scopes."""
    db.execute(_RECOUNT, (SCOPE_SPAN, json.dumps(list(scopes))))


def put_handoffs(db: sqlite3.Connection, handoffs: Iterable[NewestHandoff]) -> None:
    """Put the newest handoff of these scopes in the place of the one before."""
    for handoff in handoffs:
        row = tuple(map(storable, handoff._replace(text=handoff.text.strip("\r\n"))))
        db.execute("delete from handoff where scope = ?", row[:1])
        if row[-1]:
            db.execute("insert into handoff values (?, ?, ?, ?)", row)


def set_meta(db: sqlite3.Connection, **values: str) -> None:
    """Set keys of the cache's table `meta`."""
    db.executemany("insert or replace into meta values (?, ?)", values.items())


def new_number(db: sqlite3.Connection, scope: str) -> int:
    """A number for another note of the scope, which is given a range of its own if it has none."""
    db.execute("insert or ignore into scope(name, entries, notes) values (?, 0, 0)", (scope,))
    start = db.execute("select id from scope where name = ?", (scope,)).fetchone()[0] * SCOPE_SPAN
    span = (start, start + SCOPE_SPAN - 1)
    last = db.execute("select max(id) from note where id between ? and ?", span).fetchone()[0]
    return int(start if last is None else last) + NOTE_SPAN
