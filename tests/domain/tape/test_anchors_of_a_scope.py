"""A tape is what its files say by now, in whatever order they are read, and names lead to one anchor."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.tape.anchors import Anchor, AnchorFilter, Tape, tape_of, to_line

OURS, BENS, PI = "TAPE/shop/ada-202611.jsonl", "TAPE/shop/ben-202611.jsonl", "TAPE/shop__anchors.jsonl"


def anchor(name: str, minute: int = 0, id_: str = "", **more: Any) -> Anchor:
    meta = {key: more.pop(key) for key in ("summary", "purpose", "keywords", "trigger") if key in more}
    when = f"2026-11-20T12:{minute:02}:00.000Z"
    values = {"type": "handoff", "session_id": "s-1", "session_entry_id": "e", "host": "ada", "meta": meta}
    return Anchor(**{"id": id_ or f"{name}-id", "timestamp": when, "name": name, **values, **more})


def lines(*anchors: Anchor) -> str:
    return "".join(to_line(anchor) + "\n" for anchor in anchors)


def grave(id_: str) -> str:
    return json.dumps({"id": id_, "deleted": "2026-11-20T13:00:00.000Z", "name": "x"}) + "\n"


def names(tape: Tape) -> list[str]:
    return [anchor.name for anchor in tape.anchors]


class TestWhatIsOnIt:
    def test_all_files_of_a_scope_by_time_and_what_stays_here(self) -> None:
        local = anchor("session/new", 1, type="session")
        tape = tape_of({OURS: lines(anchor("b", 2)), BENS: lines(anchor("a", 0))}, "shop", [local])
        assert names(tape) == ["a", "session/new", "b"]
        assert names(tape.handoffs) == ["a", "b"]

    def test_d62_a_tombstone_in_any_file_takes_an_anchor_off(self) -> None:
        files = {OURS: lines(anchor("a")) + grave("b-id"), BENS: lines(anchor("b", 1), anchor("c", 2))}
        assert names(tape_of(files, "shop")) == ["a", "c"]
        assert names(tape_of(files | {PI: grave("a-id")}, "shop")) == ["c"]

    def test_d52_what_stands_in_two_files_is_one_anchor_and_ours_tells_more(self) -> None:
        first = anchor("a", agent="claude", is_shared=True)
        marked = json.dumps(json.loads(to_line(first)) | {"pi": True}) + "\n"
        (result,) = tape_of(
            {PI: lines(anchor("a", host="")), OURS: marked}, "shop", anchors_file_writer="pi"
        ).anchors
        assert (result.agent, result.host) == ("claude", "ada")

    def test_what_was_deleted_on_pis_tape_is_gone_here_too(self) -> None:
        marked = json.dumps(json.loads(to_line(anchor("a"))) | {"pi": True}) + "\n"
        assert names(tape_of({OURS: marked, PI: ""}, "shop")) == []
        assert names(tape_of({OURS: marked, PI: lines(anchor("a"))}, "shop")) == ["a"]

    def test_what_stood_on_pis_tape_stays_when_its_file_goes(self) -> None:
        marked = json.dumps(json.loads(to_line(anchor("a"))) | {"pi": True}) + "\n"
        assert names(tape_of({OURS: marked}, "shop")) == ["a"]

    def test_what_pi_alone_left_is_of_pis_sessions(self) -> None:
        (result,) = tape_of({PI: lines(anchor("a", host=""))}, "shop", anchors_file_writer="pi").anchors
        assert result.agent == "pi"

    def test_hostile_lines_are_passed_over(self) -> None:
        odd = ["", "torn {", "[1]", '"x"', '{"name": 3, "type": "handoff"}', "\x00", '{"id": "a-id"}']
        text = "\n".join(odd) + "\n" + lines(anchor("a"))
        assert names(tape_of({OURS: text, BENS: '{"deleted": true}\n{"id": "", "deleted": 1}'}, "shop")) == [
            "a"
        ]

    def test_of_an_id_that_two_anchors_have_neither_is_hidden(self) -> None:
        tape = tape_of({OURS: lines(anchor("a", id_="same-id!"), anchor("b", 1, id_="same-id!"))}, "shop")
        assert names(tape) == ["a", "b"]
        assert tape.short_ids == {"same-id!": "same-id!"}


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=12), st.randoms())
def test_the_order_of_lines_and_files_makes_no_difference(deeds: list[tuple[str, bool]], rng: Any) -> None:
    written = [grave(f"{n}-id") if is_grave else lines(anchor(n, ord(n) - 97)) for n, is_grave in deeds]
    half = len(written) // 2
    tape = tape_of({OURS: "".join(written[:half]), BENS: "".join(written[half:])}, "shop")
    rng.shuffle(written)
    assert tape_of({BENS: "".join(written[:half]), OURS: "".join(written[half:])}, "shop") == tape


class TestNames:
    """W19: exact before a part, and of several the newest."""

    tape = Tape(
        (anchor("auth"), anchor("auth-old", 1), anchor("Task/Begin", 2), anchor("auth", 3, "x-1234567"))
    )

    def test_an_exact_name_comes_before_a_newer_one_that_holds_it(self) -> None:
        anchor = self.tape.called("auth")
        assert anchor
        assert anchor.id == "x-1234567"

    def test_a_part_whatever_its_case_means_the_newest(self) -> None:
        anchor = self.tape.like("task/")
        assert anchor
        assert anchor.name == "Task/Begin"
        assert self.tape.like("nosuch") is None
        assert self.tape.like("") is None

    @pytest.mark.parametrize("given", ["x-1234567", "^x-1234567", "^x-123456", "auth-old-id"])
    def test_an_id_or_what_alone_begins_with_it(self, given: str) -> None:
        assert self.tape.with_id(given)

    @pytest.mark.parametrize("given", ["x-12345", "auth", "^", ""])
    def test_less_than_a_short_id_names_nothing(self, given: str) -> None:
        assert self.tape.with_id(given) is None

    def test_a_short_id_is_as_long_as_it_takes(self) -> None:
        tape = Tape(
            (anchor("a", id_="12345678-aaaa"), anchor("b", id_="12345678-abbb"), anchor("c", id_="9"))
        )
        assert tape.short_ids == {"12345678-aaaa": "12345678-aa", "12345678-abbb": "12345678-ab", "9": "9"}
        assert all(tape.with_id(short) for short in tape.short_ids.values())


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({"name": "BEGIN"}, True),
        ({"name": "begin/x"}, False),
        ({"type": "handoff"}, True),
        ({"type": "hand"}, False),
        ({"summary": "move the"}, True),
        ({"purpose": "GO"}, True),
        ({"purpose": "stay"}, False),
        ({"keywords": ("refactor", "Migration")}, True),
        ({"keywords": ("refactor", "migr")}, False),
        ({"words": ("migration",)}, True),
        ({"words": ("keyword",)}, True),
        ({"words": ("handoff",)}, True),
        ({"words": ("nothing",)}, False),
        ({"words": ("GO", "basket")}, True),
        ({"words": ("go", "nothing")}, False),
        ({"name": "begin", "type": "session"}, False),
        ({}, True),
    ],
)
def test_d59_filters_of_anchors(wanted: dict[str, Any], fits: bool) -> None:
    words = ["Refactor", "migration"]
    task = anchor("task/begin", keywords=words, summary="Move the basket", purpose="go on", trigger="keyword")
    assert AnchorFilter(**wanted).fits(task) is fits


def test_d59_what_is_handed_over_is_found_too() -> None:
    meta = {"handoff": {"goal": "Move the basket", "open": ["Ask the bank"]}}
    handoff = anchor("handoff/session")
    assert AnchorFilter(words=("BANK", "the")).fits(replace(handoff, meta=meta))
    assert not AnchorFilter(words=("the", "bank")).fits(handoff)
