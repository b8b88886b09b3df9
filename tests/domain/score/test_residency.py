"""How much of each page is resident: the least first, then upgrades in one order, within a budget."""

from __future__ import annotations

from random import Random
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.score.residency import LEAST, Page, PageKind, Residency, resident


def page(
    name: str,
    kind: PageKind = "fact",
    sizes: tuple[int, int, int, int] = (0, 10, 40, 100),
    place: int = 0,
    updated: str = "",
    *,
    is_pinned: bool = False,
) -> Page:
    return Page(name, f"{name}.md", kind, is_pinned, "", "", updated, "", place, sizes)


def levels(residency: Residency) -> dict[str, str]:
    return {page.id: fidelity for page, fidelity in residency.pages}


def test_with_room_for_all_everything_is_full() -> None:
    residency = resident([page("a"), page("b", "log"), page("c", "evidence")], 1000)
    assert levels(residency) == {"a": "full", "b": "full", "c": "full"}
    assert (residency.used, residency.dropped) == (300, [])


def test_what_is_left_raises_pages_in_the_order_of_their_kinds() -> None:
    pages = [page("log", "log"), page("fact"), page("choice", "decision"), page("task", "task")]
    assert levels(resident(pages, 230)) == {
        "task": "full",
        "choice": "full",
        "fact": "pointer",
        "log": "pointer",
    }


def test_within_a_kind_score_decides_then_the_newer_one() -> None:
    best = page("best", place=1, updated="2020-01-01")
    new = page("new", place=5, updated="2026-01-01")
    old = page("old", place=5, updated="2020-01-01")
    assert [page.id for page, _ in resident([old, new, best], 130).pages] == ["best", "new", "old"]
    assert levels(resident([old, new, best], 120)) == {"best": "full", "new": "pointer", "old": "pointer"}


def test_without_room_for_the_least_the_last_ones_go_and_pinned_ones_stay() -> None:
    pages = [page("pin", is_pinned=True), page("a", place=1), page("b", place=2), page("task", "task")]
    residency = resident(pages, 145)
    assert levels(residency) == {"pin": "full", "task": "structured", "a": "absent", "b": "absent"}
    assert [page.id for page in residency.dropped] == ["b", "a"], "a budget fault"
    assert levels(resident(pages, 20)) == {"pin": "absent", "task": "absent", "a": "absent", "b": "absent"}


_SIZES = st.lists(st.integers(0, 90), min_size=3, max_size=3).map(lambda sizes: (0, *sorted(sizes)))
_PAGES = st.lists(
    st.builds(
        page,
        st.text("abcdef", min_size=1, max_size=6),
        st.sampled_from(get_args(PageKind)),
        _SIZES,
        is_pinned=st.booleans(),
        place=st.integers(0, 9),
        updated=st.sampled_from(["", "2026-01-01", "2026-02-01", "soon"]),
    ),
    max_size=12,
    unique_by=lambda page: page.id,
)


@given(_PAGES, st.integers(0, 600), st.randoms())
def test_laws(pages: list[Page], budget: int, random: Random) -> None:
    residency = resident(pages, budget)
    shuffled = [*pages]
    random.shuffle(shuffled)
    assert resident(shuffled, budget) == residency, "the same pages, the same residency"
    assert residency.used == sum(page.tokens(fidelity) for page, fidelity in residency.pages) <= budget
    assert {page.id for page, _ in residency.pages} == {page.id for page in pages}
    least = sum(page.tokens(page.least) for page in pages)
    if least <= budget:
        assert not residency.dropped, "where the least of all pages fits there is no fault"
        order = ("absent", "pointer", "structured", "full")
        assert all(order.index(fidelity) >= order.index(page.least) for page, fidelity in residency.pages)


def test_every_kind_has_its_least_fidelity() -> None:
    assert {*LEAST} == {*get_args(PageKind)}
