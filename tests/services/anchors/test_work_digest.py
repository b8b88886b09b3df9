"""Which bounds a digest is of: days, handoffs, between anchors, and nothing of an earlier one (D71)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ctxrepo.domain.formats.moment import seconds_of, stamp
from ctxrepo.domain.tape.anchors import Anchor, Tape
from ctxrepo.errors import NoMatch, UsageError
from ctxrepo.services.anchors.tape_requests import DigestRequest
from ctxrepo.services.anchors.work_digest import ChosenBounds, choose_bounds

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def anchor(name: str, hours_ago: float) -> Anchor:
    at = stamp(NOW - timedelta(hours=hours_ago))
    return Anchor(f"{name}-{hours_ago}", at, name, "handoff", "s1", "e1")


def chosen(anchors: list[Anchor], request: DigestRequest | None = None) -> ChosenBounds:
    tape = Tape(tuple(sorted(anchors, key=lambda a: a.timestamp)))
    return choose_bounds(tape, Tape(), request or DigestRequest(), NOW)


def kept(anchors: list[Anchor], request: DigestRequest | None = None) -> list[str]:
    """The names of the anchors that are within the bounds, the newest first."""
    within = chosen(anchors, request).bounds
    return [a.name for a in sorted(anchors, key=lambda a: a.timestamp, reverse=True) if within.holds(a)]


def test_d71_two_handoffs_within_two_days_make_it_these_days() -> None:
    choice = chosen([anchor("a", 47), anchor("b", 1), anchor("old", 50)])
    assert choice.why == "the last 2 days"
    assert choice.bounds.start == (NOW - timedelta(days=2)).timestamp()


@pytest.mark.parametrize("hours", [49, 500])
def test_d71_fewer_make_it_the_last_ten_handoffs(hours: int) -> None:
    many = [anchor(f"a{n:02}", hours + n) for n in range(12)]
    assert kept([*many, anchor("new", 1)]) == ["new", *(f"a{n:02}" for n in range(9))]
    assert chosen(many).why == "the last 10 handoffs"
    assert chosen(many[:3]).why == "all there is"


def test_d71_between_two_anchors_start_excluded_and_end_included() -> None:
    anchors = [anchor("begin", 5), anchor("half", 4), anchor("done", 3), anchor("later", 2)]
    assert kept(anchors, DigestRequest(after="begin", until="done")) == ["done", "half"]
    assert kept(anchors, DigestRequest(until="half")) == ["half", "begin"]
    with pytest.raises(NoMatch, match="no anchor called 'gone'"):
        chosen(anchors, DigestRequest(after="gone"))


def test_a_digest_begins_where_the_last_one_ended() -> None:
    anchors = [anchor("a", 40), anchor("digest/done", 30), anchor("b", 20), anchor("c", 10)]
    choice = chosen(anchors)
    assert choice.why == "since the last digest"
    assert choice.bounds.after is not None
    assert seconds_of(choice.bounds.after.timestamp) == (NOW - timedelta(hours=30)).timestamp()
    assert chosen([anchor("digest/done", 60), anchor("a", 2), anchor("b", 1)]).why == "the last 2 days"
    assert chosen(anchors, DigestRequest(days=3)).why == "the last 3 days", "who asks for days gets them"


def test_only_one_way_of_asking() -> None:
    with pytest.raises(UsageError, match="days, of handoffs or between anchors"):
        chosen([], DigestRequest(days=1, handoffs=2))
