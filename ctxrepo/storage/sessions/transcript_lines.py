"""A transcript as lines, whether it is a file, a compressed file, or a folder of small files."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ctxrepo.domain.formats.jsonl import MAX_LINE
from ctxrepo.storage.disk.foreign import open_regular

Parts = Sequence[tuple[str, str]]
"""Pairs of folders, relative to that of the session's file: the messages of a session, a file each, and the
parts of a message."""

_ZSTD, _SQLITE = b"\x28\xb5\x2f\xfd", b"SQLite format 3\0"
"""The first bytes of a compressed file and of a database."""

_MOST_BYTES = 256 * 1024 * 1024
_SECONDS = 15.0
"""Most bytes that are unpacked, and most seconds that it may take."""

_MOST_FILES = 50_000
_UNPACK = ("zstd", "--decompress", "--stdout", "--quiet")


class NoUnpacker(OSError):
    """A transcript is compressed, and the program that unpacks it is missing."""


@contextmanager
def opened_file(path: str | Path, parts: Parts = ()) -> Iterator[int]:
    """A file descriptor of a transcript's lines. OSError for what is no regular file or can't be unpacked."""
    handle = open_regular(path)
    try:
        is_packed = os.pread(handle, len(_ZSTD), 0) == _ZSTD
        if is_packed or parts:
            key = _stamp(handle, Path(path), parts)
            if key != _latest.key:
                chunks = [_unpacked(handle)] if is_packed else _small_files(Path(path), parts)
                _latest.keep(key, chunks)
            lines = _latest.handle()
            os.close(handle)
            handle = lines
        yield handle
    finally:
        os.close(handle)


class _LaidOut:
    """Keeps the lines of the last transcript that was no plain file, as a long one is read in pieces."""

    def __init__(self) -> None:
        self.key: tuple[object, ...] = ()
        self._handle = -1

    def keep(self, key: tuple[object, ...], chunks: Iterable[bytes]) -> None:
        """Write these bytes, up to _MOST_BYTES, into a file without a name, in place of the one before."""
        self.key = ()
        from tempfile import TemporaryFile  # most transcripts are plain files

        with TemporaryFile() as file:
            for chunk in chunks:
                if file.tell() + len(chunk) > _MOST_BYTES:
                    break
                file.write(chunk)
            file.flush()
            if self._handle >= 0:
                os.close(self._handle)
            self._handle = os.dup(file.fileno())
        self.key = key

    def handle(self) -> int:
        """A descriptor of that file, at its beginning."""
        handle = os.dup(self._handle)
        os.lseek(handle, 0, os.SEEK_SET)
        return handle


_latest = _LaidOut()


def _stamp(handle: int, path: Path, parts: Parts) -> tuple[object, ...]:
    """Facts that change whenever a transcript that is no plain file does."""
    folders = [path.parent / messages.format(session=path.stem) for messages, _ in parts]
    statuses = (os.fstat(handle), *(folder.stat() for folder in folders if folder.is_dir()))
    return str(path), *((status.st_ino, status.st_size, status.st_mtime_ns) for status in statuses)


def is_database(path: Path) -> bool:
    """Whether a file is one of SQLite's, by its first bytes."""
    try:
        handle = open_regular(path)
    except (OSError, ValueError):  # a path with a NUL is a ValueError
        return False
    try:
        return os.pread(handle, len(_SQLITE), 0) == _SQLITE
    finally:
        os.close(handle)


def _unpacked(handle: int) -> bytes:
    """The contents of a file that zstd has compressed. NoUnpacker where `zstd` isn't installed, OSError for
    what isn't compressed or is too large."""
    import subprocess  # hardly any are

    from ctxrepo.storage.processes.process import GivenUp, SaidTooMuch, converse

    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(_UNPACK, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except FileNotFoundError as error:
        raise NoUnpacker("zstd isn't installed") from error
    with process:
        try:
            data, errors = converse(
                process, os.pread(handle, _MOST_BYTES, 0), limit=_SECONDS, most=_MOST_BYTES
            )
        except (GivenUp, SaidTooMuch) as error:
            raise OSError("it can't be unpacked within bounds") from error
    if process.returncode and not data:  # of a torn file, what could be unpacked counts
        raise OSError(errors.decode("utf-8", "replace"))
    return data


def _small_files(session: Path, parts: Parts) -> Iterator[bytes]:
    """The files of a session, a line each: its own, then each message and its parts."""
    yield _as_line(session)
    for messages, of_message in parts:
        names = {"session": session.stem, "message": ""}
        folder = session.parent / messages.format(**names)
        for message in _files(folder):
            yield _as_line(message)
            names["message"] = message.stem
            yield from map(_as_line, _files(session.parent / of_message.format(**names)))


def _files(folder: Path) -> list[Path]:
    """The JSON files of a folder, sorted by their names, which ascend with time."""
    try:
        return sorted(folder.glob("*.json"))[:_MOST_FILES]
    except OSError:
        return []


def _as_line(path: Path) -> bytes:
    """A small file of JSON on one line; empty where it can't be read, or is longer than any record."""
    try:
        handle = open_regular(path)
    except OSError:
        return b"\n"
    try:
        data = os.pread(handle, MAX_LINE + 1, 0)
    finally:
        os.close(handle)
    line = data.replace(b"\r", b" ").replace(b"\n", b" ") if len(data) <= MAX_LINE else b""
    return line + b"\n"
