"""Sessions whose conversation is being shortened, a file each, until their handoff is left."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.outside import read
from ctxrepo.storage.disk.private import make_folder, put
from ctxrepo.storage.disk.random_names import random_name
from ctxrepo.storage.state.spool import TEXTS, SpoolEvent

_MAX_BYTES = 256 * 1024


@dataclass(frozen=True)
class Compactions:
    folder: Path

    def leave(self, event: SpoolEvent) -> None:
        """Keep an event whose line in the spool is about to go."""
        make_folder(self.folder)
        name = f"{time.time_ns():020}-{random_name(4)}"
        made = self.folder / f".{name}"
        put(made, json.dumps(asdict(event)))
        made.rename(self.folder / f"{name}.json")

    def are_left(self) -> bool:
        return any(True for _ in self._files())

    def take(self) -> Iterator[SpoolEvent]:
        """Each event, oldest first; its file goes when the next one is asked for."""
        for file in self._files():
            try:
                fields = record((read(file, _MAX_BYTES, follow=False) or b"").decode("utf-8", "replace"))
            except Unreadable:
                fields = None
            if fields is not None:
                yield SpoolEvent(**{name: text_of(fields, name) for name in TEXTS}, at=0.0)
            with suppress(OSError):
                file.unlink()

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9]*.json"))
