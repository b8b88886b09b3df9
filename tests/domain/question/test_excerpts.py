"""Of a long message the sentences are shown that tell something."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.question.excerpts import excerpt

FILLER = "It has nothing to do with this at all. "


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert excerpt("one\n two.  Three", ["x"], 100) == "one two. Three"


def test_sentences_with_the_words_and_the_last_one_are_shown() -> None:
    text = f"We begin. {FILLER * 9}Redis is new. {FILLER * 9}The port is taken. {FILLER * 9}So 6380 it is."
    shown = excerpt(text, ["redis", "ports"], 200)
    for sentence in ("We begin.", "Redis is new.", "The port is taken.", "So 6380 it is."):
        assert sentence in shown
    assert len(shown) < 230
    assert "…" in shown


def test_a_line_ends_a_sentence() -> None:
    text = f"- {'a ' * 60}\n- the heron\n- {'b ' * 60}"
    assert excerpt(text, ["heron"], 60) == "… - the heron …"


@given(st.text(max_size=2000), st.text(max_size=8), st.integers(50, 500))
def test_it_is_one_line_of_about_the_room(text: str, word: str, room: int) -> None:
    shown = excerpt(text, [word], room)
    assert shown == " ".join(shown.split())
    assert len(shown) <= max(room, 330) + 4 * (room + 1)
