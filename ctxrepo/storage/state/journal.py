"""The journal: every save is in it until a commit holds it (ADR 48). An operation is a file: for each save
a line of JSON, then the bytes before and the bytes after.

Commands in a sandbox hand such files over (ADR 82). Others can write into the folder where these wait, so an
operation is moved into a private one before anything of it is read, and nothing is kept there."""

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.records.save import Origin, Save
from ctxrepo.errors import Busy
from ctxrepo.hooks.own_files import OPENING, bytes_of
from ctxrepo.hooks.saves import HOOKS_BYTES, add, names_in, put, size_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import make_folder, opened

_MAX_BYTES = 2 * HOOKS_BYTES
"""What may wait for a commit when a command begins. Nothing may be dropped, so a full journal takes no more
commands; what they and late writers have put into files already it takes always."""

_NEARLY = 0.8
"""The share of the limit from which people are warned."""

_NO_FILE = -1
"""The length that stands for no file."""

_INTENT = "journal.intent"

_DAY = 86400.0

_TEXTS = ("path", "op", "at", "id", "note", "tree", "undoes")
_BY = ("session", "agent", "project")
"""What a record says of a save and of its writer in words; of what it lacks nothing is known."""


@dataclass(frozen=True)
class Intent:
    """The branch is about to be moved to `commit`, which holds the saves at the places `done`. `on_disk` has
    the blob ids that the files had then (None: no file), by path."""

    commit: str
    done: tuple[str, ...]
    on_disk: Mapping[str, str | None]


@dataclass(frozen=True)
class Journal:
    """The folder of the operations. Hooks add to it at any time; all else is done under the write lock."""

    folder: Path

    def names(self) -> list[str]:
        """The operations that wait, oldest first."""
        return names_in(str(self.folder))

    def require_room(self) -> None:
        """Busy when the journal is full, so that no further write can be acknowledged."""
        if size_of(self.names()) > _MAX_BYTES:
            raise Busy(
                f"{_MAX_BYTES >> 20} MiB of writes wait for a commit, so no more are taken",
                "`ctxrepo status` says what keeps it from being made.",
            )

    def is_nearly_full(self) -> bool:
        """Whether people should be warned that the journal is filling up."""
        return size_of(self.names()) > _NEARLY * HOOKS_BYTES

    def is_settled(self) -> bool:
        """Whether no save waits for a commit, and no commit was left half-way by a kill."""
        return not self.names() and not self.folder.with_name(_INTENT).exists()

    def add(self, saves: Sequence[Save]) -> None:
        """Put the saves of one operation on disk; when this returns they survive a power cut."""
        make_folder(self.folder)
        add(str(self.folder), encoded(saves))

    def read(self) -> list[Save]:
        """The saves that wait, in the order they were made, but those in torn files, which stay there."""
        return [save for name in self.names() for save in self._parsed(name) or ()]

    def unreadable(self) -> list[Path]:
        """Files of the journal that can't be read as saves. They stay as they are."""
        return [self.folder / name for name in self.names() if self._parsed(name) is None]

    def take_out(self, places: Iterable[str]) -> None:
        """Forget the saves at these places, which a commit holds, and the intent; others stay in place."""
        by_name: dict[str, set[str]] = {}
        for place in places:
            by_name.setdefault(place.partition("/")[0], set()).add(place)
        for name, done in by_name.items():
            saves = self._parsed(name)
            if saves is None:
                continue  # what else is in it nobody knows now
            if rest := [save for save in saves if save.place not in done]:
                put(str(self.folder), name, encoded(rest))
            else:
                (self.folder / name).unlink(missing_ok=True)
        with suppress(FileNotFoundError, NotADirectoryError):
            self.folder.with_name(_INTENT).unlink()

    def tidy(self, now: float) -> None:
        """Remove files that a kill left before they had their names. The write lock is held by nobody: a file
        that is being written is younger than a day."""
        for file in self.folder.glob(".*"):
            with suppress(OSError):
                if file.lstat().st_mtime < now - _DAY:
                    file.unlink()

    def forget_trees(self) -> None:
        """From now on nobody knows what the saves of tools were made from."""
        self._rewrite(lambda save: replace(save, tree=""))

    def move(self, paths: Mapping[str, str]) -> None:
        """From now on the saves of these files are others', of which nobody knows what they are made from."""
        self._rewrite(lambda s: replace(s, path=paths[s.path], tree="") if s.path in paths else s)

    def _rewrite(self, change: Callable[[Save], Save]) -> None:
        for name in self.names():
            saves = self._parsed(name) or []
            new_saves = [change(save) for save in saves]
            if new_saves != saves:
                put(str(self.folder), name, encoded(new_saves))

    def intend(self, intent: Intent) -> None:
        """Record, on the disk before a ref is moved, which saves the commit holds: if a power cut kept the
        ref only, the saves would be merged once more over what people have changed since."""
        fields = {"commit": intent.commit, "done": intent.done, "on_disk": intent.on_disk}
        put(str(self.folder.parent), _INTENT, json.dumps(fields).encode("ascii"))

    def left_half_way(self, is_in: Callable[[str], bool]) -> Intent | None:
        """The intent of a run that was killed after it moved the branch and before it could take its saves
        out; None where there is none. `is_in` tells whether the branch holds a commit."""
        missing = (FileNotFoundError, NotADirectoryError)
        with suppress(*missing, ValueError, KeyError, TypeError, AttributeError):
            fields = json.loads(self.folder.with_name(_INTENT).read_text("utf-8"))
            if is_in(fields["commit"]):
                return Intent(fields["commit"], tuple(fields["done"]), dict(fields["on_disk"].items()))
        return None

    def _parsed(self, name: str) -> list[Save] | None:
        """The saves of an operation; None where it can't be read, or not to its end."""
        try:
            with opened(self.folder / name, "rb") as file:
                return list(saves_in(name, file.read()))
        except FileNotFoundError:
            return []
        except (OSError, ValueError):
            return None


def encoded(saves: Sequence[Save]) -> bytes:
    """The bytes of the file that has these saves."""
    return b"".join(_record(number, save) for number, save in enumerate(saves))


def _record(number: int, save: Save) -> bytes:
    fields: dict[str, object] = {
        **{key: getattr(save, key) for key in _TEXTS},
        **{key: getattr(save.by, key) for key in _BY},
        "number": int(save.place.partition("/")[2] or number),
        "before": _NO_FILE if save.base is None or save.tree else len(save.base),
        "after": _NO_FILE if save.after is None else len(save.after),
    }
    base = b"" if save.tree else save.base or b""
    return json.dumps(fields).encode("ascii") + b"\n" + base + (save.after or b"") + b"\n"


def saves_in(name: str, data: bytes) -> Iterator[Save]:
    """The saves in the bytes of the operation `name`; ValueError where they can't be read any further."""
    start = 0
    while start < len(data) or not data:
        end = data.index(b"\n", start) + 1
        fields = record(data[start:end].decode("utf-8", "replace")) or {}
        before, after = (_length(fields, key) for key in ("before", "after"))
        middle = end + max(before, 0)
        start = middle + max(after, 0) + 1
        if start > len(data) or not text_of(fields, "path"):
            raise ValueError(name)
        by = Origin("", *(text_of(fields, key) for key in _BY))
        yield Save(
            base=None if before == _NO_FILE else data[end:middle],
            after=None if after == _NO_FILE else data[middle : start - 1],
            by=by,
            place=f"{name}/{fields.get('number', 0)}",
            **{key: text_of(fields, key) for key in _TEXTS},
        )


def _length(fields: Mapping[str, Any], key: str) -> int:
    """How many bytes a record says it has; ValueError where it says something else."""
    length = fields.get(key, _NO_FILE)
    if not isinstance(length, int) or length < _NO_FILE:
        raise ValueError(key)
    return length


_OPERATION_BYTES = 16 * 1024 * 1024
"""What one operation may have. Commands write a few notes of at most 1 MiB each."""

_REASON_BYTES = 1024


@dataclass(frozen=True)
class Handover:
    """What commands in a sandbox handed over. `waiting` is the folder that a sandbox may be allowed to write
    into. Two others are private: `taken` is for what is being taken in, `refused` for what was not."""

    waiting: Path
    taken: Path
    refused: Path

    def names(self) -> list[str]:
        """The operations that wait, oldest first."""
        with _opened_folder(self.taken) as taken, _opened_folder(self.waiting) as waiting:
            return [*_files_in(taken), *_files_in(waiting)]

    def add(self, saves: Sequence[Save]) -> None:
        """Leave the saves of one operation; when this returns they survive a power cut."""
        make_folder(self.waiting)
        add(str(self.waiting), encoded(saves))

    def take(self) -> Iterator[tuple[str, list[Save]]]:
        """(name, saves) of each operation, oldest first, out of reach of a sandbox; without saves where it
        can't be read. Until it is removed or refused it is taken again."""
        make_folder(self.taken)
        with _opened_folder(self.taken) as taken, _opened_folder(self.waiting) as waiting:
            for name in _files_in(waiting):
                with suppress(OSError):  # while it can't be moved away it isn't taken in
                    os.rename(name, name, src_dir_fd=waiting, dst_dir_fd=taken)
            names = _files_in(taken)
        for name in names:
            data = bytes_of(str(self.taken / name), _OPERATION_BYTES)
            saves: list[Save] = []
            with suppress(ValueError):
                saves = list(saves_in(name, data or b""))
            yield name, saves

    def remove(self, name: str) -> None:
        """Forget an operation that was taken in."""
        (self.taken / name).unlink(missing_ok=True)

    def refuse(self, name: str, why: str) -> None:
        """Put an operation aside with the reason why it is not taken in."""
        make_folder(self.refused)
        data = bytes_of(str(self.taken / name), _OPERATION_BYTES) or b""
        reason = why.replace("\n", " ").encode("utf-8", "replace")[:_REASON_BYTES]
        put(str(self.refused), name, reason + b"\n" + data)
        self.remove(name)

    def refusals(self) -> list[tuple[Path, str]]:
        """(file, why) of each operation that was not taken in."""
        files = [self.refused / name for name in names_in(str(self.refused))]
        return [(file, _first_line(file)) for file in files]


@contextmanager
def _opened_folder(folder: Path) -> Iterator[int]:
    """A handle of a folder, -1 where there is none, or a link; what takes its place later isn't opened."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPENING)
    except OSError:
        yield -1
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _files_in(folder: int) -> list[str]:
    """The names of the operations in the folder of a handle that are plain files."""
    return [name for name in names_in(folder) if _is_plain_file(name, folder)] if folder >= 0 else []


def _is_plain_file(name: str, folder: int) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    return False


def _first_line(file: Path) -> str:
    with file.open("rb") as opened_file:
        return opened_file.readline(2 * _REASON_BYTES).decode("utf-8", "replace").strip()
