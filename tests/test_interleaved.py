"""Interleavings of writers that once lost something, as `python -m torture interleave` found and shrank
them."""

from __future__ import annotations

from pathlib import Path

import pytest
from long import rotating
from torture.actors import Step
from torture.interleave import replay

CASES: dict[str, tuple[Step, ...]] = {
    "a command follows an edit by hand": (
        ("hand", 1, "q0q", "add", "place", "last"),
        ("remember", 1, "q2q", ""),
    ),
    "a command meets a file that an editor is saving": (
        ("hand", 0, "q4q", "add", "empty", "fresh"),
        ("remember", 0, "q9q", ""),
    ),
    "a late write to a version that no commit has held": (
        ("tool", "s-1", 0, "q1q", "add", "rename", "last", "full"),
        ("open", 0),
        ("remember", 0, "q8q", ""),
        ("late", 0, "q9q", "add"),
    ),
    "a hook is heard after an editor put the old file back": (
        ("tool", "s-1", 0, "q4q", "add", "rename", "fresh", "later said"),
        ("put-back", 0),
    ),
    "a hook is heard after another session went on": (
        ("tool", "s-1", 0, "q1q", "add", "rename", "fresh", "later said"),
        ("tool", "s-2", 0, "q2q", "add", "rename", "fresh", "now said"),
    ),
    "two hooks are heard after one session wrote over the other": (
        ("tool", "s-2", 0, "q1q", "add", "rename", "last", "later said"),
        ("tool", "s-1", 0, "q2q", "add", "rename", "last", "later"),
    ),
    "a kill between branch and files, and then the lines come back": (
        ("hand", 1, "q3q", "secret", "empty", "fresh"),
        ("commit", (0, 1), "after set_ref", None),
    ),
    "an editor fills the file that it had emptied while an agent wrote over its other copy": (
        ("hand", 0, "q3q", "swap 5", "empty", "last"),
        ("hand", 0, "q7q", "add", "place", "last"),
        ("tool", "s-2", 0, "q10q", "add", "place", "fresh", "later said"),
        ("fill", 0),
    ),
    "an agent replaces a file that a commit is about to check out": (
        ("remember", 0, "q0q", ""),
        ("tool", "s-1", 0, "q1q", "add", "place", "last", "never"),
        ("commit", (1,), "before put", ("tool", "s-2", 0, "q2mq", "add", "rename", "fresh", "now")),
    ),
    "an agent reads the file again after somebody wrote over its version": (
        ("tool", "s-2", 0, "q3q", "add", "place", "fresh", "later said"),
        ("tool", "s-1", 0, "q4q", "add", "rename", "last", "later"),
        ("tool", "s-2", 0, "q5q", "add", "place", "fresh", "now"),
    ),
    "three hooks of one agent run after its last write": (
        ("tool", "s-1", 0, "q1q", "add", "place", "last", "later"),
        ("tool", "s-1", 0, "q5q", "add", "rename", "last", "later said"),
        ("tool", "s-1", 0, "q6q", "add", "place", "fresh", "now"),
    ),
    "what the guard refuses stood in a file that a command has removed": (
        ("tool", "s-1", 0, "q1q", "secret", "rename", "fresh", "now"),
        ("hand", 0, "q4q", "secret", "empty", "fresh"),
        ("remember", 0, "q5q", ""),
        ("commit", None, "after set_ref 2", ("fill", 0)),
        ("forget-note", 0, ""),
    ),
    "a version that was committed before its hook was heard, and a stale editor": (
        ("hand", 0, "q2q", "add", "empty", "last"),
        ("remember", 0, "q3q", ""),
        ("commit", (), "before forget", ("tool", "s-1", 0, "q8mq", "add", "place", "fresh", "later said")),
        ("tool", "s-2", 0, "q10q", "add", "place", "fresh", "now said"),
    ),
    "a note is removed, begun anew, emptied, and two agents write to it": (
        ("delete", 0),
        ("remember", 0, "q2q", "after add"),
        ("hand", 0, "q3q", "add", "empty", "fresh"),
        ("commit", None, "after set_ref 2", ("tool", "s-1", 0, "q8mq", "secret", "rename", "fresh", "later")),
        ("tool", "s-2", 0, "q10q", "add", "rename", "last", "later said"),
        ("commit", (0,), "after set_ref 2", None),
    ),
}


@pytest.mark.parametrize("case", rotating(map(pytest.param, CASES.values()), keep=5), ids=CASES)
def test_nothing_promised_is_lost(tmp_path: Path, case: tuple[Step, ...]) -> None:
    assert replay(case, tmp_path) == []
