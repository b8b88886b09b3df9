"""Files in which agents keep transcripts: which there are, read line by line, or searched for bytes."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ctxrepo.domain.formats.jsonl import MAX_LINE, record
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.recent import RowReader, globbed
from ctxrepo.storage.sessions.transcript_lines import is_database

MOST_FILES = 50_000
"""Files that are looked at below one folder."""

_MOST_SESSIONS = 20_000
"""Sessions of one database."""

_FOLDER_BYTES = 4096
"""A file that holds the path of a folder is no longer than this."""


@dataclass(frozen=True)
class Layout:
    """Where an agent keeps transcripts: what `agents.protocol.Transcripts` says of it, as values."""

    agent: str
    folder: Path
    pattern: str
    sessions: str = ""
    folder_file: str = ""


@dataclass(frozen=True)
class TranscriptFile:
    """A transcript as it is now. `name` is its own among all. In a database of many sessions `session` is the
    id of one, and `mark` changes with it."""

    name: str
    agent: str
    path: str
    inode: int
    size: int
    mtime: int
    cwd: str = ""
    session: str = ""
    mark: str = ""


def transcript_files(layout: Layout) -> list[TranscriptFile]:
    """All regular files of the layout; links to such are followed, and nothing else is opened."""
    files: list[TranscriptFile] = []
    folders: dict[str, str] = {}
    for path in islice(globbed(layout.folder, layout.pattern), MOST_FILES):
        try:
            status = path.stat()
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            continue
        name = str(path)
        now = (status.st_ino, status.st_size, status.st_mtime_ns)
        file = TranscriptFile(name, layout.agent, name, *now, _cwd(layout, path, folders))
        is_many = bool(layout.sessions) and path.suffix != ".jsonl" and is_database(path)
        files += _in_database(layout, file) if is_many else [file]
    return files


def _cwd(layout: Layout, path: Path, folders: dict[str, str]) -> str:
    """What the file beside a transcript says that its session's folder is."""
    if not layout.folder_file:
        return ""
    file = os.path.normpath(path.parent / layout.folder_file)
    if file not in folders:
        folders[file] = text(file, _FOLDER_BYTES).strip()
    return folders[file]


def _in_database(layout: Layout, file: TranscriptFile) -> Iterator[TranscriptFile]:
    """The sessions in a database, or the file itself where it has no such sessions. When it was written last
    says nothing of one of them."""
    with closing(RowReader(Path(file.path))) as reader:
        rows = [*islice(reader.select(layout.sessions, {}), _MOST_SESSIONS)]
    if reader.is_refused:
        yield file
    known = set[str]()
    for order, row in enumerate(rows):
        match row:
            case (str(session), cwd, mark) if session not in known:
                known.add(session)
                name, folder = f"{file.path}#{session}", cwd if isinstance(cwd, str) else ""
                written = file.mtime - order
                now = (file.inode, 0, written)
                yield TranscriptFile(name, file.agent, file.path, *now, folder, session, str(mark))


PIECE = 4 * 1024 * 1024
"""Bytes that are read at a time."""

_USUAL_LINE = 32 * 1024
"""Bytes in which the first line mostly ends."""

_BEFORE = 256
"""Bytes before an offset by which it is told whether a file is still the one that was read."""


class FilePiece(NamedTuple):
    """Whole lines of a file, and the offset at which each begins. A line that is longer than any record may
    be is '' here. What comes next begins at `end`, within a line where that has no end in this piece.
    `is_last`: there is no more for now, but for a line that somebody is still writing."""

    lines: list[str]
    starts: list[int]
    end: int
    is_midline: bool
    is_last: bool


def read_piece(handle: int, start: int, is_midline: bool, most: int = PIECE) -> FilePiece:
    """The lines within `most` bytes from the offset `start`."""
    data = os.pread(handle, most, start)
    is_last = len(data) < most
    begin = 0
    if is_midline:
        begin = data.find(b"\n") + 1
        if not begin:
            return FilePiece([], [], start + len(data), True, is_last)
    end = data.rfind(b"\n") + 1
    if not end and not is_last:
        return FilePiece([], [], start + len(data), True, False)
    if is_last and end < len(data) and _is_whole(data[max(end, begin) :]):
        end = len(data)
    lines, starts = [], []
    at = start + begin
    for line in data[begin:end].split(b"\n"):
        lines.append(line.decode("utf-8", "replace") if len(line) <= MAX_LINE else "")
        starts.append(at)
        at += len(line) + 1
    return FilePiece(lines, starts, start + max(end, begin), False, is_last)


def first_line(handle: int) -> str:
    """The first line of a file; '' where it is longer than any record."""
    for most in (_USUAL_LINE, MAX_LINE + 1):
        line, newline, _ = os.pread(handle, most, 0).partition(b"\n")
        if newline:
            return line.decode("utf-8", "replace")
    return ""


def digest_before(handle: int, offset: int) -> bytes:
    """What tells whether a file still is, up to this offset, what it was: a digest of its first bytes and of
    the last ones before the offset."""
    first = os.pread(handle, min(_BEFORE, offset), 0)
    last = os.pread(handle, min(_BEFORE, offset), max(0, offset - _BEFORE))
    return blake2b(first + b"\0" + last, digest_size=8).digest()


def _is_whole(rest: bytes) -> bool:
    """Whether a last line without its end is a whole record all the same."""
    text = rest.decode("utf-8", "replace").strip()
    value = text if text.endswith("}") else f'{{"list": {text}}}' if text.endswith("]") else ""
    return record(value) is not None


_CHUNK = 4 * 1024 * 1024
AROUND = 64 * 1024
"""Bytes on either side of a hit that are given back: whoever masks secrets must see all of a private key."""

_HEAD = 256 * 1024


def find_bytes(handle: int, needles: Sequence[bytes], any_case: bool, most: int) -> list[int]:
    """The first `most` places in a file at which one of the needles stands, at most one a line; with
    `any_case` in whatever case, of the letters of ASCII."""
    spelled = [needle.lower() for needle in needles] if any_case else needles
    overlap = max(map(len, spelled)) - 1
    places: list[int] = []
    at = 0
    while len(places) < most and (data := os.pread(handle, _CHUNK, at)):
        chunk = data.lower() if any_case else data
        begin = 0
        while len(places) < most and (place := _first(chunk, spelled, begin)) >= 0:
            places.append(at + place)
            begin = chunk.find(b"\n", place) + 1
            if not begin:
                break
        if len(data) < _CHUNK:
            break
        at += _CHUNK - overlap
        at = max(at, places[-1] + 1) if places else at
    return places


def line_around(handle: int, place: int) -> str:
    """What stands around a place, on its line."""
    start = max(0, place - AROUND)
    data = os.pread(handle, 2 * AROUND, start)
    before, after = data[: place - start], data[place - start :]
    return (before.rpartition(b"\n")[2] + after.partition(b"\n")[0]).decode("utf-8", "replace")


def first_lines(handle: int) -> list[str]:
    """The first lines of a file, which tell of its session."""
    return os.pread(handle, _HEAD, 0).decode("utf-8", "replace").split("\n")[:100]


def _first(chunk: bytes, needles: Sequence[bytes], begin: int) -> int:
    places = [place for needle in needles if (place := chunk.find(needle, begin)) >= 0]
    return min(places, default=-1)
