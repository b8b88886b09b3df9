"""Conflict markers that git left are mended: both sides are kept, merged by meaning."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.merge.resolve import is_marker, resolve_markers
from ctxrepo.domain.note.note import encode, units_of
from ctxrepo.domain.records.conflict_copy import ConflictCopy

NOTE, TAPE = "shop/topics/a.md", "TAPE/shop__anchors.jsonl"


def conflict(ours: str, theirs: str, base: str | None = None) -> str:
    middle = "" if base is None else f"||||||| 1a2b3c\n{base}"
    return f"<<<<<<< Updated upstream\n{ours}{middle}=======\n{theirs}>>>>>>> Stashed changes\n"


def mended(text: str, path: str = NOTE) -> tuple[str, tuple[ConflictCopy, ...]]:
    outcome = resolve_markers(path, text)
    assert outcome is not None
    return outcome


def test_without_the_base_both_sides_are_kept() -> None:
    text, copy = mended("- one\n" + conflict("- mine\n", "- theirs\n") + "- last\n")
    assert sorted(text.splitlines()) == ["- last", "- mine", "- one", "- theirs"]
    assert copy == ()
    assert mended(conflict("- the port is 1\n", "- the port is 2\n"))[0].count("- the port is") == 2
    assert mended(conflict("", "- theirs\n"))[0] == "- theirs\n"


def test_over_the_base_an_edit_is_an_edit_and_a_deletion_a_deletion() -> None:
    base = "- the port is 1\n- gone\n"
    text, copy = mended(conflict("- the port is 1\n", "- the port is 2\n- gone\n", base))
    assert (text, copy) == ("- the port is 2\n", ())
    text, (lost,) = mended(conflict("- the port is 3\n", "- the port is 2\n", "- the port is 1\n"))
    assert (text, lost.other.strip()) == ("- the port is 3\n", "- the port is 2")


def test_a_head_is_merged_field_by_field() -> None:
    head = conflict("updated: 2026-02-01\ntags: [a]\n", "updated: 2026-03-01\ntags: [b]\n")
    text, copy = mended(f"---\ndescription: d\n{head}---\n- x\n")
    assert (text, copy) == ("---\ndescription: d\nupdated: 2026-03-01\ntags: [a, b]\n---\n- x\n", ())


def test_the_lines_of_a_tape_are_both_there() -> None:
    old, first, second = (f'{{"id":"{name}","timestamp":"{name}"}}\n' for name in ("1", "2", "3"))
    assert mended(old + conflict(first, second), TAPE) == (old + first + second, ())


def test_line_ends_are_no_obstacle() -> None:
    text, _ = mended(conflict("- mine\n", "- theirs\n").replace("\n", "\r\n"))
    assert sorted(text.split("\r\n")) == ["", "- mine", "- theirs"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n",
        "Title\n=======\n",
        "<<<<<<< a\n- a\n",
        "<<<<<<< a\n- a\n=======\n- b\n",
        "- a\n=======\n- b\n>>>>>>> b\n",
        "<<<<<<< a\nTitle\n=======\n=======\nb\n>>>>>>> b\n",
        "<<<<<<< a\n<<<<<<< b\n=======\n- b\n>>>>>>> b\n=======\n>>>>>>> a\n",
        "```\n<<<<<<< a\n- a\n=======\n- b\n>>>>>>> b\n```\n",
        "<<<<<<<< a\n- a\n========\n- b\n>>>>>>>> b\n",
    ],
)
def test_what_cannot_be_told_apart_stays(text: str) -> None:
    assert resolve_markers(NOTE, text) is None


def test_behind_fenced_code_a_conflict_is_one() -> None:
    text, _ = mended("```\ncode\n```\n" + conflict("- mine\n", "- theirs\n"))
    assert {"- mine", "- theirs", "code"} <= set(text.splitlines())


def test_which_lines_can_be_nothing_else() -> None:
    assert all(map(is_marker, ("<<<<<<< a", ">>>>>>> b\r", "||||||| c", "<<<<<<<")))
    assert not any(map(is_marker, ("=======", "<<<<<<<< a", "<<<<<<", "- <<<<<<< a", "")))


LINES = st.lists(st.sampled_from([f"- fact {letter}" for letter in "abcdefgh"]), max_size=6, unique=True)


def by_git(folder: Path, style: str, base: str, ours: str, theirs: str) -> str:
    files = [folder / name for name in ("ours", "base", "theirs")]
    for file, text in zip(files, (ours, base, theirs), strict=True):
        file.write_text(text)
    command = ["git", "merge-file", "-p", *([style] if style else []), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True).stdout


@pytest.mark.parametrize("style", ["", "--diff3"])
@given(versions=st.tuples(LINES, LINES, LINES))
def test_nothing_that_git_left_is_lost(
    tmp_path_factory: pytest.TempPathFactory, style: str, versions: tuple[list[str], list[str], list[str]]
) -> None:
    base, ours, theirs = ("".join(f"{line}\n" for line in lines) for lines in versions)
    text = by_git(tmp_path_factory.mktemp("m"), style, base, ours, theirs)
    outcome = resolve_markers(NOTE, text)
    if outcome is None:
        assert "<<<<<<<" not in text
        return
    result, copy = outcome
    assert not any(map(is_marker, result.splitlines()))
    kept = units_of(NOTE, encode(result + "".join(conflict.other for conflict in copy)))
    if style:
        wanted = merge_file(NOTE, encode(base), encode(ours), encode(theirs)).data or b""
        assert not units_of(NOTE, wanted) - kept
    else:
        left = [line for line in text.splitlines() if line.startswith("- ")]
        assert not units_of(NOTE, encode("\n".join(dict.fromkeys(left)))) - kept
