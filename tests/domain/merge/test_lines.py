"""JSON lines merged by their ids."""

from __future__ import annotations

import json
from functools import partial

from merging import sides

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.merge.file import merge_lines

PATH = "TAPE/shop/box-1a2b-202611.jsonl"


def line(name: str, ts: str = "2026-11-20", **more: str) -> str:
    return json.dumps({"id": name, "ts": ts, **more}) + "\n"


merge = partial(sides.merge, PATH)
merged_text = partial(sides.merged_text, PATH)


A, B, C, D = line("a"), line("b", "2026-11-21"), line("c", "2026-11-22"), line("d", "2026-11-23")


def test_new_lines_follow_the_old_ones_by_their_time() -> None:
    assert merged_text(C, C + D + A, C + B) == C + A + B + D


def test_times_that_are_numbers_are_ordered_as_numbers() -> None:
    nine, ten = '{"id": "y", "ts": 9}\n', '{"id": "x", "ts": 10}\n'
    assert merged_text(A, A + ten, A + nine) == A + nine + ten


def test_an_untouched_line_that_one_side_removed_is_gone() -> None:
    assert merged_text(A + B, B, A + B + C) == B + C


def test_an_edited_line_stays_against_a_deletion() -> None:
    edited = line("a", text="new")
    assert merged_text(A + B, B, edited + B) == edited + B


def test_two_edits_of_one_line_keep_one_and_put_the_other_aside() -> None:
    first, second = line("a", text="one"), line("a", text="two")
    merged = merge(A, first, second)
    assert merged.data == second.encode()
    assert [(a.kept + "\n", a.other + "\n") for a in merged.conflict_copies] == [(second, first)]


def test_a_tombstone_beats_the_line_it_names_and_stays() -> None:
    grave = '{"id": "a", "deleted": "2026-11-24"}\n'
    assert merged_text(A + B, A + B + grave, A + B + C) == B + grave + C
    assert merged_text(A + B, B + grave, line("a", text="edited") + B) == B + grave


def test_what_cannot_be_read_is_kept_as_it_is() -> None:
    assert merged_text(A, A + "not json\n", A + "[1, 2]\n" + B) == A + "[1, 2]\n" + "not json\n" + B


def test_a_torn_last_line_is_kept_and_never_glued() -> None:
    torn = '{"id": "b", "ts": "2026-'
    text = merged_text(A, A + torn, A + C)
    assert text.splitlines() == [A.strip(), torn, C.strip()]
    assert text.endswith("\n")


def test_a_line_torn_within_a_letter_is_kept_byte_for_byte() -> None:
    torn = '{"id": "é'.encode()[:-1]
    assert (
        merge_file(PATH, A.encode(), A.encode() + torn, (A + B).encode()).data
        == A.encode() + torn + b"\n" + B.encode()
    )


def test_lines_without_an_id_are_what_they_say() -> None:
    first, second = '{"x": 1}\n', '{"x": 2}\n'
    assert merged_text(first, first + second, first + second + first) == first + first + second


def test_an_id_that_two_lines_of_a_file_have_is_none() -> None:
    first, second = line("a", text="one"), line("a", text="two")
    assert sorted(merged_text("", first + second, second + B).splitlines(True)) == sorted([first, second, B])


def test_numbers_are_ids_too() -> None:
    assert merged_text("", '{"id": 7}\n', '{"id": 7}\n{"id": 8}\n').count('"id": 7') == 1


def test_line_ends_are_no_difference() -> None:
    merged = merged_text(A + B, (A + B).replace("\n", "\r\n"), A + B + C)
    assert merged.replace("\r\n", "\n") == A + B + C


def test_two_tombstones_of_one_line_are_both_kept() -> None:
    first, second = '{"id": "a", "deleted": "2026-11-24"}\n', '{"id": "a", "deleted": true}\n'
    assert merged_text(A + B, B + first, A + B + second) == B + first + second


def test_a_line_removed_here_does_not_return_because_the_line_ends_changed_there() -> None:
    assert merged_text(A + B, B, (A + B).replace("\n", "\r\n")) == B.replace("\n", "\r\n")


class TestWrittenAnew:
    """Another program may write all lines anew: their keys in another order, other blanks between them."""

    OLD = '{"id": "a", "name": "x", "meta": {"k": [1], "s": "é"}}\n'
    ANEW = '{"meta":{"s":"\\u00e9","k":[1]},"name":"x","id":"a"}\n'

    def test_the_same_line_added_on_both_sides_is_no_conflict(self) -> None:
        merged, copies = merge_lines("TAPE/a.jsonl", "", self.OLD, self.ANEW)
        assert (merged, copies) == (max(self.OLD, self.ANEW), [])

    def test_an_edit_of_the_other_side_is_taken(self) -> None:
        edited = self.OLD.replace('"x"', '"y"')
        assert merge_lines("TAPE/a.jsonl", self.OLD, self.ANEW, edited) == (edited, [])

    def test_a_deletion_of_the_other_side_holds(self) -> None:
        assert merge_lines("TAPE/a.jsonl", self.OLD, self.ANEW, "") == ("", [])

    def test_without_an_id_it_stands_there_once(self) -> None:
        old, anew = (text.replace('"id"', '"no"') for text in (self.OLD, self.ANEW))
        assert merge_lines("TAPE/a.jsonl", old, anew, old) == (anew, [])
        assert merge_lines("TAPE/a.jsonl", "", old, anew)[0].count("\n") == 1

    def test_another_number_is_another_line(self) -> None:
        first, second = '{"id": "a", "n": 1}\n', '{"n": 2, "id": "a"}\n'
        assert len(merge_lines("TAPE/a.jsonl", "", first, second)[1]) == 1
