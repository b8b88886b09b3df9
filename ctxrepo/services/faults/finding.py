"""What `doctor` says of one thing that it looked at."""

from __future__ import annotations

from collections.abc import Sequence

from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that isn't as it should be, and the command or deed that helps."""

    problem: str
    remedy: str


@dataclass(frozen=True)
class CheckOutcome:
    """One thing that was looked at: its name, how it stands in a few words, and what is wrong with it."""

    name: str
    stands: str
    findings: Sequence[Finding] = ()
