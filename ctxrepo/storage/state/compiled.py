"""Owns hooks.db: settings compiled for the hooks, and the table of code checkouts that they look up."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record, render, text_of
from ctxrepo.errors import Unreadable
from ctxrepo.hooks.known.world import FORMAT
from ctxrepo.hooks.own_files import append, lines_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import make_folder
from ctxrepo.storage.processes.database import Schema, discard, rerun_if_damaged, transaction

MAX_CHECKOUTS = 5000
"""The most checkouts that are recorded; the oldest rows go, and are recorded again when used."""

_SCHEMA = Schema(FORMAT, __spec__, "compiled.sql")
"""Hooks read the view `given`, where a checkout with a claim has no project while trust is 'ask'."""

_SETTINGS = "select key, value from settings"
_REPOSITORIES = "select id, home, position from repository order by position"
_CHECKOUTS = "select top, config, stamp, project, folder, own, claim, born, former, offer from checkout"


@dataclass(frozen=True)
class CompiledRepository:
    """A memory repository as the hooks know it: its id and the folder of its clone."""

    id: str
    home: Path


@dataclass(frozen=True)
class CompiledCheckout:
    """What a code checkout was found to be: `project` '' is none, `folder` '' not registered yet. `own` is
    the id that it yields itself; `claim` says why it may not be what it says, '' for nothing. `born` stays
    the same while its git folder does; `former` are the ids of projects that it was before, a line each, and
    `offer` is what sessions are told of the last of them."""

    top: str
    config: str
    stamp: str
    project: str
    folder: str
    own: str
    claim: str = ""
    born: str = ""
    former: str = ""
    offer: str = ""


def _discard(state: Path) -> None:
    discard(state / "hooks.db")


@rerun_if_damaged(_discard)
def compile_settings(
    state: Path, settings: Mapping[str, str], repositories: Sequence[CompiledRepository]
) -> bool:
    """Make hooks.db say exactly this, in one transaction; False when it already did. `publish_settings`
    writes the keys; `World` says what each means to a hook."""
    make_folder(state)
    rows = [(r.id, str(r.home), n) for n, r in enumerate(repositories)]
    with closing(_SCHEMA.open(state / "hooks.db")) as db:
        known = dict(db.execute(_SETTINGS)), db.execute(_REPOSITORIES).fetchall()
        if known == (dict(settings), rows):
            return False
        with transaction(db):
            db.execute("delete from settings")
            db.execute("delete from repository")
            db.executemany("insert into settings values (?, ?)", settings.items())
            db.executemany("insert into repository values (?, ?, ?)", rows)
    return True


@rerun_if_damaged(_discard)
def record_checkout(state: Path, checkout: CompiledCheckout) -> bool:
    """Record what the checkout at `top` (links resolved) is; False when that was recorded already or can't
    be. Before `init` there is no hooks.db, and none is made."""
    row = astuple(checkout)
    if not (state / "hooks.db").is_file() or not _is_text(*row):
        return False
    with closing(_SCHEMA.open(state / "hooks.db")) as db:
        if db.execute("select * from checkout where top = ?", row[:1]).fetchone() == row:
            return False
        with transaction(db):
            db.execute("delete from checkout where top = ?", row[:1])
            db.execute("insert into checkout values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            oldest = "delete from checkout where rowid <= (select max(rowid) from checkout) - ?"
            db.execute(oldest, (MAX_CHECKOUTS,))
    return True


def read_settings(state: Path) -> dict[str, str]:
    """The settings as they were compiled; empty before `init`."""
    return dict(_rows(state, _SETTINGS))


def read_repositories(state: Path) -> list[CompiledRepository]:
    """The repositories as they were compiled, in order."""
    return [CompiledRepository(repo_id, Path(home)) for repo_id, home, _ in _rows(state, _REPOSITORIES)]


def read_checkouts(state: Path) -> list[CompiledCheckout]:
    """Every checkout recorded, longest ago first."""
    return [CompiledCheckout(*row) for row in _rows(state, f"{_CHECKOUTS} order by rowid")]


def find_checkout(state: Path, top: str) -> CompiledCheckout | None:
    """The checkout recorded at `top`; None where none is."""
    rows = _rows(state, f"{_CHECKOUTS} where top = ?", top) if _is_text(top) else []
    return CompiledCheckout(*rows[0]) if rows else None


@rerun_if_damaged(_discard)
def _rows(state: Path, query: str, *values: str) -> list[Any]:
    """What hooks.db answers; nothing before `init`."""
    if not (state / "hooks.db").is_file():
        return []
    with closing(_SCHEMA.open(state / "hooks.db")) as db:
        return db.execute(query, values).fetchall()


def _is_text(*values: str) -> bool:
    """SQLite keeps no half surrogates, which is how Python spells names that aren't UTF-8."""
    return not any("\ud800" <= char <= "\udfff" for value in values for char in value)


_MOST = 1024 * 1024


@dataclass(frozen=True)
class TrustedCheckouts:
    """A file in the state, one JSON line for each: the top of a checkout, and the id it had by itself."""

    file: Path

    def has(self, top: Path, own: str) -> bool:
        """Whether a person said that the checkout at `top` is `own`."""
        records = filter(None, map(record, lines_of(str(self.file), _MOST)))
        return any((text_of(fields, "top"), text_of(fields, "own")) == (str(top), own) for fields in records)

    def add(self, top: Path, own: str) -> bool:
        """From now on it is; False when it was already. Unreadable where that can't be kept."""
        if self.has(top, own):
            return False
        if not append(str(self.file), render({"top": str(top), "own": own}) + "\n", _MOST, durable=True):
            raise Unreadable(f"{self.file} can't be written", "Look whether the disk is full.")
        return True
