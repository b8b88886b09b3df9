"""What other memory programs keep, as a source finds it: notes, anchors and settings, and what stays out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Source:
    """A memory program whose notes can be brought here, by the `name` that `ctxrepo import` takes.

    Example usage::

        for contents in sources()[name].find(SourceSearch(home, environment, files, "global")):
            destination.put(destination.plan(contents))"""

    name: str
    find: "Callable[[SourceSearch], Iterator[SourceContents]]"
    """What the program has where the search says, each place by itself; nothing where it has nothing."""


class FolderContents(Protocol):
    """The files in a folder that another program keeps."""

    @property
    def notes(self) -> Mapping[str, bytes]:
        """The bytes of the notes by their path in the folder, sorted."""
        ...

    @property
    def unread(self) -> Mapping[str, str]:
        """Why others are not read, by their path."""
        ...

    @property
    def others(self) -> tuple[str, ...]:
        """Files that are no notes, hidden ones left out."""
        ...


class SourceFiles(Protocol):
    """The only way in which a source looks at the disk; nothing is written. NoAnswer where a folder hangs."""

    def exists(self, path: Path) -> bool: ...

    def is_folder(self, place: Path) -> bool: ...

    def real(self, path: Path) -> Path:
        """The path without links in it."""
        ...

    def read_folder(self, root: Path) -> FolderContents:
        """Everything below `root`, however deep, and no link followed."""
        ...

    def read_file(self, file: Path, most: int) -> bytes | None:
        """The bytes of a file, None where there is none; Unreadable for a link and above `most` bytes."""
        ...

    def read_fields(self, file: Path, *, follow: bool = True) -> tuple[Mapping[str, Any] | None, str]:
        """The object in a JSON file, None where there is no file, and why it can't be read, or ''."""
        ...

    def read_tables(
        self, program: str, file: Path, columns: Mapping[str, Sequence[str]], *, follow: bool = True
    ) -> Mapping[str, Sequence[Sequence[object]]] | None:
        """The rows of those tables that a SQLite file has, with these columns; None where there is no file.
        Unreadable, saying why, where it can't be read as the file of this program."""
        ...


def _nowhere(_: str) -> str:
    return ""


@dataclass(frozen=True)
class SourceSearch:
    """Where to look. `chosen` is the folder or file that was named, None for where a program has its own.

    `checkout` is the top of the one around the current folder and `project` that project's folder here, ''
    for none. `memory_root` is the clone that is served, None before there is one. `folder_of` tells the
    folder here of the project that a program knows by a path, the address of a remote or a name, '' for one
    that has none; `taken` are the folders of projects, in small letters. `scope` is the folder for what has
    none, '' where nobody chose one; `kinds` and `since`, a day, are what was chosen of records."""

    home: Path
    env: Mapping[str, str]
    files: SourceFiles
    global_folder: str
    project: str = ""
    checkout: Path | None = None
    chosen: Path | None = None
    memory_root: Path | None = None
    folder_of: Callable[[str], str] = _nowhere
    taken: frozenset[str] = frozenset()
    scope: str = ""
    kinds: frozenset[str] = frozenset()
    since: str = ""

    def is_in_checkout(self, place: Path) -> bool:
        """Whether a place is in the current checkout, and not only by a link there."""
        if self.checkout is None:
            return False
        return self.files.real(place).is_relative_to(self.files.real(self.checkout))

    def scope_at(self, place: Path) -> str:
        """The folder here for what a program keeps at a place without saying of which project it is."""
        own = self.project if self.is_in_checkout(place) else ""
        return self.scope or own or self.global_folder

    def scope_of(self, project: str) -> str:
        """The folder here for what is of a project, by what the program calls it; '' for nowhere."""
        return self.folder_of(project) or self.scope

    def named_or(self, variable: str, default: str) -> Path:
        """The place that a variable of the environment names, else one in the home."""
        path = self.env.get(variable, "")
        return Path(path) if path.startswith("/") else self.home / default

    def shown(self, place: Path) -> str:
        """The path as a person would write it, on one line."""
        is_below = place.is_relative_to(self.home)
        return shown(f"~/{place.relative_to(self.home)}" if is_below else str(place), 4_000)


@dataclass(frozen=True)
class SourceNote:
    """A note as it would be at `path` in the memory; `origin` is the file that it comes from, to be shown.

    `pins` are the words of entries to be pinned. `bullets`, where there are any, are entries that have no
    note of their own in the source: each is accepted or refused by itself; `days` says of which day each is,
    where the source knows. `remark` is what is odd in it. `is_own` is a note of another memory of ours, of
    whose entries all comes along that was said of them."""

    origin: str
    path: str
    text: str = ""
    pins: frozenset[str] = frozenset()
    bullets: tuple[str, ...] = ()
    days: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""
    is_own: bool = False


@dataclass(frozen=True)
class SourceFile:
    """A file of another memory of ours that is no note, and belongs at `path` in this one; `text` has every
    byte."""

    origin: str
    path: str
    text: str


@dataclass(frozen=True)
class SourceTape:
    """The anchors of a scope; `unread` counts lines that are none."""

    origin: str
    folder: str
    anchors: tuple[Anchor, ...]
    unread: int = 0


@dataclass(frozen=True)
class NotTaken:
    """What of a source stays where it is, and why. `is_open`: until a person does something about it."""

    what: str
    why: str
    is_open: bool = False


def left_out(*counts: tuple[int, str, str]) -> list[NotTaken]:
    """What is said of so many of something, (number, what, why) each; nothing of none."""
    return [NotTaken(counted(number, what), why) for number, what, why in counts if number]


def left_with(count: str, project: str) -> NotTaken:
    """What is said of so much of a project, by the source's name for it, that has no folder here."""
    return NotTaken(f"{count} of project {shown(mask(project))}", "run it again in a checkout of it")


@dataclass(frozen=True)
class SourceSetting:
    """A setting of ours that does what one of the source's does, which is the `reason`."""

    key: str
    value: str
    reason: str


@dataclass(frozen=True)
class SourceContents:
    """What one place of a source holds. `lacks_project`: something is a project's, and none is known here.

    Of another memory of ours, `files` have what was said of its entries, its tapes and projects, `folders`
    says where each of its scopes is here, and `projects` which folder here is whose, by each of its
    names."""

    source: str
    place: str
    notes: tuple[SourceNote, ...] = ()
    tapes: tuple[SourceTape, ...] = ()
    settings: tuple[SourceSetting, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    lacks_project: bool = False
    files: tuple[SourceFile, ...] = ()
    folders: Mapping[str, str] = field(default_factory=dict)
    projects: Mapping[str, str] = field(default_factory=dict)


def source_at(
    name: str,
    places: Callable[[SourceSearch], Iterable[Path]],
    read: Callable[[SourceSearch, Path], SourceContents | None],
) -> Source:
    """A source that is looked for at these places, or at the one that was chosen. `read` says what is at one
    of them, None for nothing; one that can't be read is told, and the others are found all the same."""

    def find(search: SourceSearch) -> Iterator[SourceContents]:
        for place in [search.chosen] if search.chosen else places(search):
            try:
                contents = read(search, place)
            except CtxrepoError as error:
                where = search.shown(place)
                omission = NotTaken(where, error.message, is_open=True)
                contents = SourceContents(name, where, not_taken=(omission,))
            if contents is not None:
                yield contents

    return Source(name, find)
