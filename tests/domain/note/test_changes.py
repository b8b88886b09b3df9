"""A change of a note is told entry by entry, unless it is about more than entries."""

from __future__ import annotations

import pytest

from ctxrepo.domain.note.changes import entry_changes

NOTE = """\
---
description: about a
updated: 2026-01-01
---
# A

- one port
- two walls

## B

- three doors
"""


def told(after: str) -> list[tuple[str, str]] | None:
    changes = entry_changes("shop/a.md", NOTE, after)
    if changes is None:
        return None
    return [(c.before.text if c.before else "", c.after.text if c.after else "") for c in changes]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("- two walls\n", "- two walls\n- four roofs\n", [("", "- four roofs")]),
        ("- two walls\n", "", [("- two walls", "")]),
        ("- two walls\n", "- two blue walls\n", [("- two walls", "- two blue walls")]),
        ("updated: 2026-01-01", "updated: 2026-02-02", []),
        ("- one port\n- two walls\n", "- two walls\n- one port\n", None),
        ("description: about a", "description: about b", None),
        ("## B", "## C", None),
        ("## B\n", "## B\n\n---\n", None),
        ("\n- three doors\n", "\n- three doors\n\n## New\n\n- more\n", None),
    ],
)
def test_what_became_of_the_entries(old: str, new: str, changes: list[tuple[str, str]] | None) -> None:
    assert told(NOTE.replace(old, new)) == changes


def test_an_added_entry_says_under_which_heading() -> None:
    (change,) = entry_changes("shop/a.md", NOTE, NOTE + "- four roofs\n") or []
    assert change.after is not None
    assert change.after.heading[-1] == "B"


def test_a_ticked_box_is_an_edit() -> None:
    (change,) = entry_changes("shop/a.md", "- [ ] tidy up\n- b\n", "- [x] tidy up\n- b\n") or []
    assert change.before is not None
    assert change.after is not None
    assert (change.before.text, change.after.text) == ("- [ ] tidy up", "- [x] tidy up")
