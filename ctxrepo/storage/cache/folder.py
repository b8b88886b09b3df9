"""Any folder of markdown as one scope, in a passing cache of its own; without memory, git or home folder."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import ARCHIVE, is_note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.disk.foreign import read
from ctxrepo.storage.worktree.scan import MAX_BYTES

if TYPE_CHECKING:
    import _sqlite3

SCOPE = "folder"

_BEFORE = f"{SCOPE}//"
"""Before each path, in the cache only. What a memory leaves aside it tells by the name of the second folder;
here that name is empty, so that a folder called inbox/ or conflicts/ is one like any other."""

_ARCHIVE_DEPTH = 2
"""An archive is one at the top, or in a folder there, where a memory has its scopes."""


@dataclass(frozen=True)
class FolderCache:
    """`db` is read like a memory's cache, `notes` counts what is in it, `skipped` is path -> why;
    `vectors` is a place for what its entries mean, gone with it."""

    db: "_sqlite3.Connection"
    vectors: Path
    notes: int
    skipped: dict[str, str]

    def path_of(self, cached: str) -> str:
        """The path in the folder of what the cache has at `cached`."""
        return cached.removeprefix(_BEFORE)


@contextmanager
def folder_cache(folder: Path) -> Iterator[FolderCache]:
    """Every note below `folder`, however deep, but for archives and hidden folders; no link is followed."""
    paths, skipped = _notes(folder)
    if not paths:
        raise NotFound(f"there are no notes in {folder}", "Notes are files whose names end in .md.")
    with tempfile.TemporaryDirectory(prefix="ctxrepo-") as there:
        file = Path(there) / "cache.db"
        with closing(Cache.open(file)) as cache:
            cached = {_BEFORE + path: folder / path for path in paths}

            def text(path: str) -> str:
                return decode(read(cached[path], MAX_BYTES, follow=False) or b"")

            cache.fill("folder", cached, text, Marks(), lambda _: None)
        db = open_cache(str(file))
        if db is None:
            raise CtxrepoError(f"{file} can't be read", "Look whether the disk is full, and try again.")
        with closing(db):
            yield FolderCache(db, Path(there) / "vectors.db", len(paths), skipped)


def _notes(folder: Path) -> tuple[list[str], dict[str, str]]:
    if not folder.is_dir():
        raise UsageError(f"{folder} isn't a folder", "Name one that holds notes.")
    paths: list[str] = []
    skipped: dict[str, str] = {}
    for place, folders, names in os.walk(folder, onerror=_raise):
        below = Path(place).relative_to(folder)
        depth = len(below.parts)
        folders[:] = [f for f in folders if f[0] != "." and (f != ARCHIVE or depth >= _ARCHIVE_DEPTH)]
        for path in ((below / name).as_posix() for name in names if is_note(name)):
            if why := _unreadable(folder / path):
                skipped[path] = why
            else:
                paths.append(path)
    return sorted(paths), skipped


def _unreadable(file: Path) -> str:
    """Why the file is none to read, going on from its path; '' for one that is."""
    if any("\ud800" <= char <= "\udfff" for char in str(file)):
        return "has a name that is not UTF-8"
    if file.is_symlink() or not file.is_file():
        return "is not a regular file"
    size = file.stat().st_size
    return f"is larger than {MAX_BYTES // 1024**2} MiB" if size > MAX_BYTES else ""


def _raise(error: OSError) -> None:
    raise error
