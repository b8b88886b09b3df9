"""How the index of sessions is laid out (ADR 55).

A message is a document of the full-text index, under its number. The index keeps words and their positions
and no text: that is read from the agent's own file, from `place` on, when it is shown. A document without its
text can't be taken out of the index, so of a message that is gone only the row goes; no number is given out
twice, and once too many have no row any more everything is built again. `copy` says which sessions, forked
from another one, begin with copies of its messages.
"""

from __future__ import annotations

import sqlite3

from ctxrepo.storage.cache.layout import TOKENIZER

FORMAT = 2

_SCHEMA = f"""
    create table session(
        number integer primary key, name text not null unique, agent text not null, id text not null,
        path text not null, cwd text not null, inode integer not null, size integer not null,
        mtime integer not null, mark text not null, offset integer not null, midline integer not null,
        before blob not null
    );
    create table message(
        number integer primary key autoincrement, session integer not null, key integer not null,
        traits integer not null, at integer not null, place integer not null, name text not null,
        length integer not null
    );
    create index message_place on message(session, place);
    create unique index message_key on message(key);
    create table copy(
        session integer not null, message integer not null, primary key(session, message)
    ) without rowid;
    create table path(number integer primary key, path text not null unique);
    create table touched(
        path integer not null, message integer not null, primary key(path, message)
    ) without rowid;
    create virtual table words using fts5(text, content = '', tokenize = "{TOKENIZER}")
"""
# A virtual table takes its own tables along, and can't go once one of them has.
_THERE = """
    select type, name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'
    order by sql like 'create virtual%' desc
"""


def is_current(db: sqlite3.Connection) -> bool:
    return bool(db.execute("pragma user_version").fetchone()[0] == FORMAT)


def build(db: sqlite3.Connection) -> None:
    """Empty tables in place of whatever is there; inside the caller's transaction."""
    for kind, name in db.execute(_THERE).fetchall():
        db.execute(f'drop {kind} if exists "{name}"')
    for statement in _SCHEMA.split(";\n"):
        db.execute(statement)
    db.execute(f"pragma user_version = {FORMAT}")
