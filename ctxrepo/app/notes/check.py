"""What is wrong in the notes, and mending what of it needs no decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.checks.check import NoteFinding
    from ctxrepo.services.checks.fix import FileFix


@dataclass(frozen=True)
class CheckRequest:
    """`fixes`: what needs no decision is mended; `is_trial`: only said, and nothing is changed."""

    fixes: bool = False
    is_trial: bool = False


@dataclass(frozen=True)
class CheckedNotes:
    """What was or would be mended, and what is left."""

    fixed: Sequence[FileFix]
    findings: Sequence[NoteFinding]


def check(desk: Desk, request: CheckRequest) -> Result[CheckedNotes]:
    """Look through all notes; ends with 1 when something is found."""
    from ctxrepo.services.checks.check import check
    from ctxrepo.services.checks.fix import fix, fixable

    done: Sequence[FileFix] = ()
    if request.fixes:
        done = fixable(desk.memory) if request.is_trial else fix(desk.memory, desk.origin, desk.now)
    if done and not request.is_trial:
        desk.wake()
    found = check(desk.memory)
    data: dict[str, Any] = {"findings": [asdict(one) for one in found]}
    if request.fixes:
        data["fixed"] = [{"path": one.path, "deeds": one.deeds, "diff": one.diff} for one in done]
    return Result(CheckedNotes(done, found), data, 1 if found else 0)
