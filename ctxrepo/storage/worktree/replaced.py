"""Old versions of replaced files, kept for ten minutes: a program that had one open may still write to it.
ADR 14 and tests/faults/test_editors_late.py say what would be lost without them."""

import json
import os
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.private import make_folder, opened, put_whole, random_name
from ctxrepo.storage.worktree.scan import MAX_BYTES

KEPT = 600.0
"""Seconds. A program that writes later than that works from a version that is out of date anyway."""

_GRAIN = 0.05
"""Seconds by which the file system's clock may lag behind ours."""


@dataclass(frozen=True)
class LateWrite:
    """A program wrote `data` to a file that we had replaced; `base` is the blob id it had before."""

    path: str
    base: str
    data: bytes


@dataclass(frozen=True)
class _OldFile:
    """A replaced file: its `name` in our folder, the blob id and modification time that it had at the
    moment `at`; the latter is -1 when unknown, or when it had other bytes by the time it was linked."""

    path: str
    id: str
    name: str
    at: float
    mtime: int = -1


@dataclass(frozen=True)
class ReplacedFiles:
    """The folder that keeps them, on the file system of the clone. Use it under the write lock only."""

    folder: Path

    def keep(self, file: Path, path: str, oid: str, since: float) -> None:
        """Keep a hard link to a file that is about to be replaced. Its blob id was `oid` at some moment
        after `since`; a program may have written to it in between."""
        make_folder(self.folder)
        name = random_name()
        # Without hard links, or when the file has just gone, there is nothing to keep.
        with suppress(OSError):
            os.link(file, self.folder / name, follow_symlinks=False)
            old = _OldFile(path, oid, name, since, self._mtime_of(name, oid))
            with opened(self._list, "ab") as lines:
                lines.write((json.dumps(asdict(old)) + "\n").encode())

    def late_writes(self) -> list[LateWrite]:
        """The late writes that nobody has journalled and forgotten yet."""
        return [late for old in self._old_files() if (late := self._late_write(old))]

    def forget(self, delivered: Collection[LateWrite]) -> None:
        """Forget the late writes that the journal holds, and files that are old enough and have no others."""
        before = list(self._old_files())
        now = time.time()
        remaining = [
            rebased
            for old in before
            if (rebased := self._rebased(old, delivered))
            and (now - old.at < KEPT or self._late_write(rebased) is not None)
        ]
        if remaining == before:
            return
        names = {old.name for old in remaining} | {self._list.name}
        for file in [*self.folder.iterdir()]:
            if file.name not in names:
                file.unlink()
        put_whole(self._list, "".join(json.dumps(asdict(old)) + "\n" for old in remaining))

    def _rebased(self, old: _OldFile, delivered: Collection[LateWrite]) -> _OldFile | None:
        """The file with the blob id it has now, if its late write is done; None when the file is gone.
        Other kept files of that path may have had the same bytes and have other late writes now."""
        if not (self.folder / old.name).exists():
            return None
        late = self._late_write(old)
        return replace(old, id=blob_id(late.data)) if late and late in delivered else old

    def _late_write(self, old: _OldFile) -> LateWrite | None:
        """What somebody has written to the file since it was replaced."""
        data = self._written_since(old)
        return None if data is None or blob_id(data) == old.id else LateWrite(old.path, old.id, data)

    def _mtime_of(self, name: str, oid: str) -> int:
        """The modification time of a file in our folder that has the bytes of `oid`, else -1: an editor
        may rename a file that it wrote earlier into place, which seems older than our last look."""
        with suppress(OSError):
            file = self.folder / name
            status = file.lstat()
            if _is_readable(status) and blob_id(file.read_bytes()) == oid:
                return status.st_mtime_ns
        return -1

    def _written_since(self, old: _OldFile) -> bytes | None:
        """The bytes of the file now; None when its time says that nobody wrote to it, or it can't be read."""
        with suppress(OSError):
            file = self.folder / old.name
            status = file.lstat()
            # If the clock was put back a later write may have an earlier time, but never the same one.
            is_as_it_was = status.st_mtime_ns == old.mtime and status.st_mtime + _GRAIN < old.at
            if not is_as_it_was and _is_readable(status):
                return file.read_bytes()
        return None

    def _old_files(self) -> Iterator[_OldFile]:
        for line in text(self._list).splitlines():
            fields = record(line) or {}
            with suppress(KeyError, TypeError, ValueError):
                name = os.path.basename(str(fields["name"]))
                at, mtime = float(fields["at"]), int(fields.get("mtime", -1))
                yield _OldFile(str(fields["path"]), str(fields["id"]), name, at, mtime)

    @property
    def _list(self) -> Path:
        return self.folder / "list.jsonl"


def _is_readable(status: os.stat_result) -> bool:
    """Whether it is a regular file of a readable size, and not a link or pipe in its place."""
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES
