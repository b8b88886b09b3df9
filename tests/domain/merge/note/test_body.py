"""How often a text stays, what counts as its edit, and when a version stays as it is."""

from __future__ import annotations

import time
from functools import partial

import pytest
from merging import sides

from ctxrepo.domain.merge import merge_file

PATH = "shop/topics/build.md"


merge = partial(sides.merge, PATH)
merged_text = partial(sides.merged_text, PATH)


def test_a_removed_copy_does_not_return_because_another_one_was_moved() -> None:
    base = "## A\n\n- again\n- again\n- x\n\n## B\n\n- y\n"
    ours = "## A\n\n- x\n\n## B\n\n- y\n"
    theirs = "## A\n\n- again\n- x\n\n## B\n\n- y\n- again\n"
    assert merged_text(base, ours, theirs) == ours


def test_what_is_said_again_under_another_heading_stays_where_the_other_removed_it() -> None:
    base = "## A\n\n- again\n- x\n\n## B\n\n- y\n"
    ours = base + "- again\n"
    theirs = base.replace("- again\n", "")
    assert merged_text(base, ours, theirs) == ours
    assert merged_text(base, ours, ours) == ours


def test_one_text_said_under_two_new_headings_stays_under_both() -> None:
    base = "# T\n"
    ours, theirs = base + "\n## Lint\n\n- none\n", base + "\n## Types\n\n- none\n"
    assert merged_text(base, ours, theirs).count("- none\n") == 2


def test_among_entries_of_one_form_a_new_one_is_no_edit_of_a_removed_one() -> None:
    base = "- port 8080 is used by shop\n- port 8081 is used by blog\n- port 8082 is used by mail\n"
    ours = base.replace("- port 8081 is used by blog\n", "") + "- port 8090 is used by wiki\n"
    theirs = base.replace("blog", "blog since May")
    text = merged_text(base, ours, theirs)
    assert "8081 is used by blog since May\n" in text
    assert "8090 is used by wiki\n" in text


def test_an_entry_whose_words_no_other_has_is_edited_however_short() -> None:
    base = "- Use make\n- Tests need Postgres 16\n"
    merged = merge(base, base.replace("16", "17"), base.replace("16", "15"))
    assert [copy.other for copy in merged.conflict_copies] == ["- Tests need Postgres 15"]


def test_white_space_is_no_edit_of_what_the_other_removed() -> None:
    base = "- one thing\n- two  things\n"
    assert merged_text(base, "- one thing\n", "- one thing\n- two things\n") == "- one thing\n"


def test_a_box_that_was_ticked_is_not_lost_against_an_id() -> None:
    base = "- [ ] sign the wheels\n"
    merged = merge(base, "- [x] sign the wheels\n", "- [ ] sign the wheels <!-- ^sw -->\n")
    text = (merged.data or b"").decode() + "".join(copy.other for copy in merged.conflict_copies)
    assert "[x]" in text
    assert "^sw" in text


def test_a_heading_that_stands_twice_was_not_renamed() -> None:
    base = "## Notes\n\n- one thing\n\n## Notes\n\n- two things\n"
    ours = base.replace("## Notes\n\n- two", "## Notes on two\n\n- two")
    text = merged_text(base, ours, base + "- quite another\n")
    assert text.count("- quite another\n") == 1
    assert merged_text(base, text, ours) == text


def test_a_version_that_holds_the_others_changes_stays_to_the_byte() -> None:
    base = "# T\n\n- one thing\n- two things\n"
    ours = "# T\n\n- two things\n- one thing\n"
    theirs = "# T\n\n\n\n- three more\n- two things\n- one thing\n\n- quite another"
    assert merged_text(base, ours, theirs) == theirs


def test_a_version_that_holds_the_entries_but_not_the_order_takes_it() -> None:
    base = "- one thing\n- two things\n- three more\n"
    ours = "- three more\n- one thing\n- two things\n"
    assert merged_text(base, ours, base + "- quite another\n").startswith("- three more\n")


def _merged_with(size: int) -> tuple[bytes, float]:
    """A note of so many entries that both sides changed, merged, and the seconds of a processor it took."""
    lines = [f"- fact {n} says w{n * 7919 % 3001} of w{n * 104729 % 2999}" for n in range(size)]
    base = "# T\n\n" + "\n".join(lines) + "\n"
    ours = base.replace(" says w77 ", " says now w77 ") + "- added here\n"
    theirs = base.replace("- fact 77 says", "- fact 77 told") + "- added there\n"
    began = time.process_time()
    merged = merge_file(PATH, base.encode(), ours.encode(), theirs.encode()).data or b""
    return merged, time.process_time() - began


@pytest.mark.slow
def test_a_note_of_eight_thousand_entries_takes_no_longer_for_each_than_a_small_one() -> None:
    _, few = _merged_with(1_000)
    merged, many = _merged_with(8_000)
    assert many < few * 8 * 3  # the square would be 64 times as long
    assert b"- added here\n" in merged
    assert b"- added there\n" in merged


def test_a_merged_version_that_meets_a_side_again_keeps_its_headings() -> None:
    base = "# Shop front\n\n- port to arm\n"
    ours = "# Shop front\n\n## Wheels\n\n"
    theirs = "## Wheels\n\n- port to arm\n\n"
    merged = merged_text(base, ours, theirs)
    for side in (ours, theirs):
        assert merged_text(base, merged, side) == merged
