"""Files we have replaced, kept for a while under another name: who had one open may still write to it."""

from __future__ import annotations

import json
import os
import secrets
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.storage.disk.outside import text
from ctxrepo.storage.disk.private import make_folder, opened, put
from ctxrepo.storage.worktree.scan import MAX_BYTES

KEPT = 600.0
"""Seconds; who holds a file open for longer before writing to it has read something old anyway."""

_GRAIN = 0.05
"""Seconds by which the file system's clock may lag behind ours."""


@dataclass(frozen=True)
class Late:
    """Bytes that reached a file after it was replaced; `base` is the blob id of what it was before them."""

    path: str
    base: str
    data: bytes


@dataclass(frozen=True)
class _Old:
    """`at` is when it was seen to have the bytes of `id`, `mtime` when it was last written to by then
    (-1: unknown, or it had others by the time it was held)."""

    path: str
    id: str
    name: str
    at: float
    mtime: int = -1


@dataclass(frozen=True)
class Replaced:
    """The folder they are kept in, on the file system of the clone. Used under the write lock only."""

    folder: Path

    def hold(self, file: Path, path: str, oid: str, since: float) -> None:
        """Keep hold of a file that is about to be replaced, and whose blob id was `oid` at a moment after
        `since`: others may have written to it by now."""
        make_folder(self.folder)
        name = secrets.token_hex(8)
        # Where there are no hard links, or the file has just gone, there is nothing to hold on to.
        with suppress(OSError):
            os.link(file, self.folder / name, follow_symlinks=False)
            old = _Old(path, oid, name, since, self._mtime_of(name, oid))
            with opened(self._list, "ab") as lines:
                lines.write((json.dumps(asdict(old)) + "\n").encode())

    def late(self) -> list[Late]:
        """What was written to replaced files and nobody has settled yet."""
        return [
            Late(old.path, old.id, data)
            for old in self._olds()
            if (data := self._written_since(old)) is not None and blob_id(data) != old.id
        ]

    def settle(self, done: Collection[Late]) -> None:
        """Forget what a commit has taken, and files that are old enough, unless more waits in them."""
        taken = {(late.path, late.base, blob_id(late.data)) for late in done}
        olds = list(self._olds())
        now = time.time()
        left = [
            settled
            for old in olds
            if (settled := self._settled(old, taken)) and (now - old.at < KEPT or self._is_late(settled))
        ]
        if left == olds:
            return
        names = {old.name for old in left} | {self._list.name}
        for file in [*self.folder.iterdir()]:
            if file.name not in names:
                file.unlink()
        new = self._list.with_suffix(".new")
        put(new, "".join(json.dumps(asdict(old)) + "\n" for old in left))
        new.rename(self._list)

    def _settled(self, old: _Old, taken: Collection[tuple[str, str, str]]) -> _Old | None:
        """The file with what is settled of it; None when it is gone.

        Others of its path may have been the same and differ now.
        """
        if not (self.folder / old.name).exists():
            return None
        data = self._written_since(old)
        now = old.id if data is None else blob_id(data)
        return replace(old, id=now) if (old.path, old.id, now) in taken else old

    def _is_late(self, old: _Old) -> bool:
        return (data := self._written_since(old)) is not None and blob_id(data) != old.id

    def _mtime_of(self, name: str, oid: str) -> int:
        """When a held file was written that has the bytes of `oid`, or -1.

        An editor that writes another file, waits for the disk and renames it into place, has put one there
        that seems to be older than our look at it.
        """
        with suppress(OSError):
            file = self.folder / name
            status = file.lstat()
            if _is_readable(status) and blob_id(file.read_bytes()) == oid:
                return status.st_mtime_ns
        return -1

    def _written_since(self, old: _Old) -> bytes | None:
        with suppress(OSError):
            file = self.folder / old.name
            status = file.lstat()
            # A clock that was put back gives a later write an earlier time, but never the same.
            is_as_it_was = status.st_mtime_ns == old.mtime and status.st_mtime + _GRAIN < old.at
            if not is_as_it_was and _is_readable(status):
                return file.read_bytes()
        return None

    def _olds(self) -> Iterator[_Old]:
        for line in text(self._list).splitlines():
            fields = record(line) or {}
            with suppress(KeyError, TypeError, ValueError):
                name = os.path.basename(str(fields["name"]))
                at, mtime = float(fields["at"]), int(fields.get("mtime", -1))
                yield _Old(str(fields["path"]), str(fields["id"]), name, at, mtime)

    @property
    def _list(self) -> Path:
        return self.folder / "list.jsonl"


def _is_readable(status: os.stat_result) -> bool:
    """Whether it is a file, and no link or pipe that came into its place."""
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES
