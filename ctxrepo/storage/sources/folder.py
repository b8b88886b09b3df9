"""A folder of markdown that another program keeps: its notes, and what in it is none or can't be read."""

import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from ctxrepo.domain.guard.refusals import MAX_BYTES
from ctxrepo.domain.project.layout import is_note, unsafe
from ctxrepo.errors import BeyondBounds, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read, shown
from ctxrepo.storage.processes.outside import Outside

MAX_FILES = 20_000
"""Files that one folder is looked through for."""

MAX_TOTAL = 256 * 1024 * 1024
"""Bytes of notes that are read of one folder."""

PATIENCE = 60.0
"""Seconds for a folder to be read: a large one takes some, and one that hangs is left."""


@dataclass(frozen=True)
class SourceFolder:
    """`notes` are the bytes of the notes by their path in the folder, sorted; `unread` says of others why
    they are not read; `others` are files that are no notes, hidden ones left out."""

    root: Path
    notes: Mapping[str, bytes]
    unread: Mapping[str, str]
    others: tuple[str, ...] = ()


def read_folder(outside: Outside, root: Path) -> SourceFolder:
    """Everything below `root`, however deep, and no link followed. NoAnswer where the folder hangs."""
    return outside.ask(root, partial(_read, root), PATIENCE)


def is_folder(outside: Outside, place: Path) -> bool:
    """Whether a folder is there that can be looked at. NoAnswer where it hangs."""
    return outside.ask(place, place.is_dir)


def _read(root: Path) -> SourceFolder:
    notes: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    others: list[str] = []
    total = 0
    for path in sorted(_paths(root, unread)):
        if not is_note(path):
            others.append(path)
        elif reason := unsafe(path):
            unread[shown(path)] = f"its path {reason}"
        else:
            try:
                data = read(root / path, MAX_BYTES, follow=False)
            except Unreadable as error:
                unread[path] = error.message.removeprefix(f"{shown(root / path)} ")
                continue
            if data is not None:
                notes[path] = data
                total += len(data)
        if len(notes) > MAX_FILES or total > MAX_TOTAL:
            raise _too_much(root)
    return SourceFolder(root, notes, unread, tuple(others))


def _paths(root: Path, unread: dict[str, str]) -> Iterator[str]:
    """The files below `root` that aren't hidden; `unread` gets links and folders that can't be opened."""
    count = 0
    pending = [""]
    while pending:
        below = pending.pop()
        try:
            found = sorted(os.scandir(root / below), key=lambda entry: entry.name)
        except OSError as error:
            unread[shown(below) or "."] = f"can't be read: {error.strerror or error}"
            continue
        for entry in found:
            path = f"{below}/{entry.name}" if below else entry.name
            count += 1
            if count > 2 * MAX_FILES:
                raise _too_much(root)
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                unread[shown(path)] = "is a link, and isn't followed"
            elif entry.is_dir(follow_symlinks=False):
                pending.append(path)
            else:
                yield path


def _too_much(root: Path) -> BeyondBounds:
    return BeyondBounds(
        f"{shown(root)} has more than {MAX_FILES:,} files or {MAX_TOTAL >> 20} MiB of notes",
        "Name a folder in it with --from.",
    )
