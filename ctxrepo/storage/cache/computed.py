"""What is computed from notes and more: doubts, scores, and files that come first, each part with a stamp of
what it was made from. The worker computes it for hooks, which find the first doubt with its entry."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxrepo.domain.doubts.doubt import Doubt, first_told
from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.score.standing import Activity, EntryStanding
from ctxrepo.storage.processes.database import storable

if TYPE_CHECKING:
    from ctxrepo.domain.tape.touched_files import FirstFile

_SQL = texts_beside(__spec__, "computed.sql")

RECENT, SCORES, ACTIVE = "recent", "score", "changed_file"
"""Names of parts, each that of its table; the last is made for each checkout, and doubts for each scope and
source."""


def stamp_of_part(db: sqlite3.Connection, part: str, about: str = "") -> str:
    """The stamp of what a part was made from, '' where it wasn't yet; it is `about` a scope, a checkout, or
    all."""
    row = db.execute(_SQL["stamp_of_part"], (part, storable(about))).fetchone()
    return str(row[0]) if row else ""


def _stamp(db: sqlite3.Connection, part: str, stamp: str, about: str = "") -> None:
    db.execute("insert or replace into part values (?, ?, ?)", (part, storable(about), stamp))


def stamp_of_scope(db: sqlite3.Connection, scope: str) -> str:
    """What changes when a note of the scope does, or a mark of one of its entries."""
    return " ".join(map(str, db.execute(_SQL["stamp_of_scope"], (storable(scope),)).fetchone()))


def all_doubts(db: sqlite3.Connection) -> list[Doubt]:
    """All doubts about entries as they are now, by path and line; none of a superseded one."""
    return list(map(_doubt, db.execute(_SQL["all_doubts"])))


def _doubt(row: Sequence[Any]) -> Doubt:
    *texts, is_sure = row
    return replace(Doubt(*texts), is_sure=bool(is_sure))


def put_doubts(
    db: sqlite3.Connection, scope: str, source: str, doubts: Mapping[Doubt, str], stamp: str
) -> None:
    """Put what a source found in a scope in the place of what it found before. With each doubt comes the hash
    of the entry that was judged: another text is in no doubt."""
    scope = storable(scope)
    db.execute("delete from doubt where scope = ? and source = ?", (scope, source))
    for doubt, digest in doubts.items():
        texts = (doubt.entry, doubt.path, doubt.kind, doubt.subject, doubt.words, doubt.since, doubt.by)
        db.execute(_SQL["put_doubt"], (*map(storable, texts), doubt.is_sure, digest, scope, source))
    _stamp(db, source, stamp, scope)
    show_doubts(db)


def drop_doubts(db: sqlite3.Connection, entries: Iterable[str]) -> None:
    """Drop all doubts about these entries."""
    db.executemany("delete from doubt where entry = ?", ((storable(entry),) for entry in entries))
    show_doubts(db)


def show_doubts(db: sqlite3.Connection) -> None:
    """Have each entry tell its first doubt, and which newer one is given in its place."""
    by_entry: defaultdict[tuple[str, str], list[Doubt]] = defaultdict(list)
    for *row, digest in db.execute(_SQL["doubts_of_any_text"]):
        doubt = _doubt(row)
        by_entry[doubt.entry, digest].append(doubt)
    due = []
    for rowid, entry, digest, is_struck, is_pinned, *current in db.execute(_SQL["concerned"]).fetchall():
        doubts = [] if is_struck else by_entry[entry, digest]
        first_doubt = first_told(doubts)
        fresh = [first_doubt.remark if first_doubt else "", "" if is_pinned else _rival(doubts)]
        if fresh != current:
            due.append((*fresh, rowid))
    db.executemany("update entry set doubt = ?, rival = ? where rowid = ?", due)


def _rival(doubts: Iterable[Doubt]) -> str:
    """The newer entry that is given in its place. What a person pinned doesn't step back for one, nor does
    what only may be overtaken: it would be lost from view if it still holds."""
    return next((doubt.by for doubt in doubts if doubt.kind == "overtaken" and doubt.is_sure), "")


class ScoredEntry(NamedTuple):
    """An entry as scores are computed from it: `category` as it is written, `day` as YYYY-MM-DD or ''."""

    id: str
    scope: str
    path: str
    text: str
    category: str
    is_pinned: bool
    day: str
    is_doubtful: bool


def entries_to_score(db: sqlite3.Connection) -> list[ScoredEntry]:
    """The entries that have a standing: none of working notes, no superseded and no archived ones."""
    return [ScoredEntry(*row) for row in db.execute(_SQL["entries_to_score"])]


def all_standings(db: sqlite3.Connection) -> dict[str, EntryStanding]:
    """id -> its standing, for every entry that has one."""
    rows = db.execute("select entry, position, lifecycle, score, day, until from score")
    return {row[0]: EntryStanding(*row) for row in rows}


def put_standings(db: sqlite3.Connection, standings: Iterable[EntryStanding], stamp: str) -> None:
    """Put in the standings of all entries, and take those that have expired out of what is delivered."""
    from ctxrepo.storage.cache.update import expire  # most who ask for scores change none

    rows = ((storable(standing.entry), *standing[1:]) for standing in standings)
    db.execute("delete from score")
    db.executemany("insert or ignore into score values (?, ?, ?, ?, ?, ?)", rows)
    expire(db)
    _stamp(db, SCORES, stamp)


def active_files(db: sqlite3.Connection, top: str) -> dict[str, Activity]:
    """path -> its activity, for the files of the checkout at `top` that changed lately."""
    query = "select path, changes, day from changed_file where top = ?"
    return {path: Activity(*row) for path, *row in db.execute(query, (storable(top),))}


def put_active_files(db: sqlite3.Connection, top: str, files: Mapping[str, Activity], stamp: str) -> None:
    """Put in which files of the checkout at `top` changed lately."""
    rows = [(storable(top), storable(path), *activity) for path, activity in files.items()]
    db.execute("delete from changed_file where top = ?", (storable(top),))
    db.executemany("insert or ignore into changed_file values (?, ?, ?, ?)", rows)
    _stamp(db, ACTIVE, stamp, top)


def put_first_files(
    db: sqlite3.Connection, firsts: "Mapping[tuple[str, str], Sequence[FirstFile]]", stamp: str
) -> None:
    """Put in what comes first, by project and whose settings say so."""
    db.execute("delete from recent")
    for (project, owner), files in firsts.items():
        for position, file in enumerate(files):
            place = (storable(file.top), storable(file.path), file.rank, storable(file.why))
            values = (storable(project), owner, position, *place)
            db.execute("insert into recent values (?, ?, ?, ?, ?, ?, ?)", values)
    _stamp(db, RECENT, stamp)
