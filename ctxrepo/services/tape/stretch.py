"""The stretch of a tape that somebody asks for: between anchors, since the last one, or between dates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from datetime import datetime, timedelta
from math import ceil, floor
from typing import Literal, NamedTuple

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.tape.conversation import SessionMessage, Stretch
from ctxrepo.domain.tape.tape import Tape
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.tape.view import TapeView, resolve

Where = Literal["session", "project"]


@dataclass(frozen=True)
class AnchorRange:
    """What was said after one anchor and up to another, each by its name or id; '' is no bound."""

    after: str = ""
    until: str = ""

    def resolve(self, tape: Tape, own: Tape, *, is_only_own: bool = False) -> Stretch:
        """The stretch between the anchors that are meant; NoMatch for one that isn't there."""
        names = (self.after, self.until)
        after, until = (resolve(tape, own, name, is_only_own=is_only_own) if name else None for name in names)
        return Stretch(after, until)


@dataclass(frozen=True)
class StretchRequest:
    """A stretch as a person says it: between `anchors`, or after the last one, or from one date to another.
    '' is no bound."""

    anchors: AnchorRange = field(default_factory=AnchorRange)
    is_last: bool = False
    start: str = ""
    end: str = ""


def stretch_of(
    view: TapeView, asked: StretchRequest, where: Where | Literal[""], *, dates_first: bool
) -> Stretch:
    """The stretch that is meant; NoMatch for an anchor that isn't there.

    Where several are asked for one holds: that between dates, between two anchors, after the last anchor,
    after an anchor; without `dates_first` that between two anchors, between dates, after an anchor, after the
    last one. With `where` = `session` only anchors of that session are meant, and with `project` the last
    anchor is the project's.
    """
    between = asked.anchors.resolve(view.tape, view.own, is_only_own=where == "session")
    dates = Stretch(
        start=_seconds("--from", asked.start, is_end=False),
        end=_seconds("--to", asked.end, is_end=True),
    )
    newest = {"session": view.own.last, "project": view.tape.last, "": view.own.last or view.tape.last}
    last = Stretch(after=newest[where] if asked.is_last else None)
    pair = between if between.until else Stretch()
    order = (dates, pair, last, between) if dates_first else (pair, dates, between, last)
    return next((stretch for stretch in order if stretch.is_bound), Stretch())


class MessageBounds(NamedTuple):
    """A stretch as the index can be asked for it, in Unix seconds with 0 for no bound, and what says of each
    message whether it is within."""

    since: int
    until: int
    fits: Callable[[SessionMessage], bool]


def message_bounds(view: TapeView, stretch: Stretch) -> MessageBounds:
    """The bounds of a stretch for messages of all sessions.

    In the session in which an anchor was left, what counts is the message at which it was left, so that
    transcript is read; elsewhere it is the time.
    """
    ends = [anchor for anchor in (stretch.after, stretch.until) if anchor]
    conversations = [
        view.said_in(agent, session) for agent, session in {(a.agent, a.session_id) for a in ends}
    ]
    by_place = [
        said for said in conversations if said and any(said.place_of(end) is not None for end in ends)
    ]
    within = {_key(message) for said in by_place for message in stretch.of(said)}
    known = {_key(message) for said in by_place for message in said.messages}

    def fits(message: SessionMessage) -> bool:
        key = _key(message)
        return key in within if message.id and key in known else stretch.holds_moment(message.when)

    moments = [seconds_of(message.when) for said in by_place for message in stretch.of(said)]
    lowest, highest = stretch.seconds
    if None in moments:  # only its place says where such a message belongs
        lowest = highest = None
    times = [moment for moment in moments if moment is not None]
    return MessageBounds(
        0 if lowest is None else floor(min((lowest, *times))),
        0 if highest is None else ceil(max((highest, *times))),
        fits,
    )


def _key(message: SessionMessage) -> tuple[str, str]:
    return message.agent, message.id


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
