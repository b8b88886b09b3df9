"""What the write guard keeps out of commits, and since when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.guard.refusals import Refusal
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.outside import read
from ctxrepo.storage.disk.private import put

_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class HeldBack:
    """Why a file is held back, and the moment in ISO form since when it is for this reason."""

    refusal: Refusal
    since: str


@dataclass(frozen=True)
class HeldBackFile:
    """`held.json`, which whoever commits writes. It may be deleted: the next commit finds what is held back
    again, and knows no more since when."""

    file: Path

    def read(self) -> list[HeldBack]:
        """What is held back now; empty where the file is missing or can't be read."""
        try:
            found = json.loads(read(self.file, _MAX_BYTES, follow=False) or b"[]")
            return [HeldBack(Refusal(**one["refusal"]), str(one["since"])) for one in found]
        except (Unreadable, ValueError, TypeError, KeyError, RecursionError):
            return []

    def note(self, refusals: Sequence[Refusal], now: datetime) -> None:
        """From now on these are held back."""
        before = self.read()
        since = {_key(one.refusal): one.since for one in before}
        at = second(now.astimezone(UTC))
        held = [HeldBack(refusal, since.get(_key(refusal), at)) for refusal in refusals]
        if held != before:
            put(self.file, json.dumps([asdict(one) for one in held]))


def _key(refusal: Refusal) -> tuple[str, str, str]:
    """The same for one thing wrong, also when it moves to another line."""
    return refusal.path, refusal.rule, refusal.fingerprint
