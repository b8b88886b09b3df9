"""The checkouts that a person said are the projects that they say they are."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.domain.formats.jsonl import record, render, text_of
from ctxrepo.errors import Unreadable
from ctxrepo.hooks.own_files import append, lines_of
from ctxrepo.lazy import dataclass

_MOST = 1024 * 1024


@dataclass(frozen=True)
class TrustedCheckouts:
    """A file in the state, one JSON line for each: the top of a checkout, and the id it had by itself."""

    file: Path

    def has(self, top: Path, own: str) -> bool:
        """Whether a person said that the checkout at `top` is `own`."""
        return (str(top), own) in self._lines()

    def add(self, top: Path, own: str) -> bool:
        """From now on it is; False when it was already. Unreadable where that can't be kept."""
        if self.has(top, own):
            return False
        if not append(str(self.file), render({"top": str(top), "own": own}) + "\n", _MOST, durable=True):
            raise Unreadable(f"{self.file} can't be written", "Look whether the disk is full.")
        return True

    def _lines(self) -> set[tuple[str, str]]:
        said = [found for line in lines_of(str(self.file), _MOST) if (found := record(line))]
        return {(text_of(one, "top"), text_of(one, "own")) for one in said}
