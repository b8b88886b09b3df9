"""The last exchange with the remote that went well, so that those who waited for it needn't make another."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Exchanges:
    """A file in the state; read and written under the sync lock. Times are those of `time.monotonic`."""

    file: Path

    def remember(self, head: str | None, began: float, sent: bool) -> None:
        """An exchange that began then has brought everything up to `head` across."""
        self.file.write_text(json.dumps({"head": head, "began": began, "sent": sent}), "utf-8")

    def covers(self, head: str | None, asked: float, send: bool) -> bool:
        """Whether one that began after `asked` leaves nothing to do for somebody who has `head`."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            last = json.loads(self.file.read_text("utf-8"))
            is_since = asked <= last["began"] <= time.monotonic()
            return bool(is_since and last["head"] == head and (last["sent"] or not send))
        return False
