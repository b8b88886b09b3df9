"""An entry is as old as its words: edited it is new, moved it isn't."""

from __future__ import annotations

from ctxrepo.domain.records.entry_moments import Moments, moments_in
from ctxrepo.domain.records.evidence import Evidence, Kind


def said(day: int, kind: Kind, entry: str, to: str = "", path: str = "shop/a.md", of: str = "") -> Evidence:
    return Evidence(f"{day}", f"2026-10-{day:02}T00:00:00.000Z", kind, entry, path, to, day=of)


def worded(*records: Evidence) -> dict[str, str]:
    return {name: known.worded[:10] for name, known in moments_in(records).items() if known.worded}


def test_an_entry_is_as_old_as_its_last_statement() -> None:
    assert worded(said(3, "stated", "a"), said(9, "stated", "a"))["a"] == "2026-10-09"
    assert worded(said(3, "stated", "a", of="2024-05-06"))["a"] == "2024-05-06"


def test_an_edit_makes_it_new_and_a_move_does_not() -> None:
    assert worded(said(1, "stated", "a"), said(5, "moved", "a", "b"))["b"] == "2026-10-05"
    moved = said(5, "moved", "a", "b", path="shop/other.md")
    assert worded(said(1, "stated", "a"), moved)["b"] == "2026-10-01"


def test_what_was_verified_and_contradicted_follows_the_entry() -> None:
    records = [said(1, "stated", "a"), said(2, "verified", "a"), said(3, "contradicted", "a")]
    moved = said(5, "moved", "a", "b", path="shop/other.md")
    found = moments_in([moved, *records])["b"]
    assert (found.verified[:10], found.contradicted[:10]) == ("2026-10-02", "2026-10-03")
    assert moments_in([said(2, "pinned", "a")]).get("a", Moments()) == Moments()
