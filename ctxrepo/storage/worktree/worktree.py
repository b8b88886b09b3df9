"""Reads and writes the files of the clone, and never follows a symbolic link.

Old versions of replaced files are kept for ten minutes: a program that had one open may still write to it.
ADR 14 and tests/faults/test_editors_late.py say what would be lost without them."""

import errno
import json
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.git.oid import EMPTY_BLOB, blob_id
from ctxrepo.errors import Refused, Unreadable
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.disk.folders import Folders
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.private import MANY, make_folder, opened, put_whole, random_name
from ctxrepo.storage.worktree.scan import MAX_BYTES, Listing, Scan, changed_at, scan, walk

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EISDIR)
"""The errors that mean: no regular file is there, but nothing, a link, a pipe or a folder."""

_OURS = lazy_pattern(r"[0-9a-f]{16}")

SAVING = 0.1
"""Seconds that an editor may take to fill a file that it has just emptied."""

OBSTACLE = "obstacle"
"""The id of what is no readable file: a link, a folder, a huge file."""


@dataclass(frozen=True)
class FileUpdate:
    """The new bytes of a file (None: remove it), if its blob id still is `expected` (None: no file)."""

    expected: str | None
    data: bytes | None


@dataclass(frozen=True)
class Worktree:
    """The folder of the clone; every `path` is relative to it, with `/`. Files are renamed into place from
    `scratch`, on the same file system; under the write lock all in it before was left by a kill."""

    root: Path
    scratch: Path

    @property
    def replaced(self) -> "ReplacedFiles":
        """The old versions of files that were replaced lately."""
        return ReplacedFiles(self.scratch.with_name("replaced"))

    def read(self, path: str) -> bytes | None:
        """The bytes of the regular file at `path`; None when there is none, or it is over MAX_BYTES.
        Unreadable when there is one that can't be read."""
        with closing(Folders(self.root)) as folders:
            return _read(folders, path)

    def read_saved(self, path: str, *, was_empty: bool = False) -> bytes | None:
        """The same; if the file is empty, waits a moment for an editor that empties a file before it
        writes it, unless it `was_empty` before."""
        end = time.monotonic() + SAVING
        while (data := self.read(path)) == b"" and not was_empty and time.monotonic() < end:
            time.sleep(SAVING / 20)
        return data

    def exists(self, path: str) -> bool:
        """Whether anything at all is at `path`, a link or a folder included."""
        return os.path.lexists(self.root / path)

    def changed_since(self, moment: float, paths: Iterable[str]) -> Iterator[str]:
        """Those of `paths` that were written, moved here or removed after `moment`, and not in the future."""
        now = time.time()
        return (path for path in paths if moment < changed_at(self.root / path) <= now)

    def write(self, path: str, data: bytes) -> None:
        """Replace the file at `path`; after a power cut it has its old or its new bytes, whole."""
        self.write_all({path: data})

    def write_all(self, files: Mapping[str, bytes], seen: Mapping[str, str | None] | None = None) -> None:
        """Replace many files: all bytes are on disk before the first name points at them, or a power cut
        could leave a file empty, as if a person had deleted its text. If a file has another blob id than
        in `seen`, of a moment ago, its bytes become a late write."""
        since = time.time()
        with closing(Folders(self.root)) as folders, self._prepared(folders, files) as prepared:
            for path, temporary in prepared.items():
                if seen is not None:
                    self._keep_old(path, seen[path], since)
                self._put(folders, path, temporary)
            _sync_folders(folders, files)

    def update_unchanged(self, updates: Mapping[str, FileUpdate]) -> frozenset[str]:
        """Update each file that still is what the caller saw, as an editor may write at any moment;
        returns the paths of the others. What reaches an old file meanwhile becomes a late write."""
        since = time.time()
        # Remove files first: a folder may replace a file, and a file may replace a folder.
        with closing(Folders(self.root)) as folders:
            gone = {p for p, w in updates.items() if w.data is None and _id(folders, p) == w.expected}
        for path in gone:
            self._keep_old(path, updates[path].expected, since)
            self.remove(path)
        with closing(Folders(self.root)) as folders:
            come = {p: w.data for p, w in updates.items() if w.data is not None and _is_ready(folders, p, w)}
            with self._prepared(folders, come) as prepared:
                for path, temporary in prepared.items():
                    self._keep_old(path, updates[path].expected, since)
                    self._put(folders, path, temporary)
            _sync_folders(folders, come)
        return frozenset(updates) - gone - come.keys()

    def _keep_old(self, path: str, oid: str | None, since: float) -> None:
        # Where there was no file, an editor may have made one while we wrote ours.
        self.replaced.keep(self.root / path, path, oid or EMPTY_BLOB, since)

    def remove(self, path: str) -> None:
        """Remove the file at `path`, and folders that this leaves empty."""
        with suppress(FileNotFoundError), closing(Folders(self.root)) as folders:
            folder, name = folders.of(path)
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)
        parent = (self.root / path).parent
        while parent != self.root:
            try:
                parent.rmdir()
            except OSError:
                return
            parent = parent.parent

    def scan(self, below: str = "") -> Scan:
        """List every file, or those below a folder, without opening one."""
        return scan(self.root, below)

    def walk(self, below: str = "") -> Iterator[Listing]:
        """Every folder, or those from one on; the folders in it come before it."""
        return walk(self.root, below)

    @contextmanager
    def _prepared(self, folders: Folders, files: Mapping[str, bytes]) -> Iterator[dict[str, str]]:
        """path -> name of a file in `scratch` that has its bytes, on the disk; leaves none behind."""
        many = len(files) >= MANY
        with self._open_scratch() as scratch:
            prepared = {}
            for path, data in files.items():
                folders.of(path, create=True)
                prepared[path] = _temporary(scratch, data, sync=not many)
            if many:
                os.sync()
            yield prepared

    def _put(self, folders: Folders, path: str, temporary: str) -> None:
        folder, name = folders.of(path)
        try:
            os.rename(self.scratch / temporary, name, dst_dir_fd=folder)
        except IsADirectoryError as error:
            raise Refused(f"{path} is a folder", "Move it away, or choose another name.") from error

    @contextmanager
    def _open_scratch(self) -> Iterator[int]:
        """The open scratch folder, emptied before and after; a link in its place is not followed."""
        make_folder(self.scratch)
        handle = os.open(self.scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _empty(handle)
            yield handle
        finally:
            _empty(handle)
            os.close(handle)


def _read(folders: Folders, path: str) -> bytes | None:
    try:
        folder, name = folders.of(path)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
                return file.read()
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise Unreadable(f"{path} can't be read: {error.strerror}", "Look at its rights.") from error
    return None


def _id(folders: Folders, path: str) -> str | None:
    data = _read(folders, path)
    if data is not None:
        return blob_id(data)
    return OBSTACLE if os.path.lexists(folders.root / path) else None


def _is_ready(folders: Folders, path: str, update: FileUpdate) -> bool:
    """Whether the file is as expected and its folder exists or could be made."""
    try:
        folders.of(path, create=True)
        return _id(folders, path) == update.expected
    except (Refused, Unreadable):
        return False


def _temporary(scratch: int, data: bytes, *, sync: bool) -> str:
    name = random_name()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o644, dir_fd=scratch), "wb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())
    return name


def _sync_folders(folders: Folders, paths: Iterable[str]) -> None:
    for path in {p.rpartition("/")[0]: p for p in paths}.values():
        folders.sync(path)


def _empty(scratch: int) -> None:
    for name in os.listdir(scratch):
        if _OURS.fullmatch(name):
            os.unlink(name, dir_fd=scratch)


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
