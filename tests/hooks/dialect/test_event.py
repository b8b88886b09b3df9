"""What an agent told a hook has our names, and what it did not tell is empty."""

from __future__ import annotations

import sqlite3

from ctxrepo.hooks.dialect import FIELDS, Dialect, Event


def test_every_field_that_an_agent_tells_has_a_name() -> None:
    values = {name: f"the {name}" for name in FIELDS}
    event = Event("claude", "Stop", values)
    assert {name: getattr(event, name) for name in values} == values


def test_what_was_not_told_is_empty() -> None:
    event = Event("claude", "Stop", {})
    assert set(vars(event).values()) == {"claude", "Stop", ""}


def test_a_dialect_that_knows_no_more_reads_one_path_and_answers_in_plain_text() -> None:
    plain = Dialect("hal", moments={}, fields={}, readers=frozenset(), most_bytes=100)
    db = sqlite3.connect(":memory:")
    wrote = Event("hal", "wrote", {"path": "lib/ship.py", "wrote": "x = 1\n"})
    (file,) = plain.touched(db, wrote, "{}")
    assert (file.path, file.ranges, file.wrote) == ("lib/ship.py", "[]", "x = 1\n")
    assert plain.touched(db, Event("hal", "said", {}), "{}") == []
    assert plain.reply(db, "wakeUp", "<note>\n") == "<note>\n"
