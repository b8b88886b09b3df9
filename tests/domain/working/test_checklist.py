"""Items are found, ticked, added and cleared, and every line that is none of them keeps its bytes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.working.checklist import Item, added, cleared, item_line, items_of, ticked
from ctxrepo.errors import Refused, UsageError

PATH = "shop/SCRATCHPAD.md"

BOXES = [
    "- [ ] one",
    "- [x] two",
    "* [X] three",
    "  - [ ] below",
    "  - [x] below, done",
    "\t* [x] deep",
    "1. [ ] n",
]
BY_HAND = [
    "", "# Today", "## Later", "- plain", "  - plain below", "  goes on", "prose", "```", "~~~", "    deep",
    "    - [ ] four in", "***", "-[ ] none", "- [] none", "- [y] none", "> - [ ] quoted", "caf\udce9",
    "  ```", "`- [ ] code`", "<!-- ^0123456789ab -->",
]  # fmt: skip
ABOUT = ["<!-- 2026-01-02 10:00:00 [abcd1234] -->", "<!-- open", "-->"]
HEADS = st.sampled_from(["", "---\ndescription: x\n---\n", "---\na: b\n---", "\ufeff---\r\na: b\r\n---\r\n"])
SAID = st.sampled_from(
    ["buy milk", "buy milk\nand bread", "- [ ] boxed", "x", "Über\r\n\r\nalles", "[link](a)"]
)


def texts(lines: list[str]) -> st.SearchStrategy[str]:
    """Notes of these lines, with either line end and with or without a last one."""
    newline = st.sampled_from(["\n", "\r\n"])
    body = st.tuples(st.lists(st.sampled_from(lines), max_size=12), newline, st.booleans())
    joined = body.map(lambda b: b[1].join(b[0]) + (b[1] if b[2] else ""))
    return st.tuples(HEADS, joined).map("".join)


ANY = texts([*BOXES, *BY_HAND, *ABOUT])
PLAIN = texts([*BOXES, *BY_HAND])
"""Without comments, which may be about an item."""


def said(text: str) -> list[tuple[str, bool]]:
    return [(item.text, item.is_done) for item in items_of(PATH, text)]


def one(text: str, words: str) -> Item:
    return next(item for item in items_of(PATH, text) if item.text == words)


def is_left(before: str, after: str) -> bool:
    """Whether the lines of `before` that are no items stand in `after` in their order, to the byte."""
    items = {i for item in items_of(PATH, before) for i in _own(item)}
    kept = [line.rstrip("\r\n") for i, line in enumerate(lines_of(before)) if i not in items]
    there = iter(line.rstrip("\r\n") for line in lines_of(after))
    return all(line in there for line in kept if line)


def _own(item: Item) -> range:
    return range(item.line, item.line + 1 + item.text.count("\n"))


class TestFinding:
    @pytest.mark.parametrize(
        ("text", "items"),
        [
            ("- [ ] a\n* [X] b\n+ [x] c\n1. [ ] d\n", [("a", False), ("b", True), ("c", True), ("d", False)]),
            ("- [ ] a\n  - [x] b\n    - [ ] c\n", [("a", False), ("b", True), ("c", False)]),
            ("- [ ] a\r\n  more\r\n- [x]\r\n", [("a\nmore", False), ("", True)]),
            ("- plain\n  - [ ] a\n", [("a", False)]),
            ("prose\n    - [ ] a\n", []),
            ("- [] a\n-[ ] b\n- [y] c\n- [ ]d\n> - [ ] e\n[ ] f\n", []),
            ("```\n- [ ] a\n```\n- [ ] b\n", [("b", False)]),
            ("- [ ] a\n  ```\n  - [ ] code\n  ```\n- [ ] b\n", [("a", False), ("b", False)]),
            ("<!--\n- [ ] a\n-->\n- [ ] b\n", [("b", False)]),
            ("- x\n  <!--\n  - [ ] a\n  -->\n  - [ ] b\n", [("b", False)]),
            ("---\ntags: [x]\ndescription: |\n  - [ ] a\n---\n- [ ] b\n", [("b", False)]),
            ("- [ ] a <!-- ^0123456789ab -->\n", [("a", False)]),
        ],
    )
    def test_what_is_an_item(self, text: str, items: list[tuple[str, bool]]) -> None:
        assert said(text) == items

    def test_a_top_level_item_has_the_id_of_its_entry(self) -> None:
        text = "---\ndescription: x\n---\n\n# A\n\n- [ ] one\n  - [ ] two\n- [x] three <!-- ^mine -->\n"
        by_text = {item.text: item for item in items_of(PATH, text)}
        by_line = {entry.first_line: entry.id for entry in entries_of(PATH, text)}
        assert {by_text[w].id for w in ("one", "three")} == set(by_line.values())
        assert by_text["three"].id == "mine"
        assert by_text["two"].id not in by_line.values()
        assert [by_text[w].depth for w in ("one", "two", "three")] == [0, 1, 0]

    def test_an_id_that_somebody_noted_outlives_an_update(self) -> None:
        """Machines with other releases share the list, too."""
        items = items_of(PATH, "- [ ] one\n  - [ ] two\n  - [ ] two\n")
        assert [item.id for item in items] == ["9c451e675369", "4903f77bcf16", "b135b7f2cf9c"]

    @given(ANY)
    def test_ids_tell_items_apart(self, text: str) -> None:
        ids = [item.id for item in items_of(PATH, text) if item.id != "0123456789ab"]
        assert len(ids) == len(set(ids))

    @given(ANY)
    def test_items_lie_within_the_note_and_within_each_other(self, text: str) -> None:
        count = len(lines_of(text))
        items = items_of(PATH, text)
        for item in items:
            assert 0 <= item.first <= item.line < item.end <= count
        for a, b in pairwise(items):
            assert a.line < b.line
            assert b.end <= a.end or b.line >= a.end


class TestTicking:
    @given(ANY)
    def test_undone_it_is_what_it_was_to_the_byte(self, text: str) -> None:
        for item in items_of(PATH, text):
            if not item.is_done:
                done = ticked(text, item, is_done=True)
                assert sum(a != b for a, b in zip(text, done, strict=True)) == 1
                (again,) = (i for i in items_of(PATH, done) if i.line == item.line)
                assert again.is_done
                assert ticked(done, again, is_done=False) == text

    def test_it_keeps_its_id(self) -> None:
        text = "- [ ] one\n"
        item = one(text, "one")
        assert one(ticked(text, item, is_done=True), "one").id == item.id


class TestAdding:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("", "- [ ] new\n"),
            ("- [ ] a", "- [ ] a\n- [ ] new\n"),
            ("* [x] a\n  - [ ] b\n\n# C\n\nprose\n", "* [x] a\n  - [ ] b\n- [ ] new\n\n# C\n\nprose\n"),
            ("# A\r\n\r\n- [ ] a\r\n", "# A\r\n\r\n- [ ] a\r\n- [ ] new\r\n"),
            ("- [ ] a\n## B\n- [ ] b\n\n## C\n- c\n", "- [ ] a\n## B\n- [ ] b\n- [ ] new\n\n## C\n- c\n"),
            ("- [ ] a\nlazy\n\nprose\n", "- [ ] a\nlazy\n- [ ] new\n\nprose\n"),
            ("- [ ] a\n<!-- c -->\n", "- [ ] a\n<!-- c -->\n\n- [ ] new\n"),
            ("- [ ] a\n  ```\n  code\n", "- [ ] a\n  ```\n  code\n  ```\n- [ ] new\n"),
            ("# Plan\n\nprose\n", "# Plan\n\nprose\n\n- [ ] new\n"),
        ],
    )  # fmt: skip
    def test_where_it_goes(self, before: str, after: str) -> None:
        assert added(before, "- [ ] new") == after

    def test_a_comment_that_nothing_closes_is_told(self) -> None:
        with pytest.raises(Refused):
            added("- [ ] a\n  <!--\n", "- [ ] new")

    @given(ANY, SAID)
    def test_one_item_more_and_all_lines_as_they_were(self, text: str, words: str) -> None:
        try:
            new = added(text, item_line(words))
        except Refused:
            assume(False)
        lines = iter(lines_of(new))
        for line in lines_of(text):
            assert any(line.rstrip("\r\n") == there.rstrip("\r\n") for there in lines), (line, new)
        before, after = said(text), said(new)
        assert any(after[:i] + after[i + 1 :] == before for i, item in enumerate(after) if not item[1])

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (" buy milk ", "- [ ] buy milk"),
            ("- [x] boxed", "- [ ] boxed"),
            ("* starred", "- [ ] starred"),
            ("one\n\n\ttwo\r\nthree", "- [ ] one\n  two\n  three"),
            ("[a](b) is broken", "- [ ] [a](b) is broken"),
            ("# 12 fails", "- [ ] # 12 fails"),
        ],
    )
    def test_the_line(self, words: str, line: str) -> None:
        assert item_line(words) == line

    @pytest.mark.parametrize(
        "words",
        [
            "",
            " \n ",
            "- [ ] ",
            "-",
            "1.",
            "one\n- two",
            "one\n- [ ] two",
            "a\n```\ncode",
            "a\n<!-- b",
            "a\n<!-- b -->",
            "a\n1. b",
        ],
    )
    def test_what_is_more_than_an_item_or_nothing(self, words: str) -> None:
        with pytest.raises(UsageError):
            item_line(words)

    @given(st.text(), ANY)
    def test_any_text_is_one_item_or_refused(self, words: str, text: str) -> None:
        try:
            new = added(text, item_line(words))
        except (UsageError, Refused):
            return
        assert len(said(new)) == len(said(text)) + 1


class TestClearing:
    @pytest.mark.parametrize(
        ("before", "after", "stays"),
        [
            ("- [x] a\n- [ ] b\n* [X] c\n", "- [ ] b\n", []),
            ("- [x] a\n  more\n- [ ] b", "- [ ] b", []),
            ("- [x] a\n  - [x] b\n- c\n", "- c\n", []),
            ("- [x] a\n  - [ ] b\n", "- [x] a\n  - [ ] b\n", ["a"]),
            ("- [ ] a\n  - [x] b\n    - [x] c\n", "- [ ] a\n", []),
            ("- [x] a\n  - note\n  - [x] b\n", "- [x] a\n  - note\n", ["a"]),
            ("- [x] a\n  ```\n  x\n  ```\n", "- [x] a\n  ```\n  x\n  ```\n", ["a"]),
            ("- [x] a\n\n  a paragraph\n", "- [x] a\n\n  a paragraph\n", ["a"]),
            ("- [x] a\nlazy\n", "- [x] a\nlazy\n", ["a"]),
            ("<!-- c -->\n- [x] a\n<!-- d -->\n- [ ] b\n", "<!-- d -->\n- [ ] b\n", []),
            ("- [x] a\n  <!-- c -->\n  - [x] b\n# H\n", "# H\n", []),
            ("- [x] a\n  <!-- c -->\n- [ ] b\n", "- [x] a\n  <!-- c -->\n- [ ] b\n", ["a"]),
            ("<!-- c -->\n<!-- d -->\n- [x] a\n- [ ] b\n", "<!-- c -->\n\n- [ ] b\n", []),
            ("# H\r\n\r\n- [x] a\r\n\r\nprose\r\n", "# H\r\n\r\n\r\nprose\r\n", []),
            ("```\n- [x] a\n```\n", "```\n- [x] a\n```\n", []),
            ("- [x] a\n\t* [x] b\n    c\n", "- [x] a\n\t* [x] b\n    c\n", ["a", "b"]),
        ],
    )
    def test_what_goes_and_what_stays(self, before: str, after: str, stays: list[str]) -> None:
        text, gone, stay = cleared(PATH, before)
        assert text == after
        assert [item.text for item in stay] == stays
        assert all(item.is_done for item in [*gone, *stay])

    @given(ANY)
    def test_open_items_stay_and_done_ones_go_or_are_told(self, text: str) -> None:
        new, gone, stays = cleared(PATH, text)
        assert {i.line for i in items_of(PATH, text) if i.is_done} == {i.line for i in [*gone, *stays]}
        assert not {i.line for i in gone} & {i.line for i in stays}
        assert new.count("[ ]") == text.count("[ ]")
        if not gone:
            assert new == text

    @given(PLAIN)
    @example("- [x] two\n\t* [x] deep\n    deep")
    def test_what_somebody_wrote_stays(self, text: str) -> None:
        assert is_left(text, cleared(PATH, text)[0])


@given(PLAIN, st.lists(st.one_of(SAID, st.integers(0, 9), st.just(None)), max_size=8))
@example("- [x] two\n- plain\n", [None, "x", 0, None])
def test_whatever_is_done_in_a_row_what_somebody_wrote_stays(text: str, acts: list[str | int | None]) -> None:
    for act in acts:
        items = items_of(PATH, text)
        if act is None:
            new = cleared(PATH, text)[0]
        elif isinstance(act, str):
            try:
                new = added(text, item_line(act))
            except Refused:
                continue
        elif items:
            item = items[act % len(items)]
            new = ticked(text, item, not item.is_done)
        else:
            continue
        assert is_left(text, new), new
        text = new
