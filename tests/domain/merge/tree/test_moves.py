"""Files that one machine moved while another one edited, moved or removed them."""

from __future__ import annotations

import pytest
from trees import applied, merge, merged_tree

from ctxrepo.domain.merge.tree import moves

NOTE = "# Traps\n\n- redis listens on port 6380\n- the build needs node 22\n- tests run in any order\n"
MORE = NOTE + "- and the cache is off\n"
LESS = NOTE.replace("- the build needs node 22\n", "")


def test_an_edit_follows_the_file_that_was_moved() -> None:
    base = {"shop/traps.md": NOTE, "shop/other.md": "- other\n"}
    ours = {"shop/topics/traps.md": NOTE, "shop/other.md": "- other\n"}
    theirs = {**base, "shop/traps.md": MORE}
    assert merged_tree(base, ours, theirs) == {**ours, "shop/topics/traps.md": MORE}


@pytest.mark.parametrize("aside", ["shop/archive/traps.md", "inbox/traps.md", "shop/.old/traps.md"])
def test_a_note_that_was_put_aside_is_back_where_somebody_edited_it(aside: str) -> None:
    base = {"shop/traps.md": NOTE}
    merged = merged_tree(base, {aside: LESS}, {"shop/traps.md": MORE})
    assert merged == {"shop/traps.md": LESS + "- and the cache is off\n"}
    assert merged_tree(base, merged, {aside: LESS}) == merged
    assert merged_tree({aside: LESS}, merged, {aside: LESS}) == merged
    assert merged_tree(base, {aside: NOTE}, {"shop/topics/a.md": NOTE}) == {"shop/topics/a.md": NOTE}


def test_a_note_that_was_put_aside_stays_there_where_nobody_edited_it_in_view() -> None:
    base, archived = {"shop/traps.md": NOTE}, {"shop/archive/traps.md": NOTE}
    assert merged_tree(base, archived, base) == archived
    assert merged_tree(base, archived, {"shop/archive/traps.md": MORE}) == {"shop/archive/traps.md": MORE}
    assert merged_tree(archived, {"shop/archive/old.md": NOTE}, {"shop/archive/traps.md": MORE}) == {
        "shop/archive/old.md": MORE
    }


def test_a_file_that_was_moved_and_edited_takes_the_other_edit_along() -> None:
    merged = merged_tree({"a.md": NOTE}, {"b.md": LESS}, {"a.md": MORE})
    assert merged == {"b.md": LESS + "- and the cache is off\n"}


def test_a_short_file_is_known_by_its_letters() -> None:
    merged = merged_tree({"a.md": "- the port is 6380\n"}, {"b.md": "- the port is 6381\n"}, {"a.md": "x\n"})
    assert set(merged) == {"b.md"}


def test_both_moved_it_to_one_place_and_edited_it() -> None:
    assert merged_tree({"a.md": NOTE}, {"b.md": LESS}, {"b.md": MORE}) == {
        "b.md": LESS + "- and the cache is off\n"
    }


def test_moved_to_two_places_it_gets_the_greater_name_and_both_edits() -> None:
    ours, theirs = {"b.md": LESS}, {"c.md": MORE}
    merged = merged_tree({"a.md": NOTE}, ours, theirs)
    assert merged == {"c.md": LESS + "- and the cache is off\n"}
    assert merged_tree({"a.md": NOTE}, merged, ours) == merged


def test_moved_here_and_removed_there_it_stays() -> None:
    assert merged_tree({"a.md": NOTE}, {"b.md": NOTE}, {}) == {"b.md": NOTE}


def test_a_file_written_where_the_other_was_moved_to_is_in_it() -> None:
    merged = merged_tree({"a.md": NOTE}, {"b.md": NOTE}, {"a.md": MORE, "b.md": "- quite another thing\n"})
    assert set(merged) == {"b.md"}
    assert {*MORE.splitlines(), "- quite another thing"} == set(merged["b.md"].splitlines())


def test_two_files_moved_to_one_name_are_one_file() -> None:
    base = {"a.md": NOTE, "b.md": "- deploys happen on friday\n- never on monday\n"}
    ours = {"c.md": NOTE, "b.md": base["b.md"] + "- nor on tuesday\n"}
    theirs = {"c.md": base["b.md"], "a.md": MORE}
    merged = merged_tree(base, ours, theirs)
    assert set(merged) == {"c.md"}
    assert set(MORE.splitlines()) | set(ours["b.md"].splitlines()) == set(merged["c.md"].splitlines())


def test_a_folder_that_was_moved_takes_edits_along_and_a_new_file_stays_where_it_was_put() -> None:
    names = [f"n{number}.md" for number in range(5)]
    base = {f"old/{name}": NOTE.replace("Traps", name) for name in names}
    ours = {f"new/{name}": base[f"old/{name}"] for name in names}
    theirs = {**base, "old/n3.md": base["old/n3.md"] + "- edited\n", "old/come.md": "- come\n"}
    merged = merged_tree(base, ours, theirs)
    assert merged == {**ours, "new/n3.md": theirs["old/n3.md"], "old/come.md": "- come\n"}


def test_a_rename_in_case_only_is_a_rename_whatever_was_written_meanwhile() -> None:
    base = {"topics/Good.md": NOTE}
    assert merged_tree(base, {"topics/good.md": NOTE}, {"topics/Good.md": MORE}) == {"topics/good.md": MORE}
    merged = merged_tree(base, {"topics/good.md": "- all new\n"}, {"topics/Good.md": MORE})
    assert set(merged) == {"topics/good.md"}
    assert {"- all new", "- and the cache is off"} < set(merged["topics/good.md"].splitlines())


def test_what_the_other_side_left_alone_is_only_removed_and_added() -> None:
    merged = merge({"a.md": NOTE}, {"a.md": NOTE}, {"b.md": NOTE})
    assert applied(merged, {"a.md": NOTE}) == {"b.md": NOTE}


def test_a_file_that_is_not_alike_is_another_one() -> None:
    theirs = {"a.md": MORE}
    assert merged_tree({"a.md": NOTE}, {"b.md": "- nothing of that sort is here\n"}, theirs) == {
        "a.md": MORE,
        "b.md": "- nothing of that sort is here\n",
    }


def test_empty_files_are_not_taken_for_each_other() -> None:
    base = {"a.md": "", "b.md": ""}
    assert merged_tree(base, {"c.md": "", "b.md": ""}, {**base, "a.md": "- a\n"})["a.md"] == "- a\n"


def test_of_equal_files_the_one_of_the_same_name_is_the_one_that_was_moved() -> None:
    base = {"x/a.md": NOTE, "x/b.md": NOTE}
    ours = {"y/b.md": NOTE, "y/a.md": NOTE}
    assert merged_tree(base, ours, {**base, "x/b.md": MORE}) == {"y/a.md": NOTE, "y/b.md": MORE}


def test_a_copy_of_a_note_that_is_then_edited_is_no_move() -> None:
    base, mine = {"a.md": NOTE}, {"a.md": NOTE + "- mine\n", "b.md": NOTE}
    merged = merged_tree(base, mine, {"a.md": NOTE + "- theirs\n"})
    assert merged["b.md"] == NOTE
    assert "- theirs" in merged["a.md"]


def test_many_are_compared_by_their_lines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "MAX_BY_LETTERS", 3)
    base = {"a.md": NOTE, "b.md": "- one line alone is here\n"}
    ours = {"c.md": NOTE + "- d\n", "d.md": "- one line alone is there\n"}
    merged = merged_tree(base, ours, {"a.md": MORE, "b.md": "- one line alone is here now\n"})
    assert "a.md" not in merged
    assert merged["b.md"] == "- one line alone is here now\n"


def test_too_many_are_not_compared_but_equal_ones_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "MAX_PAIRS", 3)
    base = {"a.md": NOTE, "b.md": LESS}
    ours = {"c.md": NOTE, "d.md": LESS + "- d\n", "e.md": MORE + "- e\n", "f.md": "- f\n", "g.md": "- g\n"}
    merged = merged_tree(base, ours, {"a.md": MORE, "b.md": LESS + "- b\n"})
    assert merged["c.md"] == MORE
    assert merged["b.md"] == LESS + "- b\n"
