"""SQLite files that can be created again at any time: opening them, and writing all or nothing."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.hooks.own_files import is_own_file
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import aside_of, make_folder, ready, why_unwritable
from ctxrepo.storage.processes.lock import holder, is_held, locked, locked_folder, pause

_T = TypeVar("_T")
_P = ParamSpec("_P")
_R = TypeVar("_R")

_LOCK_WAIT = 5.0
"""Seconds to wait for another writer, and for another process that lays the database out."""

_WRITERS_WAIT = 120.0
"""Seconds to wait for a writer that fills the cache; it lets others write between its transactions."""

_TURN = 0.1
"""Seconds in which whoever waits to write has surely looked whether it is free."""

_JOURNAL_BYTES = 4 * 1024 * 1024
"""What a log of changes may keep of the disk once it is in the database."""


TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
"""How texts become words in every index of words: letters, digits, and marks, of which some are vowels."""


@dataclass(frozen=True)
class Schema:
    """How a database is laid out: by the statements in a file beside the module of `spec`, in which TOKENIZER
    stands for `:tokenizer`. Their `format` is its `user_version`."""

    format: int | str
    spec: Any
    file: str

    def is_current(self, db: sqlite3.Connection) -> bool:
        return bool(db.execute("pragma user_version").fetchone()[0] == self.format)

    def build(self, db: sqlite3.Connection) -> None:
        """Empty tables in place of whatever is there; inside the caller's transaction."""
        self.make_tables(db)
        db.execute(f"pragma user_version = {self.format}")

    def make_tables(self, db: sqlite3.Connection) -> None:
        # A virtual table takes its own tables along, and can't go once one of them has.
        query = """
            select type, name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'
            order by sql like 'create virtual%' desc
        """
        for kind, name in db.execute(query).fetchall():
            db.execute(f'drop {kind} if exists "{name}"')
        statements = text_beside(self.spec, self.file).replace(":tokenizer", f'"{TOKENIZER}"')
        for statement in statements.split(";\n"):
            db.execute(statement)

    def open(self, path: Path) -> sqlite3.Connection:
        """The database at `path`; it is laid out where it is missing, damaged or not current, by one process
        after the other. Busy when the one before takes too long. Where nothing can be written it is a copy in
        memory, of which nothing stays (ADR 81)."""
        if why_unwritable(path.parent):
            return self._in_memory(path)
        make_folder(path.parent)
        _make_way(path)
        db = self._as_it_is(path)
        if db is None:
            with locked_folder(path.parent, _LOCK_WAIT):
                try:
                    db = self._laid_out(path)
                except sqlite3.OperationalError:
                    raise  # locked, or the disk: no reason to throw anything away
                except sqlite3.DatabaseError:
                    _remove(path)
                    db = self._laid_out(path)
        return db

    @contextmanager
    def opened(self, path: Path) -> Iterator[sqlite3.Connection]:
        """The same, closed in the end, and thrown away where it turns out to be damaged."""
        db = self.open(path)
        try:
            yield db
        except sqlite3.OperationalError:
            raise  # locked, or the disk
        except sqlite3.DatabaseError:
            discard(path)
            raise
        finally:
            db.close()

    def _as_it_is(self, path: Path) -> sqlite3.Connection | None:
        """The database when there is nothing to do for it, as usual; nothing of the file is changed."""
        if not path.exists():
            return None
        db = _connect(path)
        try:
            if db.execute("pragma journal_mode").fetchone() == ("wal",) and self.is_current(db):
                _prepare(db)
                return db
        except sqlite3.Error:
            pass  # damaged, or another process is just creating it again
        except BaseException:
            db.close()
            raise
        db.close()
        return None

    def _laid_out(self, path: Path) -> sqlite3.Connection:
        ready(path)
        db = _connect(path)
        try:
            db.execute("pragma journal_mode = wal")
            _prepare(db)
            if not self.is_current(db):
                with transaction(db):
                    self.build(db)
        except BaseException:
            db.close()
            raise
        return db

    def _in_memory(self, path: Path) -> sqlite3.Connection:
        db = sqlite3.connect(":memory:", isolation_level=None)
        # A log of changes beside it is read where that can be; SQLite would else make files beside both.
        for mode in ("mode=ro", "mode=ro&immutable=1") if is_own_file(str(path)) else ():
            address = f"{path.as_uri()}?{mode}"
            with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as stored:
                stored.backup(db)
                if self.is_current(db):
                    return db
        with transaction(db):
            self.build(db)
        return db


def discard(path: Path) -> None:
    """Take a database away; who has it open goes on reading it."""
    if path.parent.is_dir():
        with locked_folder(path.parent, _LOCK_WAIT):
            _remove(path)


def is_sound(path: Path) -> bool:
    """Whether every page of a database reads well; one that isn't there does."""
    if not path.exists():
        return True
    try:
        with closing(sqlite3.connect(path, timeout=_LOCK_WAIT)) as db:
            return [*db.execute("pragma quick_check(1)")] == [("ok",)]
    except sqlite3.OperationalError:
        return True  # locked, or the disk: nothing is known
    except sqlite3.DatabaseError:
        return False


def rerun_if_damaged(
    heal: Callable[[_T], object],
) -> Callable[[Callable[Concatenate[_T, _P], _R]], Callable[Concatenate[_T, _P], _R]]:
    """Run a function again when its database turns out to be damaged, as may show wherever one reads
    first. `heal`, given the first argument, discards or empties the database."""

    def decorate(function: Callable[Concatenate[_T, _P], _R]) -> Callable[Concatenate[_T, _P], _R]:
        @wraps(function)
        def healed(first: _T, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                return function(first, *args, **kwargs)
            except sqlite3.OperationalError:
                raise  # locked, or the disk
            except sqlite3.DatabaseError:
                heal(first)
                return function(first, *args, **kwargs)

        return healed

    return decorate


@dataclass(frozen=True)
class Healing:
    """Discards or empties a database that turns out to be damaged inside this, and goes on behind it."""

    heal: Callable[[], object]

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: object, __: object) -> bool:
        is_other = isinstance(error, sqlite3.OperationalError)  # locked, or the disk
        if is_damaged := isinstance(error, sqlite3.DatabaseError) and not is_other:
            self.heal()
        return is_damaged


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All that is written inside, or nothing."""
    _begin(db)
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk has ended it already
            db.execute("rollback")
        raise
    db.execute("commit")


def give_way(db: sqlite3.Connection) -> None:
    """Between two of many transactions, let a waiting process write."""
    path = _path_of(db)
    if path.name and is_held(_wanted(path)):  # one in memory is nobody else's
        pause(_TURN, 2 * _TURN)


def _begin(db: sqlite3.Connection) -> None:
    """Become the one who writes. Somebody who reads many notes in writes for longer than a person thinks, and
    is told that others wait."""
    if _has_begun(db):
        return
    path = _path_of(db)
    end = time.monotonic() + _WRITERS_WAIT
    with locked(_wanted(path), _WRITERS_WAIT):
        while not _has_begun(db):
            if time.monotonic() > end:
                who = holder(path, *(path.with_name(f"{path.name}{suffix}") for suffix in ("-shm", "-wal")))
                raise Busy(
                    f"{path} is being written by {who or 'another process of ctxrepo'}",
                    "Nothing is lost; run the command again when that is done.",
                )


def _has_begun(db: sqlite3.Connection) -> bool:
    """Try once to become the one who writes; False where somebody else is."""
    try:
        db.execute("begin immediate")
    except sqlite3.OperationalError as error:
        if not is_locked(error):
            raise
        return False
    return True


def is_locked(error: sqlite3.DatabaseError) -> bool:
    """Whether somebody else is writing, and nothing is wrong with the database."""
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _path_of(db: sqlite3.Connection) -> Path:
    return Path(db.execute("pragma database_list").fetchone()[2])


def _wanted(path: Path) -> Path:
    """Held by whoever waits to write the database."""
    return path.with_name(f"{path.name}.lock")


def _make_way(path: Path) -> None:
    """SQLite would follow a link, and make what the link leads to."""
    if path.is_symlink() or path.is_dir():
        try:
            path.rename(aside_of(path))
        except OSError as error:
            kind = "link" if path.is_symlink() else "folder"
            raise CtxrepoError(f"{path} is a {kind}; ctxrepo keeps a file there", "Move it away.") from error


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_LOCK_WAIT, isolation_level=None)


def _prepare(db: sqlite3.Connection) -> None:
    """Set what SQLite keeps for a connection and not in the file."""
    db.execute("pragma synchronous = normal")
    db.execute(f"pragma journal_size_limit = {_JOURNAL_BYTES}")


def storable(text: str) -> str:
    """SQLite keeps no half surrogates: they become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
