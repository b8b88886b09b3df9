"""Notes merged by their entries and fields: what a person would expect to find."""

from __future__ import annotations

import time
from functools import partial

import pytest
from merging import sides

from ctxrepo.domain.merge import MergedFile, merge_file
from ctxrepo.domain.note.frontmatter import split

PATH = "shop/topics/build.md"


merge = partial(sides.merge, PATH)
merged_text = partial(sides.merged_text, PATH)


BASE = "# Build\n\n## Notes\n\n- Use make, not ninja\n- Tests need Postgres 16\n\n## Later\n\n- Port to arm\n"


def test_both_append_to_one_list() -> None:
    ours = BASE.replace("16\n", "16\n- Caches live in .cache\n")
    theirs = BASE.replace("16\n", "16\n- The lint job is slow\n")
    assert merged_text(BASE, ours, theirs) == BASE.replace(
        "16\n", "16\n- Caches live in .cache\n- The lint job is slow\n"
    )


def test_one_appends_an_entry_and_the_other_a_section() -> None:
    ours = BASE + "- Drop Python 3.10\n"
    theirs = BASE + "\n## Done\n\n- Moved to uv\n"
    assert merged_text(BASE, ours, theirs) == BASE + "- Drop Python 3.10\n\n## Done\n\n- Moved to uv\n"


def test_a_section_put_between_captures_no_entry_of_the_other_side() -> None:
    ours = BASE.replace("## Later\n", "## Soon\n\n- Sign wheels\n\n## Later\n")
    theirs = BASE.replace("16\n", "16\n- The lint job is slow\n")
    assert merged_text(BASE, ours, theirs) == BASE.replace(
        "16\n\n", "16\n- The lint job is slow\n\n## Soon\n\n- Sign wheels\n\n"
    )


def test_an_edit_is_taken_where_the_other_left_the_entry_alone() -> None:
    ours = BASE.replace("Postgres 16", "Postgres 17")
    theirs = BASE.replace("- Port to arm", "- Port to arm64")
    assert merged_text(BASE, ours, theirs) == ours.replace("- Port to arm", "- Port to arm64")


def test_an_edit_stays_against_a_deletion() -> None:
    ours = BASE.replace("- Tests need Postgres 16\n", "")
    theirs = BASE.replace("Postgres 16", "Postgres 17")
    assert merged_text(BASE, ours, theirs) == theirs


def test_a_deletion_stays_where_the_other_moved_the_entry() -> None:
    ours = BASE.replace("- Tests need Postgres 16\n", "")
    theirs = ours + "- Tests need Postgres 16\n"
    assert merged_text(BASE, ours, theirs) == ours


def test_an_entry_edited_here_and_moved_there_is_both() -> None:
    ours = BASE.replace("Postgres 16", "Postgres 17")
    theirs = BASE.replace("- Tests need Postgres 16\n", "") + "- Tests need Postgres 16\n"
    assert merged_text(BASE, ours, theirs) == theirs.replace("Postgres 16", "Postgres 17")


def test_of_two_edits_of_one_entry_the_greater_stays_and_the_other_is_put_aside() -> None:
    ours, theirs = BASE.replace("Postgres 16", "Postgres 17"), BASE.replace("Postgres 16", "Postgres 15")
    merged = merge(BASE, ours, theirs)
    assert merged.data == ours.encode()
    (copy,) = merged.conflict_copies
    assert (copy.path, copy.base) == (PATH, "- Tests need Postgres 16")
    assert (copy.kept, copy.other) == ("- Tests need Postgres 17", "- Tests need Postgres 15")


def test_the_edit_that_names_the_later_date_stays() -> None:
    ours = BASE.replace("Postgres 16", "Postgres 15 (since 2026-11-02)")
    theirs = BASE.replace("Postgres 16", "Postgres 17 (since 2026-03-01)")
    assert merge(BASE, ours, theirs).data == ours.encode()


def test_an_id_holds_an_entry_together_however_it_is_reworded() -> None:
    base = "- Deploys go through Jenkins <!-- ^dep -->\n- Other\n"
    ours = "- Other\n- We use Actions now <!-- ^dep -->\n"
    merged = merge(base, ours, base.replace("Jenkins", "Jenkins on box 4"))
    assert len(merged.conflict_copies) == 1
    assert (merged.data or b"").count(b"^dep") == 1


def test_a_renamed_heading_takes_the_others_new_entry_along() -> None:
    ours = BASE.replace("## Notes", "## What we know")
    theirs = BASE.replace("16\n", "16\n- The lint job is slow\n")
    assert merged_text(BASE, ours, theirs) == theirs.replace("## Notes", "## What we know")


def test_a_removed_section_stays_for_what_the_other_put_there() -> None:
    ours = BASE.removesuffix("\n## Later\n\n- Port to arm\n")
    theirs = BASE + "- Drop Python 3.10\n"
    assert merged_text(BASE, ours, theirs) == ours + "\n## Later\n\n- Drop Python 3.10\n"


def test_a_reordering_is_followed() -> None:
    base = "- one thing\n- two things\n- three more\n"
    ours = "- three more\n- one thing\n- two things\n"
    assert merged_text(base, ours, base + "- quite another\n") == (
        "- three more\n- quite another\n- one thing\n- two things\n"
    )


def test_two_equal_entries_are_two() -> None:
    base = "- again\n- again\n- end\n"
    assert merged_text(base, base + "- x y z\n", "- again\n- end\n") == "- again\n- end\n- x y z\n"


def test_of_two_equal_entries_each_side_may_remove_another_one() -> None:
    base = "## A\n\n- again\n- x\n\n## B\n\n- again\n- y\n"
    ours, theirs = base.replace("- again\n- x", "- x"), base.replace("- again\n- y", "- y")
    assert merged_text(base, ours, theirs).count("- again\n") == 1


def test_an_entry_said_again_is_not_removed() -> None:
    assert merged_text("- again\n- end\n", "- again\n- again\n- end\n", "- end\n").count("- again\n") == 2


def test_a_heading_below_one_that_was_made_deeper_is_made_deeper_too() -> None:
    base = "# T\n\n- a\n"
    assert merged_text(base, "## T\n\n- a\n", "# T\n\n- a\n\n## Below\n\n- b\n") == (
        "## T\n\n- a\n\n### Below\n\n- b\n"
    )


def test_a_deep_section_is_not_captured_by_a_shallow_one() -> None:
    ours, theirs = "## Zeta\n\n- deep\n", "# Alpha\n\n- top\n"
    assert merged_text("", ours, theirs) == ours + "\n" + theirs


def test_two_things_given_one_id_are_one_even_where_one_is_like_a_third() -> None:
    base = "- the build needs Postgres 16\n- end\n"
    ours = "- end\n- quite another thing <!-- ^x -->\n"
    theirs = base + "- the build needs Postgres 17 <!-- ^x -->\n"
    merged = merge(base, ours, theirs)
    assert (merged.data or b"").count(b"^x") == 1
    assert merge_file(PATH, base.encode(), ours.encode(), merged.data).data == merged.data


def test_the_same_addition_on_both_sides_is_there_once() -> None:
    ours, theirs = BASE + "- Drop Python 3.10\n", BASE + "\n- Drop  Python 3.10\n"
    assert merged_text(BASE, ours, theirs).count("Drop") == 1


def test_a_note_made_on_both_sides_keeps_the_entries_of_both() -> None:
    merged = merge_file(PATH, None, b"# T\n\n- ours is here\n", b"# T\n\n- but theirs was too\n")
    assert merged == MergedFile(b"# T\n\n- but theirs was too\n- ours is here\n")


def test_a_missing_final_newline_glues_nothing() -> None:
    base = "- one thing"
    assert merged_text(base, "- one thing\n- two things", "- one thing\n- quite another") == (
        "- one thing\n- quite another\n- two things"
    )
    assert merged_text(base, "- one thing\n- two things", base + "\n\nA paragraph") == (
        "- one thing\n\nA paragraph\n\n- two things"
    )


def test_line_ends_are_no_difference_and_each_line_keeps_its_own() -> None:
    ours = BASE.replace("\n", "\r\n")
    theirs = BASE.replace("16\n", "16\n- The lint job is slow\n")
    text = merged_text(BASE, ours, theirs)
    assert text.replace("\r\n", "\n") == theirs
    assert "ninja\r\n" in text
    assert "slow\n" in text


def test_a_fence_left_open_swallows_nothing_of_the_other_side() -> None:
    base = "- one thing\n"
    text = merged_text(base, base + "\n```sh\nmake\n", base + "- two things\n")
    assert "- two things\n" in text.split("```")[0] + text.split("```")[-1]
    assert text.count("```") == 2


def test_an_indented_bullet_is_not_hung_under_the_others_bullet() -> None:
    base = "## A\n\n- one thing\n"
    text = merged_text(
        base, "## A\n  - an indented one\n- one thing\n", "## A\n\n- at the top\n\n- one thing\n"
    )
    assert "\n- an indented one" in text or "## A\n  - an indented one" in text


def test_two_thematic_breaks_do_not_become_a_head() -> None:
    text = merged_text("", "---\nowner: me\n", "## Below\n\n---\n")
    assert text == "\n---\nowner: me\n\n## Below\n\n---\n"
    assert split(text) == ("", text)


def test_words_that_look_like_markers_stay_as_they_are() -> None:
    base = "- one thing\n"
    conflict = "\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n"
    assert conflict in merged_text(base, base + conflict, base + "- two things\n")


@pytest.mark.slow
def test_ten_thousand_entries_rewritten_on_both_sides_take_no_eternity() -> None:
    base = "".join(f"- entry {n} says something about part {n * 7}\n" for n in range(4000))
    ours = "".join(f"- record {n} tells nothing about piece {n * 5}\n" for n in range(4000))
    began = time.monotonic()
    merged = merge_file(PATH, base.encode(), ours.encode(), base.replace("says", "said").encode())
    assert time.monotonic() - began < 60
    assert merged.data is not None
    assert b"record 3999 " in merged.data
    assert b"entry 3999 said" in merged.data


def test_long_entries_take_no_eternity() -> None:
    base = "".join(f"- {n} {'lorem ipsum dolor ' * 400}\n" for n in range(20))
    ours, theirs = base.replace("dolor", "sit"), base.replace("ipsum", "amet")
    began = time.monotonic()
    merge_file(PATH, base.encode(), ours.encode(), theirs.encode())
    assert time.monotonic() - began < 30
