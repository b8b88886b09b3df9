"""Records, claims and contents, taken back."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.formats.jsonl import records, render
from ctxrepo.domain.guard.takeback import difference, emptied, keeping_claims, units, without_records
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note.note import decode, encode
from ctxrepo.domain.project.registry import parse

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def lines(ids: list[str]) -> str:
    return "".join(render({"id": name, "said": name}) + "\n" for name in ids)


def told(text: str) -> set[str]:
    return {r["id"] for r in records(text)}


@given(IDS, IDS, IDS)
def test_records_that_came_are_gone_and_all_others_stay(
    before: list[str], come: list[str], later: list[str]
) -> None:
    come = [name for name in come if name not in before]
    later = [name for name in later if name not in (*before, *come)]
    after = lines([*before, *come])
    now = after + lines(later)
    back = without_records(now, lines(before), after)
    assert told(back) == {*before, *later}
    assert back.startswith(now)  # appended to, so that other machines merge it
    again = without_records(back, now, back)
    assert told(again) == told(now)


@given(IDS, IDS)
def test_another_machine_that_added_meanwhile_agrees(come: list[str], later: list[str]) -> None:
    later = [name for name in later if name not in come]
    after = lines(come)
    back, theirs = without_records(after, "", after), after + lines(later)
    merged = merge_file("x.jsonl", encode(after), encode(back), encode(theirs)).data
    assert told(decode(merged or b"")) == set(later)


def test_a_line_that_has_no_id_is_taken_out() -> None:
    assert without_records("not json\n{}\n", "", "not json\n") == "{}\n"


def test_a_record_that_is_gone_by_now_needs_no_tombstone() -> None:
    assert without_records(lines(["b"]), "", lines(["a"])) == lines(["b"])


def test_projects_stay_registered_and_what_else_changed_does_not() -> None:
    none, shop = "format = 1\n", 'format = 1\n[projects]\n"x/shop" = "shop"\n'
    assert keeping_claims(none, shop, shop) == shop
    store = shop.replace('"shop"\n', '"store"\n')
    assert parse(keeping_claims(shop, store, store)).projects == {"x/shop": "shop"}


def test_a_project_that_is_registered_again_meanwhile_needs_nothing() -> None:
    none, shop = "format = 1\n", 'format = 1\n[projects]\n"x/shop" = "shop"\n'
    assert keeping_claims(shop, none, shop) == none
    assert keeping_claims(shop, none, none) == shop
    assert keeping_claims(shop, none, shop.replace('= "shop"', '= "store"')) == shop


def test_what_a_note_says_is_its_entries_and_its_head_without_dates() -> None:
    note = b"---\ndescription: d\ntags: [a, b]\nupdated: 2026-01-01\n---\n# T\n\n- one\n- one\n"
    assert units("x.md", note) == Counter({"one": 2, "description: d": 1, "tags: a": 1, "tags: b": 1})
    assert units("x.md", None) == Counter()
    assert difference(Counter("aab"), Counter("abc")) == ["a", "c"]
    assert emptied(note.decode()) == note.decode().partition("# T")[0] + "\n"
    assert emptied("- one\n") == ""
