"""The reading end of the ledgers: which sessions agents had lately, where, and what each was given."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.hooks.files.clock import age
from ctxrepo.hooks.files.logs import lines_of
from ctxrepo.hooks.session.ledger import MAX_BYTES, read_ledger
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.user.places import RepositoryPlaces


@dataclass(frozen=True)
class Ledger:
    """One session. `began` and `touched` are seconds since 1970, 0 where that isn't known.

    `given` is how many entries it was given since it began or last forgot; `of` the session that started
    it, where it is a subagent's.
    """

    agent: str
    session: str
    path: Path
    touched: float = 0
    began: float = 0
    cwd: str = ""
    is_off: bool = False
    given: int = 0
    of: str = ""
    project: str = ""
    """The folder of the project it was told it is in; '' for none, '?' while nobody knows."""


def ledgers(places: RepositoryPlaces, since: float = 0) -> list[Ledger]:
    """Those that were written to after `since`, the newest first."""
    found = [ledger for path in _files(places.ledgers) if (ledger := _read(path)) and ledger.touched > since]
    return sorted(found, key=lambda ledger: ledger.touched, reverse=True)


def latest(places: RepositoryPlaces) -> Ledger | None:
    """The session that was served last, its subagents aside; only as many files are read as it takes.

    One that was served in the future, by a clock that was put back, is none of the last.
    """
    for path in sorted(_files(places.ledgers), key=lambda file: age(written(file))):
        if (ledger := _read(path)) and not ledger.of:
            return ledger
    return None


def _files(folder: Path) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        yield from (Path(e.path) for e in entries if e.is_file(follow_symlinks=False))


def _read(path: Path) -> Ledger | None:
    agent, _, session = path.name.partition("-")
    said = {}
    try:
        touched = path.stat().st_mtime
    except OSError:  # a worker has just cleared it away
        return None
    for line in lines_of(str(path), MAX_BYTES):
        word, _, rest = line.partition(" ")
        if word in ("began", "cwd", "of"):
            said[word] = rest
    told = read_ledger(str(path))
    began = said.get("began", "")
    return Ledger(
        agent,
        session,
        path,
        touched,
        float(began) if began.isascii() and began.isdigit() and len(began) < 16 else 0,
        said.get("cwd", ""),
        told[6],
        len(told[0]),
        said.get("of", ""),
        told[3] or "",
    )
