"""The cache as it is open: the one door for questions, and what it keeps of itself, of faults and of stamps.

A question is a function that is given the connection first; it stands in the module of its table. Those that
hooks ask (`hooks/known`) are asked here in the same way."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from ctxrepo.domain.words.prompt_terms import fold
from ctxrepo.hooks.known.cached import generation_of, last_round_of
from ctxrepo.storage.cache.layout import SCHEMA, Fault, NewestHandoff, digest_of, meta_of, set_meta
from ctxrepo.storage.processes.database import Healing, discard, rerun_if_damaged, storable, transaction

if TYPE_CHECKING:
    from ctxrepo.domain.note.note import Note
    from ctxrepo.domain.records.evidence import Evidence, Marks
    from ctxrepo.storage.cache.evidence_rows import EvidenceFiles

_T = TypeVar("_T")
_P = ParamSpec("_P")
Question = Callable[Concatenate[sqlite3.Connection, _P], _T]


def _opened(path: Path) -> sqlite3.Connection:
    db = SCHEMA.open(path)
    db.create_function("fold", 1, fold, deterministic=True)
    return db


class Cache:
    """The open cache. One process writes at a time; hooks read meanwhile and see whole transactions."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db
        self.parsed: dict[tuple[str, str], tuple[bool, list[Evidence]]] = {}
        """What was parsed of evidence files that have no rows, by what the cache has and what they are."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """The cache at `path`, made when missing and silently emptied when it can't be used."""
        return cls(path, _opened(path))

    def close(self) -> None:
        self._db.close()

    def clear(self) -> None:
        """Forget everything, also when the file turns out to be damaged; the next `apply` starts anew."""
        try:
            with transaction(self._db):
                SCHEMA.build(self._db)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._db.close()
            discard(self.path)
            self._db = _opened(self.path)

    @rerun_if_damaged(clear)
    def ask(self, question: Question[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """The answer to a question; what it reads is all of one moment."""
        self._db.execute("begin")
        try:
            return question(self._db, *args, **kwargs)
        finally:
            self._db.execute("commit")

    @rerun_if_damaged(clear)
    def change(self, change: Question[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """The same of a question that changes its table: wholly or not at all."""
        with transaction(self._db):
            return change(self._db, *args, **kwargs)

    @property
    def head(self) -> str:
        """The commit the cache reflects; '' when it is empty."""
        return meta_of(self._db, "head")

    @property
    def tree(self) -> str:
        """The tree it shows: that of `head` and what waits for a commit on top of it; '' if nothing waits."""
        return meta_of(self._db, "tree")

    def apply(
        self,
        head: str,
        changed: "Iterable[Note]",
        removed: Iterable[str],
        evidence: "Marks | EvidenceFiles",
        handoffs: Iterable[NewestHandoff] = (),
        tree: str = "",
    ) -> bool:
        """Bring the cache to commit `head` in one transaction, with a new generation; False when nothing
        changed. `changed`: notes as in `tree`, and other files, which are ignored. `evidence`: all evidence
        files of `tree`, or the marks that they amount to. `handoffs`: of scopes whose tape changed. A damaged
        cache is emptied instead: its `head` is then ''."""
        from ctxrepo.storage.cache.computed import show_doubts  # most commands read only
        from ctxrepo.storage.cache.update import apply

        with Healing(self.clear), transaction(self._db):
            if has_changed := apply(self._db, generation_of(self._db) + 1, changed, removed, evidence):
                show_doubts(self._db)
            put_handoffs(self._db, handoffs)
            set_meta(self._db, head=head, tree=tree)
            return has_changed
        return False

    def fill(
        self,
        head: str,
        paths: Iterable[str],
        read: Callable[[str], str | None],
        evidence: "Marks | EvidenceFiles",
        progress: Callable[[int], None],
        handoffs: Iterable[NewestHandoff] = (),
        tree: str = "",
    ) -> None:
        """Empty the cache, then fill it with the notes of `tree`; `read` gives a note's text, None for none.
        It bears `head` when all is in; until then `progress` hears how many notes are. Of two that fill it at
        once one may find it damaged: it is then emptied again."""
        from ctxrepo.storage.cache.update import fill  # for a whole cache, which is rare

        self.clear()
        with Healing(self.clear):
            fill(self._db, paths, read, evidence, progress)
            with transaction(self._db):
                put_handoffs(self._db, handoffs)
                set_meta(self._db, generation="1", head=head, tree=tree)

    def is_sound(self) -> bool:
        """Whether every page reads well, and every entry is found by its words and by no others."""
        try:
            self._db.execute("insert into words(words, rank) values ('integrity-check', 1)")
            return [*self._db.execute("pragma quick_check(1)")] == [("ok",)]
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            return False


def remark_of(db: sqlite3.Connection, name: str) -> Any:
    """What was remarked under a name: paths that are `ignored`, why paths are `unread`, the `mark` of all
    that a commit holds; {} for nothing."""
    return json.loads(meta_of(db, name) or "{}")


def put_remarks(db: sqlite3.Connection, /, **values: object) -> None:
    """Remark these things, each to be read under its name, as JSON."""
    set_meta(db, **{name: json.dumps(value) for name, value in values.items()})


def put_round(db: sqlite3.Connection, began: float) -> None:
    """Put in that a round of the worker from `began` on is over: what waited is done, or can't be."""
    last = last_round_of(db)
    before = last if last <= time.time() else 0.0  # the clock was put back since
    set_meta(db, settled=repr(max(float(began), before)))


def put_handoffs(db: sqlite3.Connection, handoffs: Iterable[NewestHandoff]) -> None:
    """Put the newest handoff of these scopes in the place of the one before."""
    for handoff in handoffs:
        row = tuple(map(storable, handoff._replace(text=handoff.text.strip("\r\n"))))
        db.execute("delete from handoff where scope = ?", row[:1])
        if row[-1]:
            db.execute("insert into handoff values (?, ?, ?, ?)", row)


def all_faults(db: sqlite3.Connection) -> list[Fault]:
    """What sessions are told is wrong."""
    return [Fault(*row) for row in db.execute("select kind, text from fault order by rowid")]


def put_faults(db: sqlite3.Connection, faults: Iterable[Fault]) -> None:
    """Put in what to tell every session once, in place of that of before."""
    db.execute("delete from fault")
    rows = ((digest_of(fault.text), *fault) for fault in each_once(faults))
    db.executemany("insert into fault values (?, ?, ?)", rows)


def each_once(faults: Iterable[Fault]) -> list[Fault]:
    """The faults as the cache has them, each text once."""
    kinds = {storable(fault.text): fault.kind for fault in faults}
    return [Fault(kind, text) for text, kind in kinds.items()]


def watched_stamps(db: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Stamps by path of the files and folders that are watched, of each scope in which sessions are: what
    they had when they were last as the cache has them. The scope that was used last comes last."""
    stamps: dict[str, dict[str, str]] = {}
    for scope, path, stamp in db.execute("select scope, path, stamp from seen order by rowid"):
        stamps.setdefault(scope, {})[path] = stamp
    return stamps


def put_stamps(db: sqlite3.Connection, stamps: Mapping[str, Mapping[str, str]]) -> None:
    """Put in the stamps of files and folders, by scope and path, in place of those from before."""
    rows = [(storable(scope), storable(path), at) for scope, of in stamps.items() for path, at in of.items()]
    db.execute("delete from seen")
    db.executemany("insert or replace into seen values (?, ?, ?)", rows)
