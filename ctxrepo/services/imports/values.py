"""What a source comes to: the notes, anchors and settings that it would bring, and what stays out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.user.places import Places


@dataclass(frozen=True)
class SourceSearch:
    """Where to look. `chosen` is the folder or file that was named, None for where a program has its own.

    `checkout` is the top of the one around the current folder and `project` what it is here, None for none.
    `memory_root` is the clone that is served, None before there is one.
    """

    places: Places
    env: Mapping[str, str]
    outside: Outside
    global_folder: str
    project: Project | None = None
    checkout: Path | None = None
    chosen: Path | None = None
    memory_root: Path | None = None

    def shown(self, place: Path) -> str:
        """The path as a person would write it."""
        home = self.places.user_home
        return f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place)


@dataclass(frozen=True)
class SourceNote:
    """A note as it would be at `path` in the memory; `origin` is the file that it comes from, to be shown.

    `pins` are the words of entries to be pinned. `bullets`, where there are any, are entries that have no
    note of their own in the source: each is taken or refused by itself. `remark` is what is odd in it.
    """

    origin: str
    path: str
    text: str = ""
    pins: frozenset[str] = frozenset()
    bullets: tuple[str, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class SourceTape:
    """The anchors of a scope; `unread` counts lines that are none."""

    origin: str
    folder: str
    anchors: tuple[Anchor, ...]
    unread: int = 0


@dataclass(frozen=True)
class NotTaken:
    """What of a source stays where it is, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class SourceSetting:
    """A setting of ours that does what one of the source's does: `key` is to be `value`, because of
    `reason`."""

    key: str
    value: str
    reason: str


@dataclass(frozen=True)
class SourceContents:
    """What one place of a source holds. `project` is set where something goes to the project's folder."""

    source: str
    place: str
    notes: tuple[SourceNote, ...] = ()
    tapes: tuple[SourceTape, ...] = ()
    settings: tuple[SourceSetting, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    project: Project | None = field(default=None, compare=False)
