"""The recall block: place, heading, age and text of each entry, within its bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.hooks.packet.sections import is_shown, recall_block, recall_section

ODD = st.lists(
    st.one_of(
        st.sampled_from([" · ", ">30d", ">90d", "#", "\n## x", "\x1f", "\\", "<b>"]), st.text(max_size=6)
    ),
    max_size=5,
).map("".join)
HIT = st.tuples(
    st.text("abc0", min_size=1, max_size=4) | st.text("0123456789abcdef", min_size=12, max_size=12),
    st.sampled_from(["shop/a.md", "shop/b.md"]) | ODD.filter(bool),
    st.sampled_from(["", "Ports"]) | ODD,
    st.integers(1, 9),
    st.integers(1, 20),
    st.sampled_from(["", "1971-01-01", "1970-01-01"]),
    ODD,
    st.just("h"),
).map(EntryHit)


def told(text: str) -> str:
    """The text as it is told: a soft hyphen shows nothing, and goes (ADR 76)."""
    return text.replace("\xad", "")


@pytest.mark.slow
@given(st.lists(HIT, max_size=6), st.integers(0, 1200))
def test_it_reads_back_and_keeps_its_bytes(parse: Callable[[str], Any], hits: list[Any], budget: int) -> None:
    text, given_hits = recall_block(hits, 420, "ab", budget)
    assert len(text.encode()) <= budget
    if not text:
        assert not given_hits
        return
    shown = sorted(given_hits, key=lambda hit: [other.path for other in given_hits].index(hit.path))
    for entry, hit in zip(parse(text).entries, shown, strict=True):
        assert hit.id.startswith(entry.id)
        assert len(entry.id) == (7 if len(hit.id) == 12 else len(hit.id))
        last = f"-L{hit.last_line}" if hit.last_line > hit.first_line else ""
        assert entry.at == f"{told(hit.path)}#L{hit.first_line}{last}"
        assert entry.heading == told(hit.heading).replace("\x1f", " > ")
        assert entry.age == {"1971-01-01": ">30d", "1970-01-01": ">90d"}.get(hit.updated, "")
        assert told(hit.text) == entry.text or (entry.is_cut and told(hit.text).startswith(entry.text))


def hit(number: int, text: str) -> EntryHit:
    return EntryHit((f"id{number}", "shop/a.md", "", number, number, "", text, "h"), 1.0)


def test_the_best_is_cut_and_others_that_do_not_fit_are_left_out(parse: Callable[[str], Any]) -> None:
    long = "\n".join(f"line {n}" for n in range(900))
    text, given_hits = recall_block([hit(1, long), hit(2, long), hit(3, "short")], 0, "ab", 2500)
    assert parse(text).entries[0].is_cut
    assert [h.id for h in given_hits] in (["id1"], ["id1", "id3"])
    text, given_hits = recall_block([hit(1, "short"), hit(2, long), hit(3, "brief")], 0, "ab", 2500)
    assert [h.id for h in given_hits] == ["id1", "id3"]


def test_entries_of_a_note_stand_together_below_one_place() -> None:
    def entry(number: int, path: str, heading: str) -> EntryHit:
        return EntryHit((f"id{number}", path, heading, number, number, "", f"text {number}", "h"), 1.0)

    hits = [
        entry(1, "shop/a.md", "Ports"),
        entry(2, "shop/b.md", ""),
        entry(3, "shop/a.md", "Ports"),
        entry(4, "shop/a.md", "Hosts\x1fStaging"),
        entry(5, "shop/a.md", ""),
    ]
    text, given_hits = recall_block(hits, 0, "ab")
    assert text.splitlines()[2:-1] == [
        "## shop/a.md#L1 ^id1 · Ports",
        "text 1",
        "## #L3 ^id3",
        "text 3",
        "## #L4 ^id4 · Hosts > Staging",
        "text 4",
        "## shop/a.md#L5 ^id5",
        "text 5",
        "## shop/b.md#L2 ^id2",
        "text 2",
    ]
    assert given_hits == hits, "best first"


def test_what_a_section_shows_is_known_by_its_heads() -> None:
    hits = [hit(1, "one"), hit(2, "## #L9 ^id9"), hit(9, "nine")]
    text, _ = recall_section(hits[:2], 0, 2500)
    assert [is_shown(hit, text) for hit in hits] == [True, True, False]


def test_nothing_is_nothing() -> None:
    assert recall_block([], 0, "ab") == ("", [])
