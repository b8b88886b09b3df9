"""The reading end of the ledgers: which sessions agents had lately, where, and what each was given."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record, render, text_of
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.formats.plain_data import OR_NULL
from ctxrepo.hooks.own_files import LOG_BYTES, age, append_rolling, lines_of
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.recent import written

DAYS = 30
MANY = 1000
"""Ledgers are kept for so many days, and of so many sessions at most."""


@dataclass(frozen=True)
class Ledger:
    """One session; `began` and `touched` are seconds since 1970, 0 for unknown. `given` counts the entries
    of one repository since it began or last forgot; `parent` is a subagent's session."""

    agent: str
    session: str
    path: Path
    touched: float = 0
    began: float = 0
    cwd: str = ""
    is_off: bool = False
    given: int = 0
    parent: str = ""
    project: str = ""
    """The folder of the project it was told it is in; '' for none, '?' while nobody knows."""
    ended: float = 0
    """When it ended; 0 while it goes on, and where its agent doesn't tell."""
    transcript: str = ""
    """The file in which its agent recorded it, known once it has ended."""


def ledgers(folder: Path, repo: str, since: float = 0) -> list[Ledger]:
    """Those in `folder` written to after `since`, the newest first, with what they say of a repository."""
    lately = (path for path in _files(folder) if written(path) > since)
    readings = (_read(path, repo) for path in lately)
    return sorted(filter(None, readings), key=lambda ledger: ledger.touched, reverse=True)


def latest(folder: Path, repo: str) -> Ledger | None:
    """The session that was served last, its subagents aside; only as many files are read as it takes. One
    of the future, by a clock that was put back, is none of the last."""
    for path in sorted(_files(folder), key=lambda file: age(written(file))):
        if (ledger := _read(path, repo)) and not ledger.parent:
            return ledger
    return None


def remove_old(folder: Path, now: float) -> None:
    """Remove ledgers of sessions that are over for long, or are too many."""
    known = sorted((written(path), path) for path in _files(folder))
    old = [path for at, path in known if now - at > DAYS * 86400]
    for path in [*old, *(path for _, path in known[:-MANY])]:
        with suppress(OSError):
            path.unlink()


def _files(folder: Path) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        yield from (Path(e.path) for e in entries if e.is_file(follow_symlinks=False))


def _read(path: Path, repo: str) -> Ledger | None:
    agent, _, session = path.name.partition("-")
    try:
        touched = path.stat().st_mtime
    except OSError:  # a worker has just cleared it away
        return None
    known = read_ledger(str(path), repo)
    place = (known.began, known.cwd, known.is_off, len(known.entries), known.parent, known.project or "")
    return Ledger(agent, session, path, touched, *place, known.ended, known.transcript)


@dataclass(frozen=True)
class FaultRecord:
    """A fault, the moment it was first told, and the moment it was over ('' while it stands)."""

    fault: str
    since: str
    until: str = field(default="", metadata=OR_NULL)


@dataclass(frozen=True)
class FaultLog:
    """A file in the state, one JSON line for each fault that came or went. A full one becomes `….1`."""

    file: Path

    def note(self, faults: Iterable[str], now: float) -> None:
        """From now on these are the faults that stand; a log that can't be written only lacks lines."""
        standing = {record.fault for record in self.read() if not record.until}
        current = list(dict.fromkeys(faults))
        at = second(datetime.fromtimestamp(now, UTC))
        over = [(fault, True) for fault in sorted(standing.difference(current))]
        for fault, is_over in [*over, *((fault, False) for fault in current if fault not in standing)]:
            line = render({"at": at, "fault": fault, "over": is_over})
            append_rolling(str(self.file), line + "\n", LOG_BYTES)

    def read(self) -> list[FaultRecord]:
        """Every fault the log knows of, the one that began last at the end."""
        records: list[FaultRecord] = []
        standing: dict[str, int] = {}
        for at, fault, is_over in self._lines():
            if is_over and fault in standing:
                place = standing.pop(fault)
                records[place] = replace(records[place], until=at)
            elif not is_over and fault not in standing:
                standing[fault] = len(records)
                records.append(FaultRecord(fault, at))
        return records

    def _lines(self) -> Iterator[tuple[str, str, bool]]:
        for file in (f"{self.file}.1", str(self.file)):
            for line in lines_of(file, LOG_BYTES):
                fields = record(line)
                if fields and text_of(fields, "fault"):
                    yield text_of(fields, "at"), text_of(fields, "fault"), bool(fields.get("over"))
