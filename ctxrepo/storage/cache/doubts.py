"""Doubts in the cache: a table of all, and with each entry the one that is told with it, for hooks."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxrepo.domain.doubts.doubt import Doubt, first_told
from ctxrepo.storage.cache.layout import stamp_part
from ctxrepo.storage.processes.database import storable

_ALL = "select entry, path, kind, subject, words, since, by, sure, hash from doubt"
_HOLDING = """
    select d.entry, d.path, d.kind, d.subject, d.words, d.since, d.by, d.sure
    from doubt d join entry e on e.id = d.entry and e.hash = d.hash
    where not e.struck order by d.path, e.first_line, d.kind, d.subject"""
_CONCERNED = """
    select rowid, id, hash, struck, pinned, doubt, rival from entry
    where doubt != '' or id in (select entry from doubt)"""
_SHOW = "update entry set doubt = ?, rival = ? where rowid = ?"
_PUT = "insert or replace into doubt values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_STAMP = "select count(*), max(generation), total(id) from note where scope = ?"


def all_doubts(db: sqlite3.Connection) -> list[Doubt]:
    """All doubts about entries as they are now, by path and line; none of a superseded one."""
    return list(map(_doubt, db.execute(_HOLDING)))


def _doubt(row: Sequence[Any]) -> Doubt:
    *texts, is_sure = row
    return replace(Doubt(*texts), is_sure=bool(is_sure))


def stamp_of_scope(db: sqlite3.Connection, scope: str) -> str:
    """What changes when a note of the scope does, or a mark of one of its entries."""
    return " ".join(map(str, db.execute(_STAMP, (storable(scope),)).fetchone()))


def put_doubts(
    db: sqlite3.Connection, scope: str, source: str, doubts: Mapping[Doubt, str], stamp: str
) -> None:
    """Put what a source found in a scope in the place of what it found before, within the caller's
    transaction. With each doubt comes the hash of the entry that was judged: another text is in no doubt."""
    scope = storable(scope)
    db.execute("delete from doubt where scope = ? and source = ?", (scope, source))
    for doubt, digest in doubts.items():
        texts = (doubt.entry, doubt.path, doubt.kind, doubt.subject, doubt.words, doubt.since, doubt.by)
        db.execute(_PUT, (*map(storable, texts), doubt.is_sure, digest, scope, source))
    stamp_part(db, source, stamp, scope)
    show_doubts(db)


def drop_doubts(db: sqlite3.Connection, entries: Iterable[str]) -> None:
    """Drop all doubts about these entries, within the caller's transaction."""
    db.executemany("delete from doubt where entry = ?", ((storable(entry),) for entry in entries))
    show_doubts(db)


def show_doubts(db: sqlite3.Connection) -> None:
    """Have each entry tell its first doubt, and which newer one is given in its place."""
    by_entry: defaultdict[tuple[str, str], list[Doubt]] = defaultdict(list)
    for *row, digest in db.execute(_ALL):
        doubt = _doubt(row)
        by_entry[doubt.entry, digest].append(doubt)
    due = []
    for rowid, entry, digest, is_struck, is_pinned, *shown in db.execute(_CONCERNED).fetchall():
        doubts = [] if is_struck else by_entry[entry, digest]
        told = first_told(doubts)
        fresh = [told.told if told else "", "" if is_pinned else _rival(doubts)]
        if fresh != shown:
            due.append((*fresh, rowid))
    db.executemany(_SHOW, due)


def _rival(doubts: Iterable[Doubt]) -> str:
    """The newer entry that is given in its place. What a person pinned doesn't step back for one, nor does
    what only may be overtaken: it would be lost from view if it still holds."""
    return next((doubt.by for doubt in doubts if doubt.kind == "overtaken" and doubt.is_sure), "")
