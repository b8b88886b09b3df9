"""What commands in a sandbox handed over (ADR 82). Others can write into the folder where it waits, so an
operation is moved into a private one before anything of it is read, and nothing is kept there."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ctxrepo.domain.records.save import Save
from ctxrepo.hooks.own_files import OPENING, bytes_of
from ctxrepo.hooks.saves import add, names_in, put
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import make_folder
from ctxrepo.storage.state.journal import encoded, saves_in

_MAX_BYTES = 16 * 1024 * 1024
"""What one operation may have. Commands write a few notes of at most 1 MiB each."""

_REASON_BYTES = 1024


@dataclass(frozen=True)
class Handover:
    """`waiting` is the folder that a sandbox may be allowed to write into. Two others are private: `taken` is
    for what is being taken in, `refused` for what was not."""

    waiting: Path
    taken: Path
    refused: Path

    def names(self) -> list[str]:
        """The operations that wait, oldest first."""
        with _opened(self.taken) as taken, _opened(self.waiting) as waiting:
            return [*_files_in(taken), *_files_in(waiting)]

    def add(self, saves: Sequence[Save]) -> None:
        """Leave the saves of one operation; when this returns they survive a power cut."""
        make_folder(self.waiting)
        add(str(self.waiting), encoded(saves))

    def take(self) -> Iterator[tuple[str, list[Save]]]:
        """(name, saves) of each operation, oldest first, out of reach of a sandbox; without saves where it
        can't be read. Until it is removed or refused it is taken again."""
        make_folder(self.taken)
        with _opened(self.taken) as taken, _opened(self.waiting) as waiting:
            for name in _files_in(waiting):
                with suppress(OSError):  # while it can't be moved away it isn't taken in
                    os.rename(name, name, src_dir_fd=waiting, dst_dir_fd=taken)
            names = _files_in(taken)
        for name in names:
            data = bytes_of(str(self.taken / name), _MAX_BYTES)
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
        data = bytes_of(str(self.taken / name), _MAX_BYTES) or b""
        reason = why.replace("\n", " ").encode("utf-8", "replace")[:_REASON_BYTES]
        put(str(self.refused), name, reason + b"\n" + data)
        self.remove(name)

    def refusals(self) -> list[tuple[Path, str]]:
        """(file, why) of each operation that was not taken in."""
        files = [self.refused / name for name in names_in(str(self.refused))]
        return [(file, _first_line(file)) for file in files]


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
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
    with file.open("rb") as opened:
        return opened.readline(2 * _REASON_BYTES).decode("utf-8", "replace").strip()
