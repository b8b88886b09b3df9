"""Names that a file system which ignores case and spelling takes for one."""

from __future__ import annotations

import sys
from itertools import permutations, product

import pytest
from trees import merged_tree

from ctxrepo.domain.merge.tree.trees import merge_trees
from ctxrepo.domain.project.layout import fold, unsafe

COMPOSED, APART = "topics/caf\u00e9.md", "topics/cafe\u0301.md"


@pytest.mark.parametrize(("name", "twin"), [("t/Good.md", "t/good.md"), (APART, COMPOSED)])
def test_of_twins_one_keeps_the_name_and_the_other_is_beside_it(name: str, twin: str) -> None:
    ours, theirs = {name: "- one\n"}, {twin: "- another thing\n"}
    merged = merged_tree({}, ours, theirs)
    (new,) = set(merged) - {name}
    assert merged == {name: "- one\n", new: "- another thing\n"}
    assert new.startswith(twin.removesuffix(".md") + "~")
    assert new.endswith(".md")
    assert merged_tree({}, merged, ours) == merged_tree({}, merged, theirs) == merged
    assert (
        merged_tree(theirs, merged, {twin: "- another thing\n- more\n"})[new] == "- another thing\n- more\n"
    )


def test_three_twins_are_called_the_same_in_whatever_order_they_meet() -> None:
    sides = [{"t/good.md": "- a\n"}, {"t/Good.md": "- b\n"}, {"t/GOOD.md": "- c\n"}]
    results = [
        merged_tree({}, merged_tree({}, first, second), third) for first, second, third in permutations(sides)
    ]
    assert all(result == results[0] for result in results)
    assert sorted(results[0].values()) == ["- a\n", "- b\n", "- c\n"]


def test_what_was_there_keeps_its_name_against_what_is_new() -> None:
    base = {"t/good.md": "- a\n", "t/x.md": "- x\n"}
    merged = merged_tree(base, {**base, "t/Good.md": "- b\n"}, {**base, "t/x.md": "- y\n"})
    assert merged["t/good.md"] == "- a\n"
    assert "t/Good.md" not in merged
    assert sorted(merged.values()) == ["- a\n", "- b\n", "- y\n"]


def test_where_the_sides_are_unequal_no_name_of_ours_makes_way() -> None:
    ours, theirs = {"a/Rules.md": "1", "a/rules.md": "2", "B/x.md": "3"}, {"a/RULES.md": "4", "b/y.md": "5"}
    changes = merge_trees({}, ours, theirs, str.encode, keeps_names=True).changes
    (beside,) = changes.keys() - {"B/y.md"}
    assert changes == {"B/y.md": "5", beside: "4"}
    assert beside.startswith("a/RULES~")


def test_twins_that_were_there_stay_as_they_are() -> None:
    base = {"t/good.md": "- a\n", "t/Good.md": "- b\n"}
    ours, theirs = {**base, "t/good.md": "- a\n- more\n"}, {**base, "t/c.md": "- c\n"}
    assert merged_tree(base, ours, theirs) == {**ours, **theirs, "t/good.md": "- a\n- more\n"}


def test_twins_of_a_folder_become_one() -> None:
    merged = merged_tree({}, {"Topics/a.md": "- a\n"}, {"topics/b.md": "- b\n", "topics/A.md": "- c\n"})
    assert merged["Topics/a.md"] == "- a\n" or merged["Topics/A.md"] == "- c\n"
    assert merged["Topics/b.md"] == "- b\n"
    assert {path.split("/")[0] for path in merged} == {"Topics"}
    assert sorted(merged.values()) == ["- a\n", "- b\n", "- c\n"]


def test_a_folder_that_nobody_touched_keeps_its_spelling() -> None:
    base = {"topics/deep/old.md": "- old\n", "z.md": "- z\n"}
    ours = {**base, "Topics/new.md": "- new\n", "topics/DEEP/one.md": "- one\n"}
    merged = merged_tree(base, ours, {**base, "z.md": "- Z\n"})
    assert merged == {
        "topics/deep/old.md": "- old\n",
        "topics/new.md": "- new\n",
        "topics/deep/one.md": "- one\n",
        "z.md": "- Z\n",
    }


def test_a_folder_spelled_anew_is_spelled_so_for_what_the_other_side_put_there() -> None:
    base = {"Topics/a.md": "- a is here\n"}
    merged = merged_tree(base, {"topics/a.md": "- a is here\n"}, {**base, "Topics/b.md": "- b\n"})
    assert merged == {"topics/a.md": "- a is here\n", "topics/b.md": "- b\n"}


@pytest.mark.parametrize(
    ("file", "below", "beside"),
    [
        ("ideas", "ideas/a.md", "ideas~file"),
        ("x/ideas.md", "x/ideas.md/a.md", "x/ideas~file.md"),
        (".hidden", ".hidden/a.md", ".hidden~file"),
    ],
)
def test_a_file_that_is_called_as_a_folder_is_makes_way(file: str, below: str, beside: str) -> None:
    ours, theirs = {file: "a file\n"}, {below: "- a\n"}
    merged = merged_tree({}, ours, theirs)
    assert merged == {beside: "a file\n", below: "- a\n"}
    assert merged_tree({}, merged, ours) == merged_tree({}, merged, theirs) == merged


def test_an_untouched_file_makes_way_for_a_folder_of_another_case() -> None:
    base = {"ideas": "a file\n", "z.md": "- z\n"}
    merged = merged_tree(base, {**base, "Ideas/a.md": "- a\n"}, {**base, "z.md": "- Z\n"})
    assert merged.pop("Ideas/a.md") == "- a\n"
    assert merged.pop("z.md") == "- Z\n"
    ((path, text),) = merged.items()
    assert path.startswith("ideas~")
    assert text == "a file\n"


def test_an_edited_file_that_became_a_folder_is_kept_beside_it() -> None:
    merged = merged_tree({"ideas": "one\n"}, {"ideas": "one\ntwo\n"}, {"ideas/a.md": "- a\n"})
    assert merged == {"ideas~file": "one\ntwo\n", "ideas/a.md": "- a\n"}


def test_where_the_new_name_is_taken_the_two_are_merged() -> None:
    base = {"ideas~file.md": "- before\n"}
    merged = merged_tree(base, {**base, "ideas.md": "- now\n"}, {**base, "ideas.md/a.md": "- a\n"})
    assert merged.keys() == {"ideas~file.md", "ideas.md/a.md"}
    assert set(merged["ideas~file.md"].splitlines()) == {"- before", "- now"}


def test_a_name_that_can_not_be_longer_is_cut() -> None:
    name = "ä" * 126
    merged = merged_tree({}, {f"{name}.md": "- one\n"}, {f"{name.upper()}.md": "- two\n"})
    assert [unsafe(path) for path in merged] == [None, None]
    assert len({fold(path) for path in merged}) == 2


def test_what_lost_when_two_are_merged_is_put_aside() -> None:
    base = {"ideas~file.txt": "before\n"}
    ours, theirs = {**base, "ideas.txt": "now\n"}, {**base, "ideas.txt/a.md": "- a\n"}
    merged = merged_tree(base, ours, theirs)
    assert merged["ideas~file.txt"] == "now\n"
    assert any(path.startswith("conflicts/") and "before" in text for path, text in merged.items())


def test_a_new_file_makes_way_for_a_folder_that_nobody_touched() -> None:
    base = {"ideas/a.md": "- a\n", "z.md": "- z\n"}
    merged = merged_tree(base, {**base, "Ideas": "a file\n"}, {**base, "z.md": "- Z\n"})
    (new,) = merged.keys() - base.keys()
    assert new.startswith("Ideas~")
    assert merged[new] == "a file\n"


@pytest.mark.slow
def test_many_spellings_of_one_name_cost_a_step_each() -> None:
    """Whoever can push decides how many there are; twice as many may not take four times the work."""
    few, many = (_calls({f"t/{name}.md": "- a\n" for name in _spellings(count)}) for count in (500, 1000))
    assert many < 3 * few
    few, many = (_calls({f"{name}/a.md": "- a\n" for name in _spellings(count)}) for count in (500, 1000))
    assert many < 3 * few


def _spellings(count: int) -> list[str]:
    return ["".join(word) for word, _ in zip(product(*("aA",) * 10), range(count), strict=False)]


def _calls(theirs: dict[str, str]) -> int:
    """How many functions a merge of these with nothing calls."""
    count = 0

    def counted(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        merged_tree({}, {}, theirs)
    finally:
        sys.setprofile(None)
    return count
