"""Which transcripts there are below an agent's folder: files, or sessions in databases."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.recent import rows_of

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
    found: list[TranscriptFile] = []
    folders: dict[str, str] = {}
    for path in islice(layout.folder.glob(layout.pattern), MOST_FILES):
        try:
            there = path.stat()
        except OSError:
            continue
        if not stat.S_ISREG(there.st_mode):
            continue
        name = str(path)
        file = TranscriptFile(
            name,
            layout.agent,
            name,
            there.st_ino,
            there.st_size,
            there.st_mtime_ns,
            _cwd(layout, path, folders),
        )
        found += _in_database(layout, file) if layout.sessions else [file]
    return found


def _cwd(layout: Layout, path: Path, known: dict[str, str]) -> str:
    """What the file beside a transcript says that its session's folder is."""
    if not layout.folder_file:
        return ""
    file = os.path.normpath(path.parent / layout.folder_file)
    if file not in known:
        known[file] = text(file, _FOLDER_BYTES).strip()
    return known[file]


def _in_database(layout: Layout, file: TranscriptFile) -> Iterator[TranscriptFile]:
    """The sessions in a database. When it was written last says nothing of one of them."""
    for order, row in enumerate(islice(rows_of(Path(file.path), layout.sessions, {}), _MOST_SESSIONS)):
        match row:
            case (str(session), cwd, mark):
                name, folder = f"{file.path}#{session}", cwd if isinstance(cwd, str) else ""
                written = file.mtime - order
                yield TranscriptFile(
                    name, file.agent, file.path, file.inode, 0, written, folder, session, str(mark)
                )
