"""What comes first in what is delivered: files of a project, and entries by their scores. The worker computes
it, and hooks read it."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ctxrepo.domain.score.activity import Activity
from ctxrepo.domain.score.standing import EntryStanding
from ctxrepo.domain.tape.touched_files import FirstFile
from ctxrepo.storage.cache.layout import stamp_part
from ctxrepo.storage.processes.database import storable

RECENT, SCORES, ACTIVE = "recent", "score", "changed_file"
"""Names of parts, each that of its table; the last is made for each checkout."""

_TO_SCORE = """
    select e.id, n.scope, n.path, e.text, e.category, e.pinned > 0, n.day, e.doubt != ''
    from entry e join note n on n.id = e.note where n.listed and n.working = 0 and e.struck != 1"""


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


def put_first_files(
    db: sqlite3.Connection, firsts: Mapping[tuple[str, str], Sequence[FirstFile]], stamp: str
) -> None:
    """Put in what comes first, by project and whose settings say so; `stamp` is that of the sources."""
    db.execute("delete from recent")
    for (project, owner), files in firsts.items():
        for position, file in enumerate(files):
            place = (storable(file.top), storable(file.path), file.rank, storable(file.why))
            values = (storable(project), owner, position, *place)
            db.execute("insert into recent values (?, ?, ?, ?, ?, ?, ?)", values)
    stamp_part(db, RECENT, stamp)


def entries_to_score(db: sqlite3.Connection) -> list[ScoredEntry]:
    """The entries that have a standing: none of working notes, no superseded and no archived ones."""
    return [ScoredEntry(*row) for row in db.execute(_TO_SCORE)]


def all_standings(db: sqlite3.Connection) -> dict[str, EntryStanding]:
    """id -> its standing, for every entry that has one."""
    rows = db.execute("select entry, position, lifecycle, score, day, until from score")
    return {row[0]: EntryStanding(*row) for row in rows}


def put_standings(db: sqlite3.Connection, standings: Iterable[EntryStanding], stamp: str) -> None:
    """Put in the standings of all entries, and take those that have expired out of what is delivered;
    `stamp` is that of what they were computed from."""
    from ctxrepo.storage.cache.update import expire  # most who ask for scores change none

    rows = ((storable(one.entry), *one[1:]) for one in standings)
    db.execute("delete from score")
    db.executemany("insert or ignore into score values (?, ?, ?, ?, ?, ?)", rows)
    expire(db)
    stamp_part(db, SCORES, stamp)


def active_files(db: sqlite3.Connection, top: str) -> dict[str, Activity]:
    """path -> its activity, for the files of the checkout at `top` that changed lately."""
    query = "select path, changes, day from changed_file where top = ?"
    return {path: Activity(*row) for path, *row in db.execute(query, (storable(top),))}


def put_active_files(db: sqlite3.Connection, top: str, files: Mapping[str, Activity], stamp: str) -> None:
    """Put in which files of the checkout at `top` changed lately; `stamp` is that of its history."""
    rows = [(storable(top), storable(path), *activity) for path, activity in files.items()]
    db.execute("delete from changed_file where top = ?", (storable(top),))
    db.executemany("insert or ignore into changed_file values (?, ?, ?, ?)", rows)
    stamp_part(db, ACTIVE, stamp, top)
