"""What was said in a session: its branches, and stretches of it between anchors and moments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.domain.tape.session_messages import (
    ROOT,
    Conversation,
    SessionMessage,
    TapeBounds,
    merged,
    tree_of,
)


def message(n: int, parent: str = "", who: str = "", **more: Any) -> SessionMessage:
    when = f"2026-11-20T12:{n:02}:00.000Z"
    base = SessionMessage(
        f"e{n}", parent, "s-1", "pi", who or ("agent" if n % 2 else "user"), when, f"text {n}"
    )
    return replace(base, **more)


def anchor(at: str = "", minute: int = 0, session: str = "s-1", name: str = "x") -> Anchor:
    when = f"2026-11-20T12:{minute:02}:30.000Z"
    return Anchor("a-1", when, name, "handoff", session, at or "a-1")


def linear(count: int) -> Conversation:
    return Conversation("pi", "s-1", tuple(message(n, f"e{n - 1}" if n else "") for n in range(count)))


FORKED = Conversation(
    "pi",
    "s-1",
    (message(0), message(1, "e0"), message(2, "e1"), message(3, "e2"), message(4, "e1"), message(5, "e4")),
)


def ids(items: Any) -> list[str]:
    return [item.id for item in items]


class TestBranches:
    def test_the_branch_that_goes_on_ends_with_the_newest_message(self) -> None:
        assert ids(FORKED.branch.messages) == ["e0", "e1", "e4", "e5"]

    def test_a_parent_that_is_no_message_is_the_message_before(self) -> None:
        conversation = Conversation(
            "claude", "s-1", (message(0), message(1, "e0"), message(2, "a tool's result"), message(3, "e2"))
        )
        assert conversation.parents == (ROOT, 0, 1, 2)

    def test_without_parents_messages_stand_in_their_order(self) -> None:
        conversation = Conversation("cursor", "s-1", tuple(message(n, id="") for n in range(3)))
        assert conversation.parents == (ROOT, 0, 1)
        assert len(conversation.branch.messages) == 3

    def test_opencode_names_the_parents_of_answers_alone(self) -> None:
        conversation = Conversation(
            "opencode", "s-1", (message(0), message(1, "e0"), message(2), message(3, "e2"))
        )
        assert conversation.parents == (ROOT, 0, 1, 2)

    def test_in_a_tree_a_message_without_a_parent_begins_another_branch(self) -> None:
        conversation = Conversation("pi", "s-1", (*linear(3).messages, message(3), message(4, "e3")))
        assert ids(conversation.branch.messages) == ["e3", "e4"]

    def test_parents_in_a_circle_end(self) -> None:
        conversation = Conversation("pi", "s-1", (message(0, "e2"), message(1, "e1"), message(2, "e0")))
        assert ids(conversation.branch.messages)[-1] == "e2"


class TestSpans:
    """D60: the start is exclusive, the end inclusive."""

    def test_between_two_anchors_by_the_messages_at_which_they_were_left(self) -> None:
        assert ids(TapeBounds(after=anchor("e1"), until=anchor("e3")).of(linear(6))) == ["e2", "e3"]

    def test_elsewhere_by_time(self) -> None:
        other = anchor("e1", 2, session="s-2")
        assert ids(TapeBounds(after=other).of(linear(6))) == ["e3", "e4", "e5"]
        assert ids(TapeBounds(until=other).of(linear(6))) == ["e0", "e1", "e2"]

    def test_an_anchor_whose_message_is_unknown_counts_by_time(self) -> None:
        assert ids(TapeBounds(after=anchor("gone", 3)).of(linear(6))) == ["e4", "e5"]

    def test_a_message_at_the_very_moment_is_before_the_start_and_within_the_end(self) -> None:
        at = linear(3).seconds[1]
        assert ids(TapeBounds(start=at).of(linear(3))) == ["e2"]
        assert ids(TapeBounds(end=at).of(linear(3))) == ["e0", "e1"]

    def test_messages_without_a_time_are_within(self) -> None:
        conversation = Conversation("cursor", "s-1", tuple(message(n, id="", when="") for n in range(3)))
        assert len(TapeBounds(after=anchor(minute=1)).of(conversation)) == 3

    @given(st.integers(0, 8), st.integers(0, 8))
    def test_what_is_behind_and_what_is_up_to_an_anchor_is_all_of_it(self, count: int, at: int) -> None:
        conversation, cut = linear(count), anchor(f"e{at}", at)
        both = [*TapeBounds(until=cut).of(conversation), *TapeBounds(after=cut).of(conversation)]
        assert both == list(conversation.messages)


def test_d59_text_is_looked_for_in_words_and_in_what_tools_were_given() -> None:
    turn = message(1, tools=("Bash",), details=("make Test",))
    assert turn.has("TEXT 1")
    assert turn.has("make test")
    assert turn.has("bash")
    assert not turn.has("nothing")


@pytest.mark.parametrize(
    ("types", "fits"),
    [((), True), (("user",), False), (("agent",), True), (("tool",), True), (("user", "tool"), True)],
)
def test_d59_types(types: tuple[str, ...], fits: bool) -> None:
    assert message(1, tools=("Bash",)).is_of(types) is fits


def test_sessions_together_are_in_the_order_of_time_and_a_forks_copies_are_there_once() -> None:
    parent, fork = linear(4), Conversation("pi", "s-2", (*linear(2).messages, message(9, "e1", id="f")))
    assert ids(merged([parent.messages, fork.messages])) == ["e0", "e1", "e2", "e3", "f"]


class TestTree:
    def test_branches_are_indented_and_what_goes_on_stays_at_its_margin(self) -> None:
        lines = tree_of(FORKED, [])
        assert [f"{line.stem}{line.message.id}" for line in lines] == [
            *("e0", "e1", "├─ e2", "│  e3", "└─ e4", "   e5"),
        ]
        assert [line.parent for line in lines] == ["", "e0", "e1", "e2", "e1", "e4"]

    def test_anchors_stand_at_the_message_at_which_they_were_left_else_by_time(self) -> None:
        lines = tree_of(
            FORKED, [anchor("e3", name="one"), anchor(minute=4, name="two"), anchor(name="three")]
        )
        at = {line.message.id: [mark.name for mark in line.anchors] for line in lines if line.anchors}
        assert at == {"e3": ["one"], "e4": ["two"], "e0": ["three"]}

    def test_a_session_of_5000_messages_has_as_many_lines(self) -> None:
        conversation = Conversation(
            "pi", "s-1", tuple(message(n % 60, id=f"e{n}", parent=f"e{n - 1}") for n in range(5000))
        )
        assert len(tree_of(conversation, [])) == 5000
