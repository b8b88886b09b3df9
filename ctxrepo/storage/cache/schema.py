"""How the cache is laid out.

A note and an entry are each a document of the full-text index, under the number they have in their tables;
each scope has a range of numbers. The index stores neither texts nor positions; it reads both
from the view `document`, also when a document is deleted. So delete a document from the index before its row
changes, and insert it afterwards. The index doesn't rank; hooks/recall/query.py does.

An entry is `found` when a prompt or an edit may bring it: its note isn't laid aside, nothing strikes it, and
it is no item of a checklist.
"""

from __future__ import annotations

import sqlite3

from ctxrepo.hooks.known.cached import FORMAT

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
# A virtual table takes its own tables along, and can't go once one of them has.
_THERE = """
    select type, name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'
    order by sql like 'create virtual%' desc
"""


def is_current(db: sqlite3.Connection) -> bool:
    if not db.execute("select 1 from sqlite_master where name = 'meta'").fetchone():
        return False
    row = db.execute("select value from meta where key = 'format'").fetchone()
    return bool(row and row[0] == FORMAT)


INDEX_OF_IDS = "create index if not exists entry_id on entry(id)"


def build(db: sqlite3.Connection) -> None:
    """Empty tables in place of whatever is there; inside the caller's transaction."""
    for kind, name in db.execute(_THERE).fetchall():
        db.execute(f'drop {kind} if exists "{name}"')
    for statement in (*_SCHEMA.split(";\n"), _WORDS):
        db.execute(statement)
    db.execute(INDEX_OF_IDS)
    start = {"format": FORMAT, "generation": "0", "head": "", "settled": "0"}
    db.executemany("insert into meta values (?, ?)", start.items())
