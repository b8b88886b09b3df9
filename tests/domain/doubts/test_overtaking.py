"""Which entry overtakes which: by words that few have, newer over older, nearest both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.doubts.overtaking import Overlaps, is_other_value, overtaken, words_in

OTHERS = [
    "- Deploys go out on Tuesdays from the release branch.",
    "- Invoices are rendered with weasyprint in src/pay/invoice.py",
    "- The search index is rebuilt nightly at 02:00.",
    "- Ask before you touch the migrations folder.",
]
OLD = "- [fact] The payment service times out after 30 seconds. #pay"
NEW = "- The payment service times out after 60 seconds since the gateway moved."


def pairs(texts: list[str], ages: list[str]) -> list[tuple[int, int]]:
    return [*overtaken(Overlaps(texts), ages.__getitem__).items()]


def test_a_newer_value_overtakes_the_older_one() -> None:
    assert pairs([OLD, *OTHERS, NEW], ["1"] * 5 + ["2"]) == [(0, 5)]
    assert pairs([NEW, *OTHERS, OLD], ["2"] + ["1"] * 5) == [(5, 0)]


def test_what_was_written_at_once_or_nobody_knows_when_overtakes_nothing() -> None:
    assert pairs([OLD, *OTHERS, NEW], ["1"] * 6) == []
    assert pairs([OLD, *OTHERS, NEW], ["", *"1111", "2"]) == []
    assert pairs([OLD, *OTHERS, NEW], [*"11111", ""]) == []


def test_a_further_one_of_a_family_overtakes_no_member() -> None:
    """The older one stands as near to its siblings as to the newcomer."""
    family = [f"- Run `bd setup {name}` once to install its hooks." for name in ("claude", "codex", "mux")]
    assert (
        pairs([*family, *OTHERS, "- Run `bd setup gemini` once to install its hooks."], [*"1111111", "2"])
        == []
    )


def test_in_a_chain_each_overtakes_the_one_before() -> None:
    third = NEW.replace("60", "90")
    assert pairs([OLD, *OTHERS, NEW, third], [*"11111", "2", "3"]) == [(0, 5), (5, 6)]


def test_category_tags_and_signs_are_no_words() -> None:
    assert words_in(OLD) == ["the", "payment", "service", "times", "out", "after", "30", "seconds"]
    assert words_in("- **`src/pay.py`** [link](x)") == ["src", "pay", "py", "link", "x"]


@given(st.lists(st.sampled_from([OLD, NEW, *OTHERS, "", "- x"]), max_size=8), st.data())
def test_older_ones_are_overtaken_by_newer_ones_once(texts: list[str], data: st.DataObject) -> None:
    ages = data.draw(st.lists(st.sampled_from(["", "1", "2", "3"]), min_size=len(texts), max_size=len(texts)))
    matches = pairs(texts, ages)
    assert all("" < ages[older] < ages[newer] for older, newer in matches)
    assert len({older for older, _ in matches}) == len(matches) == len({newer for _, newer in matches})


@pytest.mark.parametrize(
    ("older", "newer", "is_same_thing"),
    [
        ("The database answers on port 5433", "The database answers on port 5434 since the move", True),
        ("Builds take 9 minutes", "[ci] Builds take 12 minutes", True),
        ("Errors of the bank are retried 3 times", "Errors of the mail server are retried 10 times", False),
        ("Backups of postgres are kept for 30 days", "Backups of redis are kept for 7 days", False),
        ("CI runs on Linux", "CI runs on macOS, too", False),
        ("Ada owns the payment service", "Ada owns the billing service", False),
        ("The api listens on 8080", "The api listens on 8080, behind a proxy", False),
    ],
)
def test_only_another_value_of_the_same_thing_takes_a_fact_s_place(
    older: str, newer: str, is_same_thing: bool
) -> None:
    assert is_other_value(older, newer) == is_same_thing
