"""The write log: every acknowledged write is in it until a commit holds the write (ADR 5)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from ctxrepo.errors import Busy
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.durable import sync_folder
from ctxrepo.storage.disk.private import opened

VERSION = 1

MAX_BYTES = 256 * 1024 * 1024
"""The most that may wait for a commit. No line may be dropped, so a full log takes no more writes."""


@dataclass(frozen=True)
class Write:
    """One file of one acknowledged operation: its whole text `before` and `after` (None: no file).

    So a write can be replayed as a merge, whatever happened to the file since: the base is `before`, ours is
    `after`, theirs is the file as it is now.
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
        """What identifies a line of the log: an operation may write several files."""
        return self.id, self.path


@dataclass(frozen=True)
class WriteLog:
    """`writes.jsonl`. Append and cut under the write lock only."""

    path: Path

    def require_room(self) -> None:
        """Busy when the log is full, so that no further write can be acknowledged."""
        with suppress(FileNotFoundError):
            if self.path.stat().st_size > MAX_BYTES:
                raise Busy(
                    f"{MAX_BYTES >> 20} MiB of writes wait for a commit, so no more are taken",
                    "`ctxrepo status` says what keeps it from being made.",
                )

    def is_nearly_full(self) -> bool:
        """Whether people should be warned that the log is filling up."""
        try:
            return self.path.stat().st_size > 0.8 * MAX_BYTES
        except OSError:
            return False

    def append(self, writes: Sequence[Write]) -> None:
        """Put `writes` on disk; when this returns they survive a power cut."""
        new = not self.path.exists()
        with opened(self.path, "ab") as file:
            # The last line may be torn by a crash; end it, or it would swallow this one.
            file.write((b"\n" if _is_torn(self.path) else b"") + _lines(writes))
            file.flush()
            os.fsync(file.fileno())
        if new:
            sync_folder(self.path.parent)

    def read(self) -> list[Write]:
        """The writes in the log, oldest first. Torn lines are left out: they were never acknowledged."""
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
        """Whether no write waits for a commit, and no commit was left half-way by a kill."""
        return self.is_empty() and not self._intent.exists()

    def cut(self, done: Sequence[Write]) -> None:
        """Remove these writes from the log, since a commit holds them; the others stay."""
        if done:
            held = {w.key for w in done}
            _replace(self.path, _lines([w for w in self.read() if w.key not in held]))
        self._intent.unlink(missing_ok=True)

    def intend(self, commit: str, done: Sequence[Write]) -> None:
        """Record, before a ref is moved to `commit`, that this commit holds these writes.

        The record must reach the disk first: a power cut that kept the ref and lost the record would have the
        writes replayed over what people have changed since.
        """
        if done:
            fields = {"commit": commit, "done": [w.key for w in done]}
            _replace(self._intent, json.dumps(fields).encode("ascii"))

    def cut_committed(self, is_in: Callable[[str], bool]) -> list[Write]:
        """Cut the writes of a commit whose run was killed before it could cut them; returns these writes.

        Replayed, they would undo what people have changed since. `is_in` tells whether the branch holds a
        commit.
        """
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
    """Write a new file to the disk, then rename it over the old one."""
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
        known = {k: fields[k] for k in Write.__annotations__ if k in fields}
        return Write(**known) if isinstance(known.get("path"), str) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _is_torn(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
