"""The reading end of the spool: events that hooks left for the worker."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.domain.jsonl import record, text_of
from ctxrepo.storage.places import RepositoryPlaces

LEDGER_DAYS = 30
MANY_LEDGERS = 1000
VERSION_DAYS = 7


@dataclass(frozen=True)
class Event:
    """What a hook was told: `event` is start, prompt, tool, stop, compact or end; absent fields are ''.

    A `tool` event names a memory file (`path`), its bytes (`version`) and the tree they were made from.
    """

    event: str
    agent: str
    session: str
    cwd: str = ""
    source: str = ""
    path: str = ""
    version: str = ""
    base: str = ""
    transcript: str = ""


@dataclass(frozen=True)
class Spool:
    places: RepositoryPlaces

    def read(self) -> tuple[list[Event], int]:
        """The events not yet done with, oldest first, and the byte after the last of them.

        Under the lock of the hooks, so that a line without an end is one that a crash tore: it counts as
        read, or a worker would come back for it for ever.
        """
        try:
            with self.places.spool.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                data = file.read()
        except FileNotFoundError:
            return [], 0
        lines = data.decode("utf-8", "replace").split("\n")
        return [e for e in map(_event, lines) if e is not None], len(data)

    def is_empty(self) -> bool:
        try:
            return self.places.spool.stat().st_size == 0
        except FileNotFoundError:
            return True

    def version(self, event: Event) -> bytes | None:
        """The bytes that came with a `tool` event."""
        with suppress(OSError):
            return (self.places.versions / os.path.basename(event.version)).read_bytes()
        return None

    def drop(self, end: int, done: Iterable[Event]) -> None:
        """Forget the first `end` bytes; hooks append under the same lock, so no line is lost between.

        The disk may take its time behind the lock: a hook that waits for that gives its line up in the end.
        """
        with suppress(FileNotFoundError), self.places.spool.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(end)
            rest = file.read()
            file.seek(0)
            file.write(rest)
            file.truncate()
            file.flush()
            fcntl.flock(file, fcntl.LOCK_UN)
            os.fsync(file.fileno())
        for event in done:
            if event.version:
                with suppress(OSError):
                    (self.places.versions / os.path.basename(event.version)).unlink()


def tidy(places: RepositoryPlaces, now: float) -> None:
    """Remove ledgers of sessions that are over for long, or are too many, and versions whose event never
    came."""
    ledgers, versions = _by_age(places.ledgers), _by_age(places.versions)
    old = [path for at, path in ledgers if now - at > LEDGER_DAYS * 86400]
    old += [path for _, path in ledgers[:-MANY_LEDGERS]]
    if left := [path for at, path in versions if now - at > VERSION_DAYS * 86400]:
        # Of a clone in which a person is in the middle of something nothing is committed, maybe for weeks.
        waiting = {os.path.basename(event.version) for event in Spool(places).read()[0]}
        old += [path for path in left if os.path.basename(path) not in waiting]
    for path in old:
        with suppress(OSError):
            os.unlink(path)


def _by_age(folder: Path) -> list[tuple[float, str]]:
    with suppress(OSError), os.scandir(folder) as found:
        return sorted((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in found)
    return []


def _event(line: str) -> Event | None:
    fields = record(line) if line else None
    if fields is None:
        return None
    return Event(**{name: text_of(fields, name) for name in Event.__dataclass_fields__})
