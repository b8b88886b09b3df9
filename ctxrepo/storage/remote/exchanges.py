"""Remembers the last exchange with the remote, so that a sync that waited for it needn't repeat it."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from ctxrepo.domain.git.remote import Outcome, RemoteAnswer
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import put
from ctxrepo.storage.disk.recent import written

_AWAY = ("timeout", "offline")


@dataclass(frozen=True)
class Last:
    """The last exchange, from `began` to `ended` (`time.monotonic`), which exchanged commits up to `head`.

    `url` is the address of the last exchange that went well.
    """

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

    def answer_since(self, asked: float, head: str | None, *, send: bool) -> RemoteAnswer | None:
        """The last answer, if a sync that began at `asked` with the commit `head` can use it; else None.

        It can if that exchange began later and sent the commit, or if the remote was away a moment ago.
        """
        if last := self._last():
            is_covered = last.outcome == "ok" and last.head == head and (last.sent or not send)
            since = last.began if is_covered else last.ended
            if (is_covered or last.outcome in _AWAY) and asked <= since <= time.monotonic():
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
