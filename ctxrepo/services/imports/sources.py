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
from ctxrepo.domain.project.layout import expanded
from ctxrepo.domain.project.registry import Registry, forge_id, normalise_remote
from ctxrepo.errors import CtxrepoError, NotFound, Unreadable, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project, read_registry
from ctxrepo.services.locate.look import find_location
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
    if search.chosen and not search.files.exists(search.chosen):
        raise NotFound(f"there is no {shown(search.chosen)}", "Name a file or a folder that is there.")
    places = list(sources()[name].find(search))
    if not places:
        where = f" in {shown(search.chosen)}" if search.chosen else " here"
        raise NotFound(f"there is nothing of {name}{where}", "`ctxrepo import` lists what there is.")
    if search.chosen and not any(place.notes or place.tapes or place.files for place in places):
        rest = [(stays, stays.what == place.place) for place in places for stays in place.not_taken]
        if unread := [stays.why for stays, is_whole in rest if is_whole]:
            raise Unreadable(unread[0])
        if not rest:
            raise Unreadable(f"there are no notes in {shown(search.chosen)}")
    if any(place.lacks_project for place in places):
        raise UsageError("this folder belongs to no project", "Run it in the checkout whose notes these are.")
    return places


def survey(search: SourceSearch) -> list[SourceContents]:
    """All that any source has here; of one that can't be looked at, why."""
    places: list[SourceContents] = []
    for source in sources().values():
        try:
            places += source.find(search)
        except CtxrepoError as error:
            unread = NotTaken("what it keeps", error.message)
            places.append(SourceContents(source.name, "its own folder", not_taken=(unread,)))
    return places


@dataclass
class ProjectFolders:
    """Asked for each record of a source: each answer is found once.

    `project` is that of the current folder, which may have no folder yet, `checkout` the top around it."""

    memory: Memory
    project: Project | None
    checkout: Path | None
    _answers: dict[str, str] = field(default_factory=dict)

    def folder_of(self, known_as: str) -> str:
        """The folder of the project that is known so; '' where that has none here, or isn't the only one."""
        if known_as not in self._answers:
            self._answers[known_as] = self._find(known_as.strip())
        return self._answers[known_as]

    @property
    def taken(self) -> frozenset[str]:
        """The folders of projects, in small letters."""
        own = [self.project.folder] if self.project else []
        return frozenset(folder.casefold() for folder in (*self._registry.projects.values(), *own))

    def _find(self, known_as: str) -> str:
        if known_as.startswith(("/", "~/")):
            return self._of_path(Path(expanded(known_as, str(self.memory.places.user_home))))
        is_address = "/" in known_as or ":" in known_as
        return self._of_address(known_as) if is_address else self._of_name(known_as)

    def _of_path(self, path: Path) -> str:
        """That of the checkout around a folder; of one that is gone, as it was recorded."""
        if self.project and self.checkout and path.is_relative_to(self.checkout):
            return self.project.folder
        try:
            here = find_location(self.memory, path)
        except CtxrepoError:
            return ""
        if here.project:
            is_given = here.project.is_registered and not here.is_withheld
            return here.project.folder if is_given else ""
        around = [top for top in self._checkouts if path.is_relative_to(top)]
        return self._checkouts[max(around, key=len)] if around else ""

    def _of_address(self, address: str) -> str:
        if self.project and self.project.id == address:
            return self.project.folder
        if folder := self._registry.folder_of(address):
            return folder
        form = forge_id(normalise_remote(address) or address).casefold()
        if self.project and forge_id(self.project.id).casefold() == form:
            return self.project.folder
        known = (*self._registry.projects, *self._registry.aliases)
        folders = {self._registry.folder_of(name) for name in known if forge_id(name).casefold() == form}
        return folders.pop() if len(folders) == 1 else ""

    def _of_name(self, name: str) -> str:
        """As one compares names: that of the folder, or of a checkout."""
        plain_name = _plain(name)
        names = [(folder, folder) for folder in self._registry.projects.values()]
        names += [(posixpath.basename(top), folder) for top, folder in self._checkouts.items()]
        if self.project:
            own = (self.project.folder, self.checkout.name if self.checkout else "")
            names += [(called, self.project.folder) for called in own]
        folders = {folder for called, folder in names if _plain(called) == plain_name}
        return folders.pop() if plain_name and len(folders) == 1 else ""

    @cached_property
    def _registry(self) -> Registry:
        return read_registry(self.memory)

    @cached_property
    def _checkouts(self) -> dict[str, str]:
        """top -> folder, of checkouts that are recorded as a project's."""
        rows = [row for row in read_checkouts(self.memory.places.state) if row.project and not row.claim]
        folders = {row.top: self._registry.folder_of(row.project) for row in rows}
        return {top: folder for top, folder in folders.items() if folder}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
