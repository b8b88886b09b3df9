"""Notes and entries into the cache and out of it again, in step with the full-text index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from ctxrepo.domain.note.links import mentions_of
from ctxrepo.hooks.known.cached import NOTE_SPAN, SCOPE_SPAN
from ctxrepo.storage.cache.rows import NewestHandoff, Rows, storable

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
