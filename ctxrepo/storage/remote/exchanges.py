"""Remembers the last exchange with the remote, so that a sync that waited for it needn't repeat it."""

import json
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from ctxrepo.domain.git.remote import Outcome, RemoteAnswer
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import put, touch
from ctxrepo.storage.disk.recent import written

_AWAY = ("timeout", "offline")


@dataclass(frozen=True)
class Last:
    """The last exchange, from `began` to `ended` (`time.monotonic`), which exchanged commits up to `head`;
    `url` is the address of the last one that went well."""

    url: str
    head: str | None
    sent: bool
    began: float
    ended: float
    outcome: Outcome
    reason: str


@dataclass(frozen=True)
class Exchanges:
    """A file in the state; read and written under the sync lock."""

    file: Path

    def remember(self, url: str, head: str | None, began: float, answer: RemoteAnswer, *, sent: bool) -> None:
        url = url if answer.ok else self.url
        last = Last(url, head, sent, began, time.monotonic(), answer.outcome, answer.reason)
        with suppress(OSError):
            put(self.file, json.dumps(asdict(last)))

    def answer_since(self, start: float, head: str | None, *, send: bool) -> RemoteAnswer | None:
        """The last answer, if a sync that began at `start` with the commit `head` can use it, since that
        exchange began later and sent the commit, or the remote was away a moment ago; else None."""
        if last := self._last():
            is_covered = last.outcome == "ok" and last.head == head and (last.sent or not send)
            since = last.began if is_covered else last.ended
            if (is_covered or last.outcome in _AWAY) and start <= since <= time.monotonic():
                return RemoteAnswer(last.outcome, last.reason)
        return None

    @property
    def last(self) -> tuple[float, RemoteAnswer] | None:
        """When the last exchange ended, in unix seconds, and how; None before the first one."""
        last = self._last()
        return (written(self.file), RemoteAnswer(last.outcome, last.reason)) if last else None

    @property
    def url(self) -> str:
        """The remote we last agreed with, '' before the first time."""
        last = self._last()
        return last.url if last else ""

    def _last(self) -> Last | None:
        with suppress(OSError, ValueError, TypeError):
            return Last(**json.loads(self.file.read_text("utf-8")))
        return None


Errand = Literal["fetch", "send"]

_ALL: tuple[Errand, ...] = ("fetch", "send")


@dataclass(frozen=True)
class Errands:
    """Two files for an errand: `send` says that it is wanted, `send.begun` that somebody runs it."""

    folder: Path

    def leave(self, *errands: Errand) -> None:
        """Leave these errands; one that is being run already is run once more."""
        for errand in errands:
            touch(self._file(errand))

    def begin(self) -> frozenset[Errand]:
        """Begin all errands, also those that a killed process had begun; only one process at a time may."""
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
