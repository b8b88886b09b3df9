"""The sources by their names, what each has here, and the disk and projects as they may look at them."""

import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from ctxrepo.agents.known import sources
from ctxrepo.errors import CtxrepoError, NotFound, Unreadable, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.sources.source import FolderContents, NotTaken, SourceContents, SourceSearch
from ctxrepo.storage.disk.foreign import read, read_object, shown
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.sources.program_memory import is_folder, read_folder, read_tables
from ctxrepo.storage.state.compiled import read_checkouts


@dataclass(frozen=True)
class FilesOutside:
    """The disk, as sources may look at it (`agents.sources.SourceFiles`)."""

    outside: Outside

    def exists(self, path: Path) -> bool:
        return os.path.lexists(path)

    def is_folder(self, place: Path) -> bool:
        return is_folder(self.outside, place)

    def real(self, path: Path) -> Path:
        return Path(os.path.realpath(path))

    def read_folder(self, root: Path) -> FolderContents:
        return read_folder(self.outside, root)

    def read_file(self, file: Path, most: int) -> bytes | None:
        return read(file, most, follow=False)

    def read_fields(self, file: Path, *, follow: bool = True) -> tuple[Mapping[str, Any] | None, str]:
        contents = read_object(file, follow=follow)
        return contents.fields, contents.trouble

    def read_tables(
        self, program: str, file: Path, columns: Mapping[str, Sequence[str]], *, follow: bool = True
    ) -> Mapping[str, Sequence[Sequence[object]]] | None:
        return read_tables(self.outside, program, file, columns, follow=follow)


def require_source(name: str) -> None:
    """UsageError for a name that no source has."""
    if name not in sources():
        raise UsageError(f"there is no source {name!r}", f"There are {', '.join(sources())}.")


def contents(name: str, search: SourceSearch) -> list[SourceContents]:
    """What the source has; NotFound for nothing, UsageError where whose notes these are takes a project."""
    require_source(name)
    places = list(sources()[name].find(search))
    if not places:
        where = f" in {shown(search.chosen)}" if search.chosen else " here"
        raise NotFound(f"there is nothing of {name}{where}", "`ctxrepo import` lists what there is.")
    if search.chosen and not any(place.notes or place.tapes for place in places):
        left = [(stays, stays.what == place.place) for place in places for stays in place.not_taken]
        if unread := [stays.why for stays, is_whole in left if is_whole]:
            raise Unreadable(unread[0])
        if not left:
            raise Unreadable(f"there are no notes in {shown(search.chosen)}")
    if any(place.lacks_project for place in places):
        raise UsageError("this folder belongs to no project", "Run it in the checkout whose notes these are.")
    return places


def survey(search: SourceSearch) -> list[SourceContents]:
    """All that any source has here; of one that can't be looked at, why."""
    found: list[SourceContents] = []
    for source in sources().values():
        try:
            found += source.find(search)
        except CtxrepoError as error:
            unread = NotTaken("what it keeps", error.message)
            found.append(SourceContents(source.name, "its own folder", not_taken=(unread,)))
    return found
