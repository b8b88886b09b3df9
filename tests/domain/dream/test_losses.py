"""No steps are let through after which a detail is in no entry any more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.dream.losses import LiveEntries, details, objections
from ctxrepo.domain.dream.steps import DreamStep
from ctxrepo.domain.note.entry import Entry, entries_of

NOTE = "shop/topics/ci.md"


def live(*texts: str, pinned: int = -1) -> tuple[LiveEntries, list[Entry]]:
    entries = entries_of(NOTE, "".join(f"- {text}\n" for text in texts))
    names = [entry.id for entry in entries]
    return LiveEntries(
        dict(zip(names, entries, strict=True)), {names[pinned]} if pinned >= 0 else ()
    ), entries


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("retry 3 times after 10s, v2.14.1", {"3", "10s", "v2.14.1"}),
        ("run `make test` in src/api", {"make test", "src/api"}),
        ("see [[release]] and https://a.example/b?c=1", {"release", "https://a.example/b?c=1"}),
        ("since #412 and ^3f9a, ~/.cargo/env", {"#412", "^3f9a", "~/.cargo/env"}),
        ("on 2026-11-29, at 14:30.", {"2026-11-29", "14:30"}),
        ("the tests and/or the docs", {"and/or"}),
        ("plain words, nothing else", set()),
        ("with an id <!-- ^a1b2 -->", set()),
    ],
)
def test_details_are_numbers_paths_code_links_and_ids(text: str, expected: set[str]) -> None:
    assert set(details([text])) == expected


def test_what_another_entry_still_has_is_not_lost() -> None:
    here, (first, second, third) = live("redis on 6380", "Redis runs on port 6380", "valkey on 6390")
    merge = DreamStep("merge", (first.id, second.id), text="redis runs on port 6380")
    assert objections([merge], here) == []
    (lost,) = objections([DreamStep("forget", (third.id,))], here)
    assert "drops 6390, and no other entry says the same" in lost
    assert objections([DreamStep("forget", (first.id,))], here) == []


def test_details_that_are_in_entries_about_something_else_are_lost() -> None:
    """An agent that forgot whatever looked alike lost one true fact in twenty so (docs/adr/0105)."""
    here, (cards, _, redis, cluster) = live(
        "2 network cards of 5 hosts are gone",
        "the 5 days of leave need a note 2 weeks ahead",
        "redis on 6380 for tests",
        "redis on 6380 for tests, by valkey",
    )
    (lost,) = objections([DreamStep("forget", (cards.id,))], here)
    assert "drops 2, 5, and no other entry says the same" in lost
    assert objections([DreamStep("forget", (redis.id,))], here) == []
    new = DreamStep("edit", (cards.id,), text="of 5 hosts 2 cards went")
    assert objections([new, DreamStep("forget", (redis.id,))], here) == []
    assert objections([DreamStep("merge", (redis.id, cluster.id), text="valkey, 6380")], here) == []


def test_a_longer_number_doesn_t_hold_a_shorter_one() -> None:
    here, (first, *_) = live("retry after 10 s", "the port is 1024")
    (lost,) = objections([DreamStep("edit", (first.id,), text="retry later, at 100")], here)
    assert "drops 10," in lost


def test_two_steps_that_would_each_leave_it_to_the_other_lose_it() -> None:
    here, (first, second, *_) = live("redis on 6380", "cache on 6380", "a", "b", "c", "d", "e", "f", "g", "h")
    assert objections([DreamStep("forget", (first.id,))], here) == []
    lost = objections([DreamStep("forget", (first.id,)), DreamStep("forget", (second.id,))], here)
    assert len(lost) == 2


def test_what_stays_in_its_note_is_not_lost() -> None:
    here, (first, second) = live("redis on 6380", "redis on 6390")
    assert objections([DreamStep("supersede", (first.id, second.id))], here) == []
    assert objections([DreamStep("archive", (first.id,))], here) == []
    assert objections([DreamStep("move", (first.id,), note="x.md")], here) == []


def test_a_pinned_entry_is_left_alone_and_may_be_what_holds() -> None:
    here, (first, second) = live("redis on 6380", "redis on 6390", pinned=1)
    assert objections([DreamStep("supersede", (first.id, second.id))], here) == []
    (pinned,) = objections([DreamStep("archive", (second.id,))], here)
    assert "it is pinned" in pinned


def test_unknown_entries_and_entries_of_two_steps_are_named() -> None:
    here, (first, second) = live("redis on 6380", "redis on 6390")
    (unknown,) = objections([DreamStep("archive", ("nosuch",))], here)
    assert "^nosuch: there is no such entry in view" in unknown
    steps = [DreamStep("archive", (second.id,)), DreamStep("supersede", (first.id, second.id))]
    (both,) = objections(steps, here)
    assert f"another step changes ^{second.id}, which is to hold" in both
    assert len(objections([steps[0], DreamStep("move", (second.id,), note="x.md")], here)) == 3


def test_equal_entries_are_changed_by_one_step_since_their_ids_depend_on_each_other() -> None:
    here, (first, second, *_) = live("same", "same", *"abcdefgh")
    apart = [DreamStep("archive", (first.id,)), DreamStep("forget", (second.id,))]
    (twice,) = objections(apart, here)
    assert "has the same entry twice" in twice
    assert objections([DreamStep("merge", (first.id, second.id), text="same")], here) == []


@pytest.mark.parametrize(("size", "most"), [(2, 2), (9, 2), (10, 2), (15, 3), (50, 10)])
def test_no_more_than_a_fifth_of_a_note_changes_in_one_go(size: int, most: int) -> None:
    here, entries = live(*(f"entry {number}" for number in range(size)))
    steps = [DreamStep("archive", (entry.id,)) for entry in entries]
    assert objections(steps[:most], here) == []
    if size > most:
        (much,) = objections(steps[: most + 1], here)
        assert f"{most + 1} of its {size} entries would change; {most} may in one go" in much


WORDS = st.sampled_from(["redis", "6380", "`make x`", "src/a.py", "#12", "and", "v1.2"])
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


@given(st.lists(TEXTS, min_size=2, max_size=8), TEXTS, st.integers(2, 4))
def test_law_after_steps_without_an_objection_every_detail_is_in_some_entry(
    texts: list[str], new: str, count: int
) -> None:
    here, entries = live(*texts)
    names = [entry.id for entry in entries]
    if len(names) < count:
        return
    step = DreamStep("merge", tuple(names[:count]), text=new)
    if not objections([step], here):
        after = [new, *(entry.text for entry in entries[count:])]
        before = set(details(entry.text for entry in entries))
        assert before <= set(details(after)) | {detail for detail in before if detail in "\n".join(after)}
