"""Transcripts of agents: listed, read piece by piece, and searched for bytes."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from ctxrepo.domain.formats.jsonl import MAX_LINE, record
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.recent import RowReader, globbed, lines_of_rows
from ctxrepo.storage.processes.database import storable
from ctxrepo.storage.sessions.transcript_lines import Parts, is_database, opened_file

MOST_FILES = 50_000
"""Most files that are listed of one folder."""

_MOST_SESSIONS = 20_000
"""Most sessions that are listed of one database."""

_FOLDER_BYTES = 4096
"""Most bytes of a file that has the path of a session's folder."""


@dataclass(frozen=True)
class Layout:
    """Where an agent keeps transcripts: facts of `agents.protocol.Transcripts` as values."""

    agent: str
    folder: Path
    pattern: str
    sessions: str = ""
    folder_file: str = ""


@dataclass(frozen=True)
class TranscriptFile:
    """A transcript as it is now. `name` is unique among all transcripts; `state` is another one whenever the
    transcript has changed. `mtime` is in nanoseconds, `size` in bytes. `session` is its id in a database of
    many sessions, else ''."""

    name: str
    agent: str
    path: str
    state: str
    mtime: int
    size: int = 0
    cwd: str = ""
    session: str = ""


def transcript_files(layout: Layout) -> list[TranscriptFile]:
    """The transcripts in all regular files of a layout, and in files to which links lead. Nothing else is
    opened."""
    files: list[TranscriptFile] = []
    folders: dict[str, str] = {}
    for path in islice(globbed(layout.folder, layout.pattern), MOST_FILES):
        try:
            status = path.stat()
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            continue
        name, size, mtime = str(path), status.st_size, status.st_mtime_ns
        state, cwd = f"{status.st_ino} {size} {mtime}", _cwd(layout, path, folders)
        file = TranscriptFile(name, layout.agent, name, state, mtime, size, cwd)
        has_many = bool(layout.sessions) and path.suffix != ".jsonl" and is_database(path)
        files += _in_database(layout, file) if has_many else [file]
    return files


def _cwd(layout: Layout, path: Path, folders: dict[str, str]) -> str:
    """The session's folder, by the file beside its transcript; '' where there is none."""
    if not layout.folder_file:
        return ""
    file = os.path.normpath(path.parent / layout.folder_file)
    if file not in folders:
        folders[file] = text(file, _FOLDER_BYTES).strip()
    return folders[file]


def _in_database(layout: Layout, file: TranscriptFile) -> Iterator[TranscriptFile]:
    """The sessions in a database, or the file itself where it refuses the query. Each counts as a nanosecond
    older than the one before: when a session was last written is unknown."""
    with closing(RowReader(Path(file.path))) as reader:
        rows = [*islice(reader.select(layout.sessions, {}), _MOST_SESSIONS)]
    if reader.is_refused:
        yield file
    ids = set[str]()
    for order, row in enumerate(rows):
        match row:
            case (str(session), cwd, mark) if session not in ids:
                ids.add(session)
                name, folder = f"{file.path}#{session}", cwd if isinstance(cwd, str) else ""
                state, mtime = f"{file.state.split()[0]} {mark}", file.mtime - order
                yield TranscriptFile(name, file.agent, file.path, state, mtime, 0, folder, session)


PIECE = 4 * 1024 * 1024
"""Bytes that are read at a time."""

_USUAL_LINE = 32 * 1024
"""Bytes in which the first line usually ends."""

_BEFORE = 256
"""Bytes at the beginning of a file, and as many before an offset, that show whether it is still the file that
was read."""

_ROWS = 20_000
"""Rows that are read from a database at a time."""


class TranscriptPiece(NamedTuple):
    """Whole lines of a transcript from the place `since` to `end`, and the place of each: in a file its
    offset in bytes, in a database its number. A line longer than any record is ''. `size` is in bytes.
    `is_last`: there is no more for now, except for a line that is still being written."""

    since: int
    lines: list[str]
    places: list[int]
    end: int
    size: int
    is_last: bool


class Position(NamedTuple):
    """A place up to which a transcript was read. `before` shows whether it was rewritten since: for a file it
    is a digest of bytes before the place, for a database the id of the message at it."""

    place: int = 0
    before: bytes = b""


@dataclass(frozen=True)
class ReadTranscript:
    """How far a session's transcript was read: up to the `position`. `name` is unique among all transcripts,
    `id` that of the session, `path` its file, which may be a database of many. `state` is the state that was
    read to its end, '' until then, and `mtime` when that was written, in nanoseconds. `number` is that of the
    row in a database of ours, 0 for none."""

    name: str
    agent: str
    id: str
    path: str
    cwd: str = ""
    mtime: int = 0
    state: str = ""
    position: Position = Position()
    number: int = 0

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """The value of a database row: `columns`, the number, and fields of a subclass."""
        return cls(*[*row[:7], Position(*row[7:9]), *row[9:]])

    @property
    def columns(self) -> list[object]:
        """All fields but the number, as a database row."""
        texts = (self.name, self.agent, self.id, self.path, self.cwd)
        return [*map(storable, texts), self.mtime, storable(self.state), *self.position]


Rewrite = Literal["", "shorter", "longer"]
"""How a transcript was rewritten: not at all, or to fewer or more bytes than had been read of it."""


class OpenTranscript:
    """A transcript that is a file of lines, open to be read."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def first_line(self) -> str:
        """Its first line, '' if other lines can be read without it."""
        return first_line(self._handle)

    def position(self, place: int, _: str = "") -> Position:
        """The position at this place; the second argument is the id of the message there, for databases."""
        first = os.pread(self._handle, min(_BEFORE, place), 0)
        last = os.pread(self._handle, min(_BEFORE, place), max(0, place - _BEFORE))
        return Position(place, blake2b(first + b"\0" + last, digest_size=8).digest())

    def rewrite_before(self, position: Position) -> Rewrite:
        if not position.place or self.position(position.place) == position:
            return ""
        return "shorter" if os.fstat(self._handle).st_size < position.place else "longer"

    def piece(self, since: Position, share: int = 1) -> TranscriptPiece:
        """What follows on a position: PIECE bytes at most, or a `share`-th of that."""
        return read_piece(self._handle, since.place, PIECE // share)


class _OpenRows(OpenTranscript):
    """One of the sessions of a database: its rows, from the message with an id on."""

    def __init__(self, file: TranscriptFile, query: str) -> None:
        self._file, self._query = file, query

    def first_line(self) -> str:
        return ""

    def position(self, place: int, name: str = "") -> Position:
        return Position(place, name.encode("utf-8", "replace"))

    def rewrite_before(self, position: Position) -> Rewrite:
        return "longer" if position.before and not self._from(position.before, position.before) else ""

    def piece(self, since: Position, _: int = 1) -> TranscriptPiece:
        lines = self._from(since.before, passed=0 if since.before else since.place)
        end, size, is_last = since.place + len(lines), sum(map(len, lines)), len(lines) < _ROWS
        return TranscriptPiece(since.place, lines, [*range(since.place, end)], end, size, is_last)

    def _from(self, first: bytes, last: bytes = b"", passed: int = 0) -> list[str]:
        names = (name.decode("utf-8", "replace") for name in (first, last))
        rows = lines_of_rows(Path(self._file.path), self._query, self._file.session, *names)
        return [*islice(rows, passed, passed + _ROWS)]


@contextmanager
def opened_transcript(file: TranscriptFile, query: str, parts: Parts) -> Iterator[OpenTranscript]:
    """A transcript, open to be read; by the `query` of its agent if it is in a database. OSError where it
    can't be read."""
    if file.session:
        yield _OpenRows(file, query)
    elif not file.path.endswith(".jsonl") and is_database(Path(file.path)):
        raise OSError("no session is known in it")
    else:
        with opened_file(file.path, parts) as handle:
            yield OpenTranscript(handle)


def read_piece(handle: int, start: int, most: int) -> TranscriptPiece:
    """The lines that begin and end within `most` bytes from the offset `start`."""
    data = os.pread(handle, most, start)
    is_last = len(data) < most
    is_midline = start > 0 and os.pread(handle, 1, start - 1) != b"\n"
    begin = data.find(b"\n") + 1 if is_midline else 0
    end = data.rfind(b"\n") + 1
    if not end and (is_midline or not is_last):
        return TranscriptPiece(start, [], [], start + len(data), len(data), is_last)
    if is_last and end < len(data) and _is_whole(data[end:]):
        end = len(data)
    lines, places = [], []
    at = start + begin
    for line in data[begin:end].split(b"\n"):
        lines.append(line.decode("utf-8", "replace") if len(line) <= MAX_LINE else "")
        places.append(at)
        at += len(line) + 1
    return TranscriptPiece(start, lines, places, start + end, end, is_last)


def first_line(handle: int) -> str:
    """The first line of a file; '' where it is longer than any record."""
    for most in (_USUAL_LINE, MAX_LINE + 1):
        line, newline, _ = os.pread(handle, most, 0).partition(b"\n")
        if newline:
            return line.decode("utf-8", "replace")
    return ""


def _is_whole(rest: bytes) -> bool:
    """Whether a last line without a newline is a whole record all the same."""
    text = rest.decode("utf-8", "replace").strip()
    value = text if text.endswith("}") else f'{{"list": {text}}}' if text.endswith("]") else ""
    return record(value) is not None


_CHUNK = 4 * 1024 * 1024
AROUND = 64 * 1024
"""Bytes on either side of a hit that are returned: to mask a private key, all of it must be there."""

_HEAD = 256 * 1024


def find_bytes(handle: int, needles: Sequence[bytes], any_case: bool, most: int) -> list[int]:
    """The first `most` offsets in a file at which it has one of the needles, at most one of a line; with
    `any_case`, the case of ASCII letters is ignored."""
    needles = [needle.lower() for needle in needles] if any_case else needles
    overlap = max(map(len, needles)) - 1
    places: list[int] = []
    at = 0
    while len(places) < most and (data := os.pread(handle, _CHUNK, at)):
        chunk = data.lower() if any_case else data
        begin = 0
        while len(places) < most and (place := _first(chunk, needles, begin)) >= 0:
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
    """The text around an offset, within its line and AROUND bytes."""
    start = max(0, place - AROUND)
    data = os.pread(handle, 2 * AROUND, start)
    before, after = data[: place - start], data[place - start :]
    return (before.rpartition(b"\n")[2] + after.partition(b"\n")[0]).decode("utf-8", "replace")


def first_lines(handle: int) -> list[str]:
    """At most 100 lines at the beginning of a file, which describe its session."""
    return os.pread(handle, _HEAD, 0).decode("utf-8", "replace").split("\n")[:100]


def _first(chunk: bytes, needles: Sequence[bytes], begin: int) -> int:
    places = [place for needle in needles if (place := chunk.find(needle, begin)) >= 0]
    return min(places, default=-1)
