"""The stretch of a tape that somebody asks for: between anchors, since the last one, or between dates."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from ctxrepo.domain.tape.conversation import Stretch
from ctxrepo.domain.tape.tape import Tape
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.tape.view import TapeView, resolve

Where = Literal["session", "project"]


@dataclass(frozen=True)
class StretchRequest:
    """A stretch as a person says it: behind the anchor `after`, or behind the last one, up to the anchor
    `until`; or from one date to another. '' is no bound."""

    after: str = ""
    until: str = ""
    is_last: bool = False
    start: str = ""
    end: str = ""


def stretch_of(
    view: TapeView, asked: StretchRequest, anchors_in: Where | Literal[""], *, dates_first: bool
) -> Stretch:
    """The stretch that is meant. Where several are asked for one holds: that between dates, between two
    anchors, behind the last anchor, behind an anchor; without `dates_first` that between two anchors, between
    dates, behind an anchor, behind the last one. NoMatch for an anchor that isn't there."""
    is_only_own = anchors_in == "session"
    between = between_anchors(view.tape, view.own, asked.after, asked.until, is_only_own=is_only_own)
    dates = Stretch(
        start=_seconds("--from", asked.start, is_end=False),
        end=_seconds("--to", asked.end, is_end=True),
    )
    newest = {"session": view.own.last, "project": view.tape.last, "": view.own.last or view.tape.last}
    last = Stretch(after=newest[anchors_in] if asked.is_last else None)
    pair = between if between.until else Stretch()
    order = (dates, pair, last, between) if dates_first else (pair, dates, between, last)
    return next((stretch for stretch in order if stretch.is_bound), Stretch())


def between_anchors(tape: Tape, own: Tape, after: str, until: str, *, is_only_own: bool = False) -> Stretch:
    """The stretch between the anchors that these names or ids mean, '' for no bound; NoMatch for one that
    isn't there."""
    ends = [resolve(tape, own, name, is_only_own=is_only_own) if name else None for name in (after, until)]
    return Stretch(after=ends[0], until=ends[1])


def _seconds(option: str, text: str, *, is_end: bool) -> float | None:
    """A date or moment that a person gave, by this machine's zone as it was then, in Unix seconds. A day is
    whole: its start is behind the end of the day before."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
        if len(text) > len("2026-11-20"):
            return found.astimezone().timestamp()
        return (found + timedelta(days=1) if is_end else found).astimezone().timestamp() - 0.001
    except ValueError:
        hint = "For example 2026-11-20, or 2026-11-20T14:30."
        raise UsageError(f"{option} {text!r} is no date", hint) from None
    except OverflowError:
        raise UsageError(f"{option} {text!r} is out of range", "Leave it out for no bound.") from None
