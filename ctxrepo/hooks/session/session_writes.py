"""Which changed notes a session must be told of: those that differ from what it wrote last itself."""

import _sqlite3

from ctxrepo.hooks.known.notes import IndexRow
from ctxrepo.hooks.session.record import NO_TEXT
from ctxrepo.hooks.session.session import Session

_FLAWED = "select path, problem from note where problem != '' and path in"
_HASHES = "select path, hash from note where path in (select value from json_each(?))"


def changed_by_others(cache: _sqlite3.Connection, rows: list[IndexRow], session: Session) -> list[IndexRow]:
    """The changed notes that somebody else wrote last. For the others the ledger notes that the cache has
    caught up with the session's write."""
    wrote = session.record.wrote if rows else {}
    if not wrote:
        return rows
    names = cache.execute(f"select json_array({', '.join('?' * len(wrote))})", list(wrote)).fetchone()[0]
    there = dict(cache.execute(_HASHES, (names,)))
    own = {row.path for row in rows if wrote.get(row.path) == there.get(row.path, NO_TEXT)}
    for path in sorted(own):
        session.note_arrived(path)
    return [row for row in rows if row.path not in own]


def head_flaws(cache: _sqlite3.Connection, paths: list[str]) -> list[str]:
    """What is wrong with the heads of the notes at `paths`, a line each."""
    if not paths:
        return []
    rows = cache.execute(f"{_FLAWED} ({', '.join('?' * len(paths))}) order by path", paths)
    return [
        f"{path}, which this session wrote: {problem}. `ctxrepo check` tells more." for path, problem in rows
    ]
