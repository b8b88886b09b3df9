"""Questions to the index of sessions: which messages hold some words, and which stand beside one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.layout import storable
from ctxrepo.storage.sessions.index import BY_AGENT, USED_TOOLS

_ROWS = """
    select m.number, m.session, m.key, m.traits, m.at, m.place, m.name, m.length, {rank} from {source}
"""
_HELD = _ROWS.format(
    rank="bm25(words) as score",
    source="words join message m on m.number = words.rowid where words match :words",
)
_ANY = _ROWS.format(rank="0.0", source="message m where 1")
_TYPES = {
    "user": f"not m.traits & {BY_AGENT}",
    "agent": f"m.traits & {BY_AGENT}",
    "tool": f"m.traits & {USED_TOOLS}",
}
_SINCE = " and m.at >= :since"
_UNTIL = " and m.at <= :until"
_IN = """ and (
    m.session in (select value from json_each(:sessions)) or m.number in (
        select message from copy where session in (select value from json_each(:sessions))
    )
)"""
_TOUCHED = """ and m.number in (
    select message from touched join path on path.number = touched.path
    where path.path = :file or substr(path.path, -length(:file) - 1) = '/' || :file
)"""
_BEST = " order by score, m.at desc limit :most"
_NEWEST = " order by m.at desc, m.place desc limit :most"
_BEFORE = _ANY + " and m.session = ? and m.place < ? order by m.place desc limit ?"
_AFTER = _ANY + " and m.session = ? and m.place > ? order by m.place limit ?"


class MessageRow(NamedTuple):
    """A message as the index has it; `place` is where it begins in the transcript of `session`, a number."""

    number: int
    session: int
    key: int
    traits: int
    at: int
    place: int
    name: str
    length: int
    score: float


@dataclass(frozen=True)
class IndexQuery:
    """Which messages are wanted, and at most how many.

    `words` is an expression of the full-text index, '' for any; `sessions` are numbers, None for all, and
    have what they copied from others. `since` and `until` are Unix seconds, 0 for no bound; both are within.
    `file` is a path or its end. `types` are of `user`, `agent` and `tool` (tools were used); one of them is
    enough, and () is any.
    """

    words: str
    most: int
    sessions: Sequence[int] | None = None
    since: int = 0
    until: int = 0
    file: str = ""
    types: Collection[str] = ()
    is_newest_first: bool = False


def matching(db: sqlite3.Connection, asked: IndexQuery) -> list[MessageRow]:
    """The messages that have all that is asked for: the best first, and of equally good ones the newest; or
    the newest first."""
    types = " or ".join(_TYPES[name] for name in asked.types)
    query = _HELD if asked.words else _ANY
    query += f" and ({types})" if types else ""
    query += _SINCE if asked.since else ""
    query += _UNTIL if asked.until else ""
    query += _IN if asked.sessions is not None else ""
    query += _TOUCHED if asked.file else ""
    query += _BEST if asked.words and not asked.is_newest_first else _NEWEST
    values: dict[str, Any] = {
        "words": storable(asked.words),
        "most": asked.most,
        "since": asked.since,
        "until": asked.until,
        "file": storable(asked.file),
        "sessions": json.dumps([*(asked.sessions or ())]),
    }
    return [MessageRow(*row) for row in db.execute(query, values)]


def beside(db: sqlite3.Connection, row: MessageRow, count: int) -> tuple[list[MessageRow], list[MessageRow]]:
    """The messages before and after one in its transcript, in their order."""
    place = (row.session, row.place, count)
    before, after = (db.execute(query, place).fetchall() for query in (_BEFORE, _AFTER))
    return [MessageRow(*one) for one in reversed(before)], [MessageRow(*one) for one in after]
