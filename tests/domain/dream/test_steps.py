"""Steps are read from lines of JSON, and each mistake is named with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.dream.steps import EXAMPLES, MOST_STEPS, outline, read_steps, summary, to_line
from ctxrepo.errors import UsageError

MERGE = '{"do": "merge", "entries": ["^a1", "^b2"], "text": "both", "why": "twice"}'


def test_a_fence_around_the_steps_and_blank_lines_between_them_are_no_steps() -> None:
    first, second = read_steps(f"```jsonl\n{MERGE}\n\n" + '{"do": "archive", "entry": "^C3"}\n```\n')
    assert (first.deed, first.entries, first.text, first.why) == ("merge", ("a1", "b2"), "both", "twice")
    assert (second.deed, second.entries) == ("archive", ("c3",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no step"),
        ("hello", "line 1 is no JSON object"),
        (f"{MERGE}\n[1]", "line 2 is no JSON object"),
        ('{"do": "fly"}', "line 1: there is nothing to do called 'fly'"),
        ('{"do": "merge", "entries": ["^a"], "text": "t"}', "merge takes 2 to 20 different entries, not 1"),
        ('{"do": "supersede", "entries": ["^a", "^a"]}', "supersede takes 2 different entries, not 2"),
        ('{"do": "remember", "entries": ["^a"], "text": "t"}', "remember takes no different entries, not 1"),
        ('{"do": "edit", "entries": ["^a"]}', "line 1: edit needs a text"),
        ('{"do": "forget", "entries": ["^a"], "text": "t"}', "line 1: forget takes no text"),
        ('{"do": "move", "entries": ["^a"]}', "line 1: move needs a note to move to"),
        ('{"do": "move", "entries": ["^a"], "note": "../../x"}', "../../x"),
        ("\n".join([MERGE] * (MOST_STEPS + 1)), f"there are {MOST_STEPS + 1} steps"),
    ],
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_steps(text)
    assert message in caught.value.message


def test_the_examples_that_an_agent_is_shown_are_steps() -> None:
    deeds = [step.deed for step in read_steps("\n".join(EXAMPLES))]
    assert sorted(deeds) == ["archive", "edit", "forget", "merge", "move", "remember", "supersede"]


def test_they_are_told_to_a_person_with_their_reasons() -> None:
    lines = f'{MERGE}\n{{"do": "supersede", "entries": ["^old", "^new"]}}'
    assert summary(lines) == "merge 1, supersede 1"
    assert outline(lines) == "merge 1, supersede 1\nmerge ^a1 ^b2: twice\n  both\nsupersede ^old by ^new"


@given(st.text(min_size=1).filter(str.strip), st.text(), st.lists(st.text(), min_size=2, max_size=2))
def test_what_is_written_is_read_again(text: str, why: str, was: list[str]) -> None:
    fields = {"do": "merge", "entries": ["^a", "^b"], "text": text, "why": why, "was": was}
    (step,) = read_steps(json.dumps(fields))
    assert read_steps(to_line(step)) == [step]
