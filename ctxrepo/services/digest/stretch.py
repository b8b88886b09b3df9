"""Which stretch of past work a digest is of."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.domain.tape.conversation import Stretch
from ctxrepo.domain.tape.tape import Tape
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.tape.stretch import AnchorRange

DAYS, HANDOFFS = 2, 10
"""The days that a digest is of; where they hold fewer than two handoffs, the handoffs."""

DONE = "digest/done"
"""The name of the anchor that the skill leaves after a digest: the next one begins there."""

_DAY = 86400.0


@dataclass(frozen=True)
class DigestRequest:
    """The stretch as a person asks for it: the last so many days, the last so many handoffs, or between
    anchors; 0 for what isn't asked for."""

    days: int = 0
    handoffs: int = 0
    anchors: AnchorRange = field(default_factory=AnchorRange)

    @property
    def ways(self) -> int:
        """In how many ways a stretch is asked for."""
        return sum(map(bool, (self.days, self.handoffs, self.anchors != AnchorRange())))


@dataclass(frozen=True)
class ChosenStretch:
    """The bounds, and in words how they came about."""

    stretch: Stretch
    why: str


def choose_stretch(tape: Tape, own: Tape, request: DigestRequest, now: datetime) -> ChosenStretch:
    """The stretch that is asked for; where none is, the smaller one of the last days and the last handoffs,
    and never what an earlier digest was of. NoMatch for an anchor that isn't there."""
    if request.ways > 1:
        raise UsageError("a digest is of days, of handoffs or between anchors", "Give one of them.")
    if request.anchors != AnchorRange():
        between = request.anchors.resolve(tape, own)
        after, until = between.after, between.until
        ends = [f"after {after.name}" if after else "", f"up to {until.name}" if until else ""]
        return ChosenStretch(between, " ".join(filter(None, ends)))
    if request.days or request.handoffs:
        return _days(request.days, now) if request.days else _handoffs(tape, request.handoffs)
    recent = _days(DAYS, now)
    handoffs = [a for a in tape.handoffs.anchors if a.name != DONE]
    is_enough = sum(recent.stretch.holds(anchor) for anchor in handoffs) > 1
    found = recent if is_enough else _handoffs(tape, HANDOFFS)
    last = tape.called(DONE)
    if last and _begins_before(found, last):
        return ChosenStretch(Stretch(after=last), "since the last digest")
    return found


def _days(days: int, now: datetime) -> ChosenStretch:
    return ChosenStretch(
        Stretch(start=now.timestamp() - days * _DAY), f"the last {days} days" if days > 1 else "the last day"
    )


def _handoffs(tape: Tape, count: int) -> ChosenStretch:
    """What led to the last handoffs: it begins behind the one before them."""
    found = [a for a in tape.handoffs.anchors if a.name != DONE]
    before = found[-count - 1] if len(found) > count else None
    last = f"the last {count} handoffs" if count > 1 else "the last handoff"
    return ChosenStretch(Stretch(after=before), last if before else "all there is")


def _begins_before(one: ChosenStretch, anchor: Anchor) -> bool:
    """Whether the stretch begins before this anchor."""
    at = seconds_of(anchor.timestamp)
    begins = one.stretch.start if one.stretch.after is None else seconds_of(one.stretch.after.timestamp)
    return at is not None and (begins is None or begins < at)
