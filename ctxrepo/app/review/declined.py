"""What reviewers struck out: listed, until it is dismissed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.review.declined import DeclinedReview


@dataclass(frozen=True)
class DismissRequest:
    """Reviews by their names; all when none is given."""

    names: Sequence[str] = ()


def list_declined(desk: Desk, _: None) -> Result[Sequence[DeclinedReview]]:
    """List the entries that reviewers struck out, one review after the other."""
    from ctxrepo.services.review.declined import declined

    found = declined(desk.memory)
    return Result(found, {"declined": [asdict(one) for one in found]})


def dismiss(desk: Desk, request: DismissRequest) -> Result[Sequence[str]]:
    """Take what was declined off the list; the refs that keep it."""
    from ctxrepo.services.review.declined import dismiss

    refs = dismiss(desk.memory, request.names)
    return Result(refs, {"kept": refs})
