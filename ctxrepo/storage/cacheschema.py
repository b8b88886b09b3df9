"""How the cache is laid out."""

from __future__ import annotations

import sqlite3

from ctxrepo.hot.cache import FORMAT

_SCHEMA = """
    create table meta(key text primary key, value text not null) without rowid;
    create table note(
        id integer primary key, path text not null unique, scope text not null, description text not null,
        tags text not null, updated text not null, pinned integer not null, core integer not null,
        listed integer not null, generation integer not null, body text not null,
        body_line integer not null, problem text not null, hash text not null
    );
    create index note_order on note(scope, listed, pinned desc, core desc, updated desc, path);
    create index note_generation on note(generation);
    create table entry(
        rowid integer primary key, note integer not null, id text not null, heading text not null,
        text text not null, first_line integer not null, last_line integer not null,
        pinned integer not null, struck integer not null, hash text not null
    );
    create index entry_note on entry(note);
    create index entry_id on entry(id);
    create index entry_marked on entry(pinned, struck) where pinned or struck;
    create virtual table entry_fts using fts5(
        text, heading, context, scope, tokenize = "porter unicode61 remove_diacritics 2"
    );
    create table handoff(scope text primary key, name text not null, ts text not null, text text not null);
    create table fault(hash text primary key, text text not null)
"""
_OWN_TABLES = """
    select name from sqlite_master
    where type = 'table' and name not like 'sqlite_%' and name not like 'entry\\_fts\\__%' escape '\\'
"""


def is_current(db: sqlite3.Connection) -> bool:
    if not db.execute("select 1 from sqlite_master where name = 'meta'").fetchone():
        return False
    row = db.execute("select value from meta where key = 'format'").fetchone()
    return bool(row and row[0] == FORMAT)


def build(db: sqlite3.Connection) -> None:
    """Empty tables in place of whatever is there; inside the caller's transaction."""
    for (name,) in db.execute(_OWN_TABLES).fetchall():
        db.execute(f'drop table "{name}"')
    for statement in _SCHEMA.split(";\n"):
        db.execute(statement)
    start = {"format": FORMAT, "generation": "0", "head": "", "settled": "0", "entries": "0"}
    db.executemany("insert into meta values (?, ?)", start.items())
