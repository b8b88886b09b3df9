"""What is wanted of the remote: empty files, left by who commits and taken away by who has been there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ctxrepo.storage.disk.private import touch

Errand = Literal["fetch", "send"]

_ALL: tuple[Errand, ...] = ("fetch", "send")


@dataclass(frozen=True)
class Errands:
    """At most two files an errand: `send` is wanted, `send.begun` is being run, or was when it was killed."""

    folder: Path

    def leave(self, *errands: Errand) -> None:
        """Want these; who is already running one runs it once more."""
        for errand in errands:
            touch(self._file(errand))

    def begin(self) -> frozenset[Errand]:
        """All that is wanted, also what was begun and never finished. One process at a time may run them."""
        for errand in _ALL:
            with suppress(FileNotFoundError):
                self._file(errand).replace(self._begun(errand))
        return frozenset(errand for errand in _ALL if self._begun(errand).exists())

    def finish(self) -> None:
        """Those that were begun are done with, however they went; those left meanwhile are still wanted."""
        for errand in _ALL:
            self._begun(errand).unlink(missing_ok=True)

    @property
    def are_waiting(self) -> bool:
        return any(self._file(e).exists() or self._begun(e).exists() for e in _ALL)

    def _file(self, errand: Errand) -> Path:
        return self.folder / errand

    def _begun(self, errand: Errand) -> Path:
        return self.folder / f"{errand}.begun"
