"""A handoff is small whatever is put in, the same every time, and reads back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.tape.anchors import Anchor, anchors_of, to_line
from ctxrepo.domain.tape.handoff_parts import (
    MAX_BYTES,
    Handoff,
    fitted,
    handoff_of,
    meta_of,
    one_line,
)

WIDE = st.text(st.sampled_from('a "\\\n\t\x00\x1b🦊é\u2028\ud800'), max_size=900)
WORDS = st.one_of(st.text(max_size=40), WIDE)
ITEMS = st.lists(WORDS, max_size=40).map(tuple)
HANDOFFS = st.builds(
    Handoff, goal=WORDS, done=ITEMS, open=ITEMS, next=WORDS, files=ITEMS, anchors=ITEMS, asked=WORDS
)


def size(handoff: Handoff) -> int:
    return len(json.dumps(meta_of(handoff), ensure_ascii=False).encode())


@given(HANDOFFS)
def test_it_is_small_and_stays_as_it_is(handoff: Handoff) -> None:
    made = fitted(handoff)
    assert size(made) <= MAX_BYTES
    assert fitted(made) == made
    assert "\n" not in "".join([made.goal, made.next, made.asked, *made.done, *made.open, *made.files])


@given(HANDOFFS)
def test_it_reads_back_from_the_line_of_a_tape(handoff: Handoff) -> None:
    made = fitted(handoff)
    anchor = Anchor("i", "2026-11-20T09:47:11.123Z", "n", "handoff", "s", "e", meta_of(made))
    (again,) = anchors_of(to_line(anchor))
    assert handoff_of(again.meta) == made


@given(HANDOFFS)
def test_what_is_told_is_plain_lines_within_a_lane(handoff: Handoff) -> None:
    made = fitted(handoff)
    text = made.text
    assert bool(text) == made.says_something
    names = {line.partition(": ")[0] for line in text.split("\n") if line}
    assert names <= {"Goal", "Done", "Open", "Next", "Files", "Anchors", "Last asked"}
    small = [*made.done, *made.open, *made.files, *made.anchors, made.goal, made.next, made.asked]
    if all(len(words.encode()) < 60 for words in small[-3:]):
        assert len(text.encode()) < 4 * 1024


def test_the_lines() -> None:
    handoff = Handoff("G", ("a", "b"), ("c",), "N", ("x.py", "y.py"), ("task/begin",), "Go on")
    assert handoff.text.split("\n") == [
        "Goal: G", "Done: a", "Done: b", "Open: c", "Next: N", "Files: x.py, y.py", "Anchors: task/begin",
        "Last asked: Go on",
    ]  # fmt: skip
    assert meta_of(handoff)["summary"] == "N"


def test_of_much_the_newest_is_told_and_how_much_there_is_more() -> None:
    many = tuple(f"{number} {'x' * 90}" for number in range(20))
    text = fitted(Handoff(goal="G", done=many, open=many, next="N", files=("f",))).text
    assert len(text.encode()) <= 900
    lines = text.split("\n")
    assert lines[0] == "Goal: G"
    assert lines[-2:] == ["Next: N", "Files: f"]
    assert f"Done: {many[-1]}" in lines
    assert f"Open: {many[0]}" in lines
    assert any(line.startswith("Open: ") and line.endswith(" more") for line in lines)


def test_too_much_goes_from_the_longest_list() -> None:
    long = tuple(f"{number} {'x' * 280}" for number in range(20))
    made = fitted(Handoff(goal="G", done=long, open=("o",), next="N", files=("f",)))
    assert (made.goal, made.open, made.next, made.files) == ("G", ("o",), "N", ("f",))
    assert made.done == long[-len(made.done) :]
    assert len(made.done) > 5


@pytest.mark.parametrize(
    "meta",
    [{}, {"handoff": None}, {"handoff": "x"}, {"handoff": []},
     {"handoff": {"goal": 3, "done": {"a": 1}, "open": [1, None]}}],
)  # fmt: skip
def test_what_is_none_says_nothing(meta: dict[str, object]) -> None:
    assert not handoff_of(meta).says_something
    assert handoff_of(meta).text == ""


def test_what_others_wrote_is_read_as_far_as_it_can_be() -> None:
    meta = {
        "handoff": {"goal": "G\nodd", "done": "one", "open": ["a", 3, "a", ""], "more": 1, "next": "x" * 999}
    }
    handoff = handoff_of(meta)
    assert (handoff.goal, handoff.done, handoff.open) == ("G odd", ("one",), ("a",))
    assert len(handoff.next) == 300


def test_one_line_ends_with_a_mark_when_it_is_cut() -> None:
    assert one_line(" a\n\tb\u202e ") == "a b"
    assert one_line("word " * 100, 20) == "word word word word…"
