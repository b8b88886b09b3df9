"""What commands in a sandbox handed over (ADR 82). Others can write into the folder where it waits, so only
plain files are opened there, and nothing is kept there."""

import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ctxrepo.domain.records.save import Save
from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.hooks.saves import add, names_in, put
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import make_folder
from ctxrepo.storage.state.journal import encoded, saves_in

_MAX_BYTES = 16 * 1024 * 1024
"""What one operation may have. Commands write a few notes of at most 1 MiB each."""

_REASON_BYTES = 4096


@dataclass(frozen=True)
class Handover:
    """`waiting` is the folder that a sandbox may be allowed to write into, `refused` a private one for what
    was not taken in."""

    waiting: Path
    refused: Path

    def names(self) -> list[str]:
        """The operations that wait, oldest first."""
        return [name for name in names_in(str(self.waiting)) if _is_plain_file(self.waiting / name)]

    def add(self, saves: Sequence[Save]) -> None:
        """Leave the saves of one operation; when this returns they survive a power cut."""
        make_folder(self.waiting)
        add(str(self.waiting), encoded(saves))

    def operations(self) -> Iterator[tuple[str, list[Save]]]:
        """(name, saves) of each, oldest first; without saves where it can't be read."""
        for name in self.names():
            data = bytes_of(str(self.waiting / name), _MAX_BYTES)
            saves: list[Save] = []
            with suppress(ValueError):
                saves = list(saves_in(name, data or b""))
            yield name, saves

    def remove(self, name: str) -> None:
        """Forget an operation, which was taken in or refused."""
        with suppress(OSError):  # somebody in the sandbox took it away, or put a folder there
            (self.waiting / name).unlink()

    def refuse(self, name: str, why: str) -> None:
        """Put an operation aside with the reason why it is not taken in."""
        make_folder(self.refused)
        data = bytes_of(str(self.waiting / name), _MAX_BYTES) or b""
        put(str(self.refused), name, f"{why}\n".encode()[:_REASON_BYTES] + data)
        self.remove(name)

    def refusals(self) -> list[tuple[Path, str]]:
        """(file, why) of each operation that was not taken in."""
        files = [self.refused / name for name in names_in(str(self.refused))]
        return [(file, _first_line(file)) for file in files]


def _is_plain_file(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False


def _first_line(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.readline(_REASON_BYTES).decode("utf-8", "replace").strip()
