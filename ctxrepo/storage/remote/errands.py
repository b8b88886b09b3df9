"""Errands to the remote, fetch and send, as empty files: whoever commits leaves them, the remote queue runs
them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import touch

Errand = Literal["fetch", "send"]

_ALL: tuple[Errand, ...] = ("fetch", "send")


@dataclass(frozen=True)
class Errands:
    """Two files for an errand: `send` says that it is wanted, `send.begun` that somebody has begun to run
    it."""

    folder: Path

    def leave(self, *errands: Errand) -> None:
        """Leave these errands; one that is being run already is run once more."""
        for errand in errands:
            touch(self._file(errand))

    def begin(self) -> frozenset[Errand]:
        """Begin all errands, also those that a killed process had begun. Only one process at a time may do
        this."""
        for errand in _ALL:
            with suppress(FileNotFoundError):
                self._file(errand).replace(self._begun(errand))
        return frozenset(errand for errand in _ALL if self._begun(errand).exists())

    def finish(self) -> None:
        """Drop the errands that were begun, whatever came of them; those left since then stay."""
        for errand in _ALL:
            self._begun(errand).unlink(missing_ok=True)

    @property
    def are_waiting(self) -> bool:
        return any(self._file(e).exists() or self._begun(e).exists() for e in _ALL)

    def _file(self, errand: Errand) -> Path:
        return self.folder / errand

    def _begun(self, errand: Errand) -> Path:
        return self.folder / f"{errand}.begun"
