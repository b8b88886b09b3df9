"""A reply that repeats an entry shows that it was used; what only takes room is a zombie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.records.entry_use import EXEMPT_DAYS, Usage, is_used, is_zombie, rate

LONG = "- [gotcha] The **staging** port is `5433` on every machine that we have <!-- ^port -->"


def entry(text: str) -> Entry:
    return Entry("e", "shop/a.md", text, (), 1, 1)


@pytest.mark.parametrize(
    ("text", "reply", "used"),
    [
        (LONG, "As noted: the staging port is 5433 on  every\nmachine; so I connected to it.", True),
        (LONG, "As noted: the staging port is 5433, on every machine; so I connected to it.", False),
        (LONG, "The staging port is 5433 on every machine", False),  # too short a reply
        (LONG, "As noted: The staging port is 5433 on every machin" + "!" * 40, True),
        (LONG, "As noted: The staging port is 5433 on every machi" + "!" * 40, False),
        ("1. [ ] Call `make`", "I will call make now, and after that there is nothing left to do.", True),
        ("- [docs](x.md) say so", "[docs](x.md) say so, as I have read a while ago, and you as well.", True),
        ("- [lesson]", "anything at all that is longer than fifty characters, as this is", False),
    ],
)
def test_used_is_what_the_reply_begins_to_say(text: str, reply: str, used: bool) -> None:
    assert is_used(entry(text), reply) is used


@given(st.text("abc \n", max_size=60), st.text("xyz", max_size=60))
def test_a_reply_that_has_all_of_it_uses_it(text: str, around: str) -> None:
    assert is_used(entry(f"- {around}w{text}"), f"{around} {around}w{text} {'z' * 50}")


def test_a_zombie_is_given_often_known_for_long_and_idle() -> None:
    long = EXEMPT_DAYS * 86400
    idle = Usage("e", "shop/a.md", 0.0, 9.0, delivered=30, sessions=10)
    assert is_zombie(idle, long)
    assert not is_zombie(idle, long - 1)
    assert not is_zombie(idle, long, sessions=11)
    assert not is_zombie(Usage("e", "", 0.0, 9.0, sessions=10, opened=1), long)
    assert not is_zombie(Usage("e", "", 0.0, 9.0, sessions=10, used=1), long)
    assert is_zombie(Usage("e", "", 0.0, 9.0, sessions=10, contradicted=1), long)


def test_a_rate_has_two_decimals_and_divides_by_no_nought() -> None:
    assert (rate(1, 3), rate(0, 5), rate(3, 0)) == (0.33, 0.0, 0.0)
