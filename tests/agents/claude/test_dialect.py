"""How Claude Code is understood and answered: above all the lines that a tool touched."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.claude.dialect import DIALECT
from ctxrepo.hooks.dialect import Event


def ranges(response: Any) -> list[list[int]]:
    with closing(sqlite3.connect(":memory:")) as db:
        event = Event("claude", "PostToolUse", {"path": "/a"})
        (file,) = DIALECT.touched(db, event, json.dumps({"tool_response": response}))
    ranges: list[list[int]] = json.loads(file.ranges)
    return ranges


def hunk(start: int, *lines: str) -> dict[str, Any]:
    new = sum(not line.startswith("-") for line in lines)
    return {"oldStart": start, "oldLines": 0, "newStart": start, "newLines": new, "lines": [*lines]}


def read(first: int, count: int, total: int) -> dict[str, Any]:
    return {"file": {"startLine": first, "numLines": count, "totalLines": total}}


def test_a_read_has_the_lines_it_showed() -> None:
    assert ranges(read(340, 81, 900)) == [[340, 420]]
    assert ranges(read(1, 50, 900)) == [[1, 50]]


def test_a_whole_file_has_none() -> None:
    assert ranges(read(1, 50, 50)) == []
    assert ranges({"file": {}}) == []


def test_an_edit_has_the_lines_that_changed() -> None:
    first = hunk(9, " a", " b", " c", "-x", "+12", "+13", "+14", " d", " e")
    assert ranges({"structuredPatch": [first, hunk(89, " a", "+90", " b")]}) == [[12, 14], [90, 90]]
    assert ranges({"structuredPatch": [hunk(1, "+1", "+2", "\\ No newline at end of file")]})[0][0] == 1


def test_a_deletion_has_its_place() -> None:
    assert ranges({"structuredPatch": [hunk(5, " a", "-x", "-y", " b")]}) == [[6, 6]]


def test_a_rewrite_has_the_lines_that_changed_however_many() -> None:
    """Each line must not cost a copy of all the others: this would take minutes, and a hook gives up."""
    lines = [" before", *["+a line that is new"] * 50_000, " behind"]
    assert ranges({"structuredPatch": [hunk(1, *lines)]}) == [[2, 50_001]]


def test_of_many_hunks_the_first_are_told() -> None:
    assert ranges({"structuredPatch": [hunk(n, "+x") for n in range(1, 200)]}) == [
        [n, n] for n in range(1, 101)
    ]


@pytest.mark.parametrize(
    "patch",
    [
        7,
        ["x", None],
        [{}],
        [{"newStart": "a", "newLines": 1}],
        [{"newStart": 1, "newLines": 1, "lines": 7}],
        [{"newStart": 1, "newLines": None, "lines": [1, {"a": "+"}]}],
    ],
)
def test_odd_patches_do_no_harm(patch: Any) -> None:
    assert all(len(pair) == 2 for pair in ranges({"structuredPatch": patch}))


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"])))
def test_claude_reads_the_text_as_it_is(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        line = DIALECT.reply(db, "SessionStart", text)
    assert line.endswith("}\n")
    assert "\n" not in line[:-1]
    output = {"hookEventName": "SessionStart", "additionalContext": text}
    assert json.loads(line) == {"hookSpecificOutput": output}


def test_events_are_known_by_name_whatever_the_case() -> None:
    assert DIALECT.events["sessionstart"] == ("SessionStart", "start")
    assert DIALECT.events["userpromptsubmit"] == ("UserPromptSubmit", "prompt")
    assert "notification" not in DIALECT.events
    assert DIALECT.fields["transcript"]


def test_tools_that_only_read_are_known() -> None:
    assert DIALECT.only_reads("Read")
    assert not DIALECT.only_reads("Edit")
    assert not DIALECT.only_reads("SomethingNew")
