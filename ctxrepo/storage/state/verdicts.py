"""Which commits were measured, and what was found: nothing is walked twice for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TypeVar

from ctxrepo.lazy import dataclass

_T = TypeVar("_T")

_KEPT = 16
"""Commits of each kind that are remembered: the newest ones are asked for."""


@dataclass(frozen=True)
class Verdicts:
    """Ids of commits. `within` -> how many commits their history has at most, `beyond` -> the sentence that
    says why; `own` were made here, on top of what was within; `left` -> when (unix seconds) it was left at
    the remote, because git came up against its limits, and the sentence for that."""

    within: Mapping[str, int] = field(default_factory=dict)
    beyond: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    left: Mapping[str, tuple[float, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class VerdictFile:
    """A file in the state; one that can't be read, or written, costs no more than a walk."""

    file: Path

    def read(self) -> Verdicts:
        with suppress(OSError, ValueError, TypeError, AttributeError):
            fields = json.loads(self.file.read_text("utf-8"))
            within = {str(commit): int(count) for commit, count in fields["within"].items()}
            beyond = {str(commit): str(words) for commit, words in fields["beyond"].items()}
            left = {str(commit): (float(at), str(words)) for commit, (at, words) in fields["left"].items()}
            return Verdicts(within, beyond, tuple(map(str, fields["own"])), left)
        return Verdicts()

    def add(
        self,
        within: Mapping[str, int] | None = None,
        beyond: Mapping[str, str] | None = None,
        own: str = "",
        left: Mapping[str, tuple[float, str]] | None = None,
    ) -> None:
        known = self.read()
        fields = {
            "within": _newest({**known.within, **(within or {})}),
            "beyond": _newest({**known.beyond, **(beyond or {})}),
            "own": [*(one for one in known.own if one != own), *filter(None, [own])][-_KEPT:],
            "left": _newest({**known.left, **(left or {})}),
        }
        with suppress(OSError):
            self.file.write_text(json.dumps(fields), "utf-8")


def _newest(known: Mapping[str, _T]) -> dict[str, _T]:
    return dict([*known.items()][-_KEPT:])
