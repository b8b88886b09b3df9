"""The head of a note merged by its fields."""

from __future__ import annotations

from ctxrepo.domain.merge import MergedFile, merge_file
from ctxrepo.domain.note.frontmatter import read

PATH = "shop/topics/build.md"
BASE = """\
description: How we build
tags: [make, ci]  # short
# kept by hand
created: 2026-01-05
updated: 2026-01-05
"""


def merge(base: str, ours: str, theirs: str) -> MergedFile:
    sides = [f"---\n{head}---\n\n- entry\n".encode() for head in (base, ours, theirs)]
    merged = merge_file(PATH, *sides)
    assert merged == merge_file(PATH, sides[0], sides[2], sides[1])
    return merged


def merged_head(base: str, ours: str, theirs: str) -> str:
    merged = merge(base, ours, theirs)
    assert merged.data is not None
    assert merged.conflict_copies == ()
    return merged.data.decode().removeprefix("---\n").removesuffix("---\n\n- entry\n")


def test_different_fields_are_both_taken() -> None:
    ours = BASE.replace("How we build", "How we build and ship")
    theirs = BASE + "owner: ada\n"
    assert merged_head(BASE, ours, theirs) == ours + "owner: ada\n"


def test_an_unchanged_head_keeps_its_bytes() -> None:
    odd = BASE.replace("tags: ", "tags:   ")
    merged = merge_file(
        PATH,
        f"---\n{odd}---\n- a\n".encode(),
        f"---\n{odd}---\n- a\n- of ours\n".encode(),
        f"---\n{odd}---\n".encode(),
    )
    assert merged.data == f"---\n{odd}---\n- of ours\n".encode()


def test_tags_are_a_set() -> None:
    ours, theirs = BASE.replace("make, ci", "make, ci, arm"), BASE.replace("make, ci", "ci, uv")
    head = read("---\n" + merged_head(BASE, ours, theirs) + "---\n")
    assert set(head.tags) == {"ci", "arm", "uv"}


def test_the_order_of_tags_stands_when_merged_again() -> None:
    base = BASE.replace("make, ci", "a, b")
    ours, theirs = BASE.replace("make, ci", "c, a"), BASE.replace("make, ci", "a, b, c")
    text = merged_head(base, ours, theirs)
    assert merged_head(base, text, ours) == merged_head(base, text, theirs) == text


def test_each_side_may_take_a_tag_away_until_none_is_left() -> None:
    ours, theirs = BASE.replace("make, ci", "make"), BASE.replace("make, ci", "ci")
    text = merged_head(BASE, ours, theirs)
    assert read(f"---\n{text}---\n").tags == ()
    assert merged_head(BASE, text, ours) == text


def test_tags_written_as_a_list_are_read() -> None:
    ours = BASE.replace("[make, ci]  # short", "\n  - make\n  - ci\n  - arm")
    theirs = BASE.replace("make, ci", "make, ci, uv")
    assert set(read("---\n" + merged_head(BASE, ours, theirs) + "---\n").tags) == {"make", "ci", "arm", "uv"}


def test_updated_is_the_later_and_created_the_earlier() -> None:
    ours = BASE.replace("updated: 2026-01-05", "updated: 2026-03-01").replace(
        "created: 2026-01-05", "created: 2025-12-24"
    )
    theirs = BASE.replace("updated: 2026-01-05", "updated: '2026-02-01'").replace(
        "created: 2026-01-05", "created: 2026-01-01"
    )
    assert merged_head(BASE, ours, theirs) == ours


def test_of_two_descriptions_one_stays_and_the_other_is_put_aside() -> None:
    merged = merge(BASE, BASE.replace("How we build", "Building"), BASE.replace("How we build", "Making of"))
    assert b"description: Making of\n" in (merged.data or b"")
    assert [(a.base, a.kept, a.other) for a in merged.conflict_copies] == [
        ("description: How we build", "description: Making of", "description: Building")
    ]


def test_a_removed_field_stays_removed_unless_the_other_changed_it() -> None:
    ours = BASE.replace("created: 2026-01-05\n", "")
    assert merged_head(BASE, ours, BASE + "owner: ada\n") == ours + "owner: ada\n"
    theirs = BASE.replace("created: 2026-01-05", "created: 2026-01-04")
    assert "created: 2026-01-04\n" in merged_head(BASE, ours, theirs)


def test_a_field_of_many_lines_is_one() -> None:
    base = BASE + "x: |\n  one\n  # no comment\n  two\n"
    ours, theirs = base.replace("  two", "  three"), base + "y: 1\n"
    assert merged_head(base, ours, theirs) == ours + "y: 1\n"


def test_a_head_that_is_no_yaml_is_taken_whole_and_the_other_put_aside() -> None:
    broken = BASE + "x: [1\n"
    merged = merge(BASE, broken, BASE + "owner: ada\n")
    assert merged.data == f"---\n{BASE}owner: ada\n---\n\n- entry\n".encode()
    assert [a.other for a in merged.conflict_copies] == [f"---\n{broken}---"]


def test_a_head_with_a_key_given_twice_is_taken_whole() -> None:
    twice, theirs = BASE + "owner: ada\nowner: bob\n", BASE + "owner: eve\n"
    merged = merge(BASE, twice, theirs)
    assert merged.data == f"---\n{theirs}---\n\n- entry\n".encode()
    assert [a.other for a in merged.conflict_copies] == [f"---\n{twice}---"]


def test_a_head_that_one_side_removed_stays_where_the_other_edited_it() -> None:
    base, theirs = f"---\n{BASE}---\n- a\n", f"---\n{BASE}owner: ada\n---\n- a\n"
    assert merge_file(PATH, base.encode(), b"- a\n", theirs.encode()) == MergedFile(theirs.encode())


def test_a_head_without_a_last_newline_glues_nothing() -> None:
    base, ours = b"---\na: 1\n---\n", b"---\na: 1\nb: 2\n---"
    assert merge_file(PATH, base, ours, base + b"body\n") == MergedFile(ours + b"\nbody\n")


def test_a_head_that_would_become_too_large_is_taken_whole() -> None:
    merged = merge(BASE, BASE + f"x: {'x' * 40_000}\n", BASE + f"y: {'y' * 40_000}\n")
    assert not read((merged.data or b"").decode()).problem
    assert len(merged.conflict_copies) == 1


def test_a_head_added_on_both_sides_is_one() -> None:
    merged = merge_file(PATH, b"- a\n", b"---\ntags: [x]\n---\n- a\n", b"---\nowner: ada\n---\n- a\n")
    assert merged.data is not None
    assert read(merged.data.decode()).fields == {"owner": "ada", "tags": ["x"]}
    assert merged.conflict_copies == ()
