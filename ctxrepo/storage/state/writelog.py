"""The write log: every acknowledged write, on disk before the acknowledgement, until a commit holds it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ctxrepo.errors import Busy
from ctxrepo.storage.disk.durable import sync_folder
from ctxrepo.storage.disk.private import opened

VERSION = 1

MAX_BYTES = 256 * 1024 * 1024
"""What waits for a commit at most. Nothing of it may go, so beyond that nothing more is acknowledged."""


@dataclass(frozen=True)
class Write:
    """One file of one acknowledged operation: what it was and what it became.

    `before` and `after` are whole texts (None: not there), so that a write can be replayed as a merge
    (base = before, ours = after, theirs = the file as found) whatever happened to the file since.
    """

    op: str
    id: str
    ts: str
    path: str
    before: str | None
    after: str | None
    session: str = ""
    agent: str = ""
    project: str = ""
    note: str = ""
    """What to say of it in the commit: the entry's text, or the anchor's name."""
    v: int = VERSION

    @property
    def key(self) -> tuple[str, str]:
        """What tells one line of the log from every other: an operation may write several files."""
        return self.id, self.path


@dataclass(frozen=True)
class WriteLog:
    """`writes.jsonl`. Appending and cutting happen under the write lock only."""

    path: Path

    def require_room(self) -> None:
        """Busy when so much waits for a commit that no more can be promised."""
        with suppress(FileNotFoundError):
            if self.path.stat().st_size > MAX_BYTES:
                raise Busy(
                    f"{MAX_BYTES >> 20} MiB of writes wait for a commit, so no more are taken",
                    "`ctxrepo status` says what keeps it from being made.",
                )

    def is_nearly_full(self) -> bool:
        """Whether people have to be told before no more is taken."""
        try:
            return self.path.stat().st_size > 0.8 * MAX_BYTES
        except OSError:
            return False

    def append(self, writes: Sequence[Write]) -> None:
        """Put `writes` on disk; when this returns they survive a power cut."""
        new = not self.path.exists()
        with opened(self.path, "ab") as file:
            # A line that a crash tore must not swallow this one.
            file.write((b"\n" if _is_torn(self.path) else b"") + _lines(writes))
            file.flush()
            os.fsync(file.fileno())
        if new:
            sync_folder(self.path.parent)

    def read(self) -> list[Write]:
        """The writes no commit is known to hold, oldest first; torn lines were never acknowledged."""
        with suppress(FileNotFoundError):
            lines = self.path.read_bytes().splitlines()
            return [w for w in map(_parse, lines) if w is not None]
        return []

    def is_empty(self) -> bool:
        try:
            return self.path.stat().st_size == 0
        except FileNotFoundError:
            return True

    def is_settled(self) -> bool:
        """Whether nothing waits in it, and no commit was left half-way by a kill."""
        return self.is_empty() and not self._intent.exists()

    def cut(self, done: Sequence[Write]) -> None:
        """Forget these writes: a commit holds them. Whatever else is in the log stays."""
        if done:
            held = {w.key for w in done}
            _replace(self.path, _lines([w for w in self.read() if w.key not in held]))
        self._intent.unlink(missing_ok=True)

    def intend(self, commit: str, done: Sequence[Write]) -> None:
        """Say that `commit` holds these writes, before a ref is moved to it.

        The disk has it first: after a power cut that kept the ref and not this, the writes would be replayed
        over what people have changed since.
        """
        if done:
            said = {"commit": commit, "done": [w.key for w in done]}
            _replace(self._intent, json.dumps(said).encode("ascii"))

    def cut_committed(self, is_in: Callable[[str], bool]) -> list[Write]:
        """Cut what a commit holds whose maker was killed before it could: replayed, it would undo what
        people have changed since. `is_in` tells whether the branch holds a commit; returns what was cut."""
        with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
            intent = json.loads(self._intent.read_text("utf-8"))
            if is_in(intent["commit"]):
                held = {tuple(key) for key in intent["done"]}
                done = [w for w in self.read() if w.key in held]
                self.cut(done)
                return done
        return []

    @property
    def _intent(self) -> Path:
        return self.path.with_suffix(".intent")


def _replace(path: Path, data: bytes) -> None:
    """Put a file on the disk, and only then in the place of the one before."""
    new = path.with_suffix(".new")
    with opened(new, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)
    sync_folder(path.parent)


def _lines(writes: Sequence[Write]) -> bytes:
    return "".join(json.dumps(asdict(w)) + "\n" for w in writes).encode("ascii")


def _parse(line: bytes) -> Write | None:
    try:
        fields = json.loads(line)
        known = {k: fields[k] for k in Write.__dataclass_fields__ if k in fields}
        return Write(**known) if isinstance(known.get("path"), str) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _is_torn(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
