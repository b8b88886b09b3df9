"""What an agent told a hook has our names, and what it did not tell is empty."""

from __future__ import annotations

from ctxrepo.hooks.dialect import FIELDS, Event


def test_every_field_that_an_agent_tells_has_a_name() -> None:
    told = {name: f"the {name}" for name in FIELDS}
    event = Event("claude", "Stop", told)
    assert {name: getattr(event, name) for name in told} == told


def test_what_was_not_told_is_empty() -> None:
    event = Event("claude", "Stop", {})
    assert {getattr(event, name) for name in Event.__slots__} == {"claude", "Stop", ""}
