"""The reading end of the spool: events that hooks left for the worker."""

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, field
from heapq import merge
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.errors import Unreadable
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.hooks.own_files import bytes_of, is_own_file
from ctxrepo.hooks.saves import put
from ctxrepo.hooks.wakeup import MAX_BYTES, MAX_LEFT
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read
from ctxrepo.storage.disk.private import make_folder, opened, put_whole, random_name
from ctxrepo.storage.user.places import RepositoryPlaces

NEARLY = 0.8
"""The share of the limit from which people are warned."""


@dataclass(frozen=True)
class SpoolEvent:
    """What a hook was told: `event` is start, prompt, tool, shell, stop, compact or end. A `tool` names a
    memory file (`path`) whose bytes no hook could save; a `shell` may have written any file of the memory."""

    event: str
    agent: str
    session: str
    cwd: str = ""
    source: str = ""
    path: str = ""
    transcript: str = ""
    at: float = field(default=0.0, compare=False)
    left: str = field(default="", compare=False)
    """The name of its own file, where it could not be appended."""


TEXTS = ("event", "agent", "session", "cwd", "source", "path", "transcript")


@dataclass(frozen=True)
class Spool:
    places: RepositoryPlaces

    def read(self) -> tuple[list[SpoolEvent], int]:
        """The events not yet done with, oldest first, and the byte after the last one in the spool. Under
        the lock of hooks a line without end is torn: it counts as read, or a worker would come for ever."""
        data = b""
        with suppress(OSError), opened(self.places.spool, "rb") as file:  # else a fault tells what is there
            fcntl.flock(file, fcntl.LOCK_SH)
            data = file.read()
        lines = [(line, "") for line in data.decode("utf-8", "replace").split("\n")]
        files = ((bytes_of(str(self.left / name), MAX_BYTES) or b"", name) for name in self._left())
        left = [(text.decode("utf-8", "replace").rstrip("\n"), name) for text, name in files]
        events = [[e for line in lot if (e := _event(*line))] for lot in (lines, left)]
        return list(merge(*events, key=lambda event: event.at)), len(data)

    @property
    def left(self) -> Path:
        """Where events are that could not be appended."""
        return self.places.spool.with_name("left")

    def _left(self) -> list[str]:
        with suppress(OSError):
            return sorted(name for name in os.listdir(self.left) if not name.startswith("."))
        return []

    def is_empty(self) -> bool:
        with suppress(FileNotFoundError):
            if self.places.spool.stat().st_size:
                return False
        return not self._left()

    def is_blocked(self) -> bool:
        """Whether something that isn't ours is in the spool's place."""
        return os.path.lexists(self.places.spool) and not is_own_file(str(self.places.spool))

    def nearly_full(self) -> Iterator[str]:
        """Names of what has reached four fifths of its limit."""
        with suppress(OSError):
            if self.places.spool.lstat().st_size > NEARLY * MAX_BYTES:
                yield "events of hooks"
        with suppress(OSError):
            if len(os.listdir(self.left)) > NEARLY * MAX_LEFT:
                yield "events of hooks that could not be appended"

    def stamp(self) -> str:
        """A text that changes when an event arrives."""
        return f"{stamp_of(str(self.places.spool))} {stamp_of(str(self.left))}"

    def drop(self, end: int, events: Iterable[SpoolEvent]) -> None:
        """Forget the first `end` bytes, under the lock of the hooks, so that no line is lost. What came
        meanwhile goes to a new file, on the disk before it takes the old one's place: bytes moved within a
        file may be in neither place after a power cut. Without any the file is emptied, and fsynced only
        after the lock is released, so that no hook waits for the disk."""
        with suppress(OSError), opened(self.places.spool, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(end)
            if rest := file.read():
                put(str(self.places.root), self.places.spool.name, rest)
            else:
                file.truncate(0)
                fcntl.flock(file, fcntl.LOCK_UN)
                os.fsync(file.fileno())
        for event in events:
            with suppress(OSError):
                if event.left:
                    (self.left / os.path.basename(event.left)).unlink()


def _event(line: str, left: str = "") -> SpoolEvent | None:
    fields = record(line) if line else None
    if fields is None:
        # A file of which nothing can be made counts as read, too.
        return SpoolEvent("", "", "", left=left) if left else None
    at = fields.get("at")
    moment = float(at) if isinstance(at, int | float) else 0.0
    return SpoolEvent(**{name: text_of(fields, name) for name in TEXTS}, at=moment, left=left)


_MAX_BYTES = 256 * 1024


@dataclass(frozen=True)
class Compactions:
    folder: Path

    def leave(self, event: SpoolEvent) -> None:
        """Keep an event whose line in the spool is about to go."""
        make_folder(self.folder)
        name = f"{time.time_ns():020}-{random_name(4)}"
        put_whole(self.folder / f"{name}.json", json.dumps(asdict(event)))

    def are_left(self) -> bool:
        return any(True for _ in self._files())

    def take(self) -> Iterator[SpoolEvent]:
        """Each event, oldest first; its file goes when the next one is asked for."""
        for file in self._files():
            try:
                fields = record((read(file, _MAX_BYTES, follow=False) or b"").decode("utf-8", "replace"))
            except Unreadable:
                fields = None
            if fields is not None:
                yield SpoolEvent(**{name: text_of(fields, name) for name in TEXTS}, at=0.0)
            with suppress(OSError):
                file.unlink()

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9]*.json"))
