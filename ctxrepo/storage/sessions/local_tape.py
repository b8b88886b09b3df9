"""Anchors that stay on this machine: those of sessions' starts and ends, which are dropped when they are old,
and handoffs that are not to be shared, which stay."""

import fcntl
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record, records, render, text_of
from ctxrepo.domain.tape.anchors import Anchor, anchor_of, to_line
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.own_files import append
from ctxrepo.hooks.saves import put
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.private import opened, sync_folder
from ctxrepo.storage.user.places import RepositoryPlaces

SESSION_BYTES = 256 * 1024
"""Bytes at which the file of starts and ends is renamed to `….old`, in place of the one before."""

MOST_BYTES = 64 * 1024 * 1024
"""Most bytes that are read of a file of anchors, or written to it."""


@dataclass(frozen=True)
class LocalTape:
    places: RepositoryPlaces

    def anchors(self, project: str) -> Iterator[Anchor]:
        """The anchors of the scope with this folder."""
        yield from (anchor for anchor in self.all_anchors() if anchor.project == project)

    def all_anchors(self) -> Iterator[Anchor]:
        """The anchors of every scope."""
        for path in self._files:
            yield from _read(path)

    def handoffs(self, project: str) -> Iterator[Anchor]:
        """The handoffs of the scope with this folder."""
        yield from (anchor for anchor in _read(self._handoffs) if anchor.project == project)

    def projects(self) -> set[str]:
        """The folders of the scopes that have such handoffs."""
        return {anchor.project for anchor in _read(self._handoffs)}

    def note(self, anchor: Anchor) -> None:
        """Add the anchor of a session's start or end. If it can't be written, it is only missing."""
        path = self.places.anchors
        with suppress(OSError):
            if path.stat().st_size > SESSION_BYTES:
                path.replace(path.with_suffix(".old"))
        append(str(path), to_line(anchor) + "\n", MOST_BYTES, may_be_replaced=True)

    def keep(self, *anchors: Anchor) -> None:
        """Add handoffs. When this returns, they are on the disk. CtxrepoError when they can't be written."""
        self._append(self._handoffs, anchors)

    def archive(self, ids: Collection[str]) -> int:
        """Move these anchors to the file `aside`, which isn't read; returns how many there were."""
        anchors = [anchor for path in self._files for anchor in _read(path) if anchor.id in ids]
        if anchors:
            self._append(self.aside, anchors)
            self.take_out({anchor.id for anchor in anchors})
        return len(anchors)

    def take_out(self, ids: Collection[str]) -> None:
        """Remove these anchors from the files."""
        for path in self._files:
            if any(anchor.id in ids for anchor in _read(path)):
                _rewrite(path, lambda fields: None if text_of(fields, "id") in ids else fields)

    def follow(self, moves: Mapping[str, str]) -> None:
        """Move the anchors of scopes whose folders were renamed (old name -> new one)."""

        def moved(fields: dict[str, Any]) -> dict[str, Any]:
            new = moves.get(text_of(fields, "project"))
            return {**fields, "project": new} if new else fields

        for path in self._files if moves else ():
            if any(anchor.project in moves for anchor in _read(path)):
                _rewrite(path, moved)

    @property
    def _files(self) -> tuple[Path, ...]:
        anchors = self.places.anchors
        return anchors.with_suffix(".old"), anchors, self._handoffs

    @property
    def _handoffs(self) -> Path:
        return self.places.root / "handoffs.jsonl"

    @property
    def aside(self) -> Path:
        """The file of archived anchors."""
        return self.places.root / "anchors.archived"

    def _append(self, path: Path, anchors: Iterable[Anchor]) -> None:
        lines = "".join(to_line(anchor) + "\n" for anchor in anchors)
        if not append(str(path), lines, MOST_BYTES, durable=True, may_be_replaced=True):
            raise CtxrepoError(f"{path} can't be written", "Look whether the disk is full.")
        sync_folder(path.parent)


def _read(path: Path) -> Iterator[Anchor]:
    yield from filter(None, map(anchor_of, records(text(path, MOST_BYTES))))


def _rewrite(path: Path, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
    """Replace each anchor of a file by its `change`, None to remove it. Whoever appends or rewrites meanwhile
    waits for the lock, and then opens the new file."""
    while True:
        with opened(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_ino != path.stat().st_ino:
                continue
            lines = file.read().decode("utf-8", "replace").split("\n")
            after = "".join(_changed(line, change) for line in lines if line)
            put(str(path.parent), path.name, after.encode())
        return


def _changed(line: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> str:
    fields = record(line)
    after = None if fields is None else change(fields)
    if fields is None or after is fields:
        return f"{line}\n"
    return "" if after is None else f"{render(after)}\n"
