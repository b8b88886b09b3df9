"""Which new text is the edit of which old one, among neighbours that are much alike."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import pytest
from merging import sides

from ctxrepo.domain.merge import MergedFile, merge_file
from ctxrepo.domain.note.entry import derived_id
from ctxrepo.domain.records.evidence import Evidence, Kind

PATH = "shop/topics/ports.md"
NAMES = ("basket", "payment", "search", "mail")
merge = partial(sides.merge, PATH)
merged_text = partial(sides.merged_text, PATH)


def line(name: str, port: int | str) -> str:
    return f"- The {name} service listens on port {port} in staging\n"


BASE = "".join(line(name, 8081 + number) for number, name in enumerate(NAMES))


def edited(text: str, name: str, port: int | str) -> str:
    was = next(each for each in text.splitlines(keepends=True) if name in each)
    return text.replace(was, line(name, port))


def said(kind: Kind, old: str, to: str = "", path: str = PATH, key: str = "") -> Evidence:
    names = [derived_id(path, (), text.strip("- \n"), 1) if text else "" for text in (old, to)]
    return Evidence("x", f"2026-11-2{len(to) % 10}", kind, names[0], path, names[1], key=key)


def told(base: str, ours: str, theirs: str, *records: Evidence) -> MergedFile:
    """What the note becomes, whichever side is called ours, and after each of them met it once more."""
    merge = partial(merge_file, PATH, evidence=lambda: records)
    merged = merge(base.encode(), ours.encode(), theirs.encode())
    assert merged == merge(base.encode(), theirs.encode(), ours.encode())
    for side in (ours, theirs):
        again = merge(base.encode(), merged.data, side.encode())
        assert sorted((again.data or b"").splitlines()) == sorted((merged.data or b"").splitlines())
        assert {copy.other for copy in again.conflict_copies} <= {c.other for c in merged.conflict_copies}
    return merged


class TestByPlace:
    def test_of_two_edits_of_the_line_between_the_same_neighbours_one_is_put_aside(self) -> None:
        merged = merge(BASE, edited(BASE, "payment", 9182), edited(BASE, "payment", 9282))
        assert merged.data == edited(BASE, "payment", 9282).encode()
        assert [copy.other for copy in merged.conflict_copies] == [line("payment", 9182).rstrip()]

    def test_a_line_that_came_elsewhere_is_no_edit_of_the_one_that_went(self) -> None:
        ours = BASE.replace(line("payment", 8082), "") + line("wiki", 8090)
        text = merged_text(BASE, ours, edited(BASE, "payment", "8082 since May"))
        assert line("payment", "8082 since May") in text
        assert line("wiki", 8090) in text

    def test_of_two_that_came_where_one_went_neither_is_its_edit_for_certain(self) -> None:
        ours = BASE.replace(line("payment", 8082), line("wiki", 8090) + line("chat", 8091))
        text = merged_text(BASE, ours, edited(BASE, "payment", "8082 since May"))
        assert [name for name in ("wiki", "chat", "since May") if name not in text] == []

    def test_what_is_quite_another_thing_is_no_edit_wherever_it_stands(self) -> None:
        ours = BASE.replace(line("payment", 8082), "- deploy with make ship\n")
        text = merged_text(BASE, ours, edited(BASE, "payment", "8082 since May"))
        assert "make ship" in text
        assert "since May" in text


class TestByKey:
    KEYED = "- owner: Ada\n- db.port: the database listens on port 5432\n- deploy: make ship\n"

    def test_two_values_of_a_key_are_two_edits_of_it(self) -> None:
        ours, theirs = (
            self.KEYED.replace("the database listens on port 5432", v) for v in ("6000", "managed")
        )
        merged = merge(self.KEYED, ours, theirs)
        assert merged.data == theirs.encode()
        assert [copy.other for copy in merged.conflict_copies] == ["- db.port: 6000"]

    def test_a_word_before_a_colon_that_several_have_is_no_key(self) -> None:
        base = "- Open: write the tests of the cart\n- Open: ask Ben about VAT\n"
        ours = base.replace("ask Ben about VAT", "upgrade all that is old")
        theirs = base.replace("ask Ben about VAT", "call the bank")
        assert merged_text(base, ours, theirs).count("Open") == 3

    def test_keys_that_differ_in_case_are_two_where_both_are_there(self) -> None:
        base = "- Port: 1, of the old machine\n- port: 2, of the new machine\n"
        ours = base.replace("1, of the old machine", "seven")
        theirs = base.replace("2, of the new machine", "eight")
        assert merged_text(base, ours, theirs) == "- Port: seven\n- port: eight\n"

    def test_a_key_that_was_spelt_anew_is_the_same_key(self) -> None:
        ours, theirs = (
            self.KEYED.replace("db.port: the database listens on port 5432", v)
            for v in ("DB.port: 1", "db.port: two")
        )
        assert len(merge(self.KEYED, ours, theirs).conflict_copies) == 1

    def test_a_key_that_both_gave_first_while_apart_has_one_value(self) -> None:
        ours, theirs = (f"{BASE}- {text}\n" for text in ("cache: Redis 7", "cache: none at all"))
        record = said("stated", "cache: Redis 7", key="cache")
        merged = told(BASE, ours, theirs, record)
        assert merged.data == theirs.encode()
        assert [copy.other for copy in merged.conflict_copies] == ["- cache: Redis 7"]

    def test_a_word_before_a_colon_is_no_key_while_no_command_gave_it(self) -> None:
        ours, theirs = (f"{BASE}- {text}\n" for text in ("Note: Redis 7", "Note: none at all"))
        assert told(BASE, ours, theirs, said("stated", "Note: Redis 7")).conflict_copies == ()
        elsewhere = said("stated", "Note: Redis 7", path="global/MEMORY.md", key="Note")
        assert told(BASE, ours, theirs, elsewhere).conflict_copies == ()


class TestByRecord:
    OURS = line("ledger", 1)
    THEIRS = line("till", 2)

    @pytest.mark.parametrize("more", ["", line("wiki", 9)], ids=["alone", "with a new neighbour"])
    def test_what_a_command_edited_is_an_edit_however_the_words_changed(self, more: str) -> None:
        ours = BASE.replace(line("payment", 8082), more + self.OURS)
        theirs = BASE.replace(line("payment", 8082), self.THEIRS + more.replace("wiki", "chat"))
        records = [said("moved", line("payment", 8082), text) for text in (self.OURS, self.THEIRS)]
        merged = told(BASE, ours, theirs, *records)
        assert [copy.other for copy in merged.conflict_copies] == [self.OURS.rstrip()]
        assert self.OURS not in (merged.data or b"").decode()

    def test_it_is_followed_over_several_edits_and_a_new_name_of_the_note(self) -> None:
        there = "shop/topics/old.md"
        ours = BASE.replace(line("payment", 8082), "") + "- quite another thing\n"
        records = [
            said("moved", line("payment", 8082), self.THEIRS, there),
            said("moved", self.THEIRS, "- quite another thing\n", there),
            Evidence("y", "2026-11-28", "renamed", "", there, PATH),
        ]
        merged = told(BASE, ours, edited(BASE, "payment", "8082 since May"), *records)
        assert len(merged.conflict_copies) == 1

    def test_one_that_was_edited_and_stands_under_another_heading_is_the_same(self) -> None:
        base = f"## Ports\n\n{BASE}\n## Old\n\n- x\n"
        ours = base.replace(line("payment", 8082), "").replace("- x\n", f"- x\n{self.OURS}")
        theirs = base.replace(line("payment", 8082), self.THEIRS)
        ids = [
            derived_id(PATH, (title,), text.strip("- \n"), 1)
            for title, text in (("Ports", line("payment", 8082)), ("Old", self.OURS), ("Ports", self.THEIRS))
        ]
        records = [Evidence("x", "2026", "moved", ids[0], PATH, new) for new in ids[1:]]
        assert len(told(base, ours, theirs, *records).conflict_copies) == 1


def test_no_two_versions_of_what_commands_edited_stay_in_one_note() -> None:
    for seed in range(60):
        assert list(_rivals(Random(seed))) == [], f"seed {seed}"


def _rivals(rng: Random) -> Iterator[str]:
    """What is wrong with the merge of two machines' edits, additions and removals, in random places."""
    records: list[Evidence] = []
    left, edits = zip(*(_left(rng, side, records) for side in ("a", "b")), strict=True)
    merged = told(BASE, *left, *records)
    text, aside = (merged.data or b"").decode(), {copy.other + "\n" for copy in merged.conflict_copies}
    for old in edits[0].keys() | edits[1].keys():
        versions = {side[old] for side in edits if old in side}
        if len(there := [version for version in versions if version in text]) != 1:
            yield f"{there} of {versions} in {text}"
        yield from (f"lost {version}" for version in versions if version not in text and version not in aside)


def _left(rng: Random, side: str, records: list[Evidence]) -> tuple[str, dict[str, str]]:
    """(the note as a machine left it, old line -> its edit)."""
    text, edits = BASE, {}
    for number, name in enumerate(NAMES):
        old = line(name, 8081 + number)
        what = rng.choice(["edit", "edit", "add", "drop", "keep"])
        if what == "edit":
            edits[old] = line(rng.choice([name, f"{side}{name}"]), f"{side}{rng.randrange(9)}")
            records.append(said("moved", old, edits[old]))
        elif what == "add":
            records.append(said("stated", line(f"new-{side}{number}", 7)))
        elif what == "drop":
            records.append(said("forgotten", old))
        new = {"edit": edits.get(old, ""), "add": old + line(f"new-{side}{number}", 7), "drop": ""}
        text = text.replace(old, new.get(what, old))
    return text, edits
