"""Replies and lines are JSON, whatever the text."""

from __future__ import annotations

import _sqlite3
import json

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.dialect.events import fields_of, moment_of, only_reads
from ctxrepo.hooks.dialect.reply import line_json, reply_json

DB = _sqlite3.connect(":memory:", check_same_thread=False)
TEXT = st.text(alphabet=st.characters(blacklist_categories=["Cs"]))


@given(TEXT)
def test_claude_reads_the_text_as_it_is(text: str) -> None:
    line = reply_json(DB, "claude", "SessionStart", text)
    assert line.endswith("}\n")
    assert "\n" not in line[:-1]
    output = {"hookEventName": "SessionStart", "additionalContext": text}
    assert json.loads(line) == {"hookSpecificOutput": output}


@given(TEXT)
def test_a_line_leaves_out_what_is_empty(text: str) -> None:
    line = line_json(DB, {"a": text, "b": "", "c": None, "n": 1.5, "r:json": "[[1,2]]"})
    assert json.loads(line) == {**({"a": text} if text else {}), "n": 1.5, "r": [[1, 2]]}


def test_events_are_known_by_name_whatever_the_case() -> None:
    assert moment_of("claude", "SESSIONSTART") == ("SessionStart", "start")
    assert moment_of("Claude", "userpromptsubmit") == ("UserPromptSubmit", "prompt")
    assert moment_of("claude", "Notification") is None
    assert moment_of("hal", "SessionStart") is None
    assert "transcript" in fields_of("claude")


def test_tools_that_only_read_are_known() -> None:
    assert only_reads("Read")
    assert not only_reads("Edit")
    assert not only_reads("SomethingNew")
