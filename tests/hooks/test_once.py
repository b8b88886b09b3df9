"""Whatever a session is asked, told and edits: no entry comes to it twice while it says the same."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strict_parser import parse_all
from world import World

from ctxrepo.agents.claude.dialect import DIALECT as CLAUDE
from ctxrepo.hooks.door import answer

FACTS = (
    "staging database listens on port 5433",
    "refunds are retried by the bank at midnight",
    "the courier rejects parcels above thirty kilos",
    "invoices are rounded half to even",
    "src/pay.py must not retry a refund",
    "translations live in locale and are built by make words",
)
PLACES = ("shop/MEMORY.md", "global/MEMORY.md", "shop/topics/a.md", "shop/topics/b.md", "shop/SCRATCHPAD.md")
FORMS = ("- {}", "- *(pinned)* {}", "- [ ] {}", "- [lesson] {}")

NOTES = st.lists(
    st.tuples(st.sampled_from(PLACES), st.sampled_from(FORMS), st.sampled_from(FACTS)), min_size=1, max_size=8
)
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("UserPromptSubmit"),
            st.lists(st.sampled_from(FACTS), min_size=1, max_size=2).map(" ".join),
        ),
        st.tuples(st.just("PostToolUse"), st.just("src/pay.py")),
        st.tuples(st.just("change"), NOTES),
        st.tuples(st.just("compact"), st.just("")),
    ),
    max_size=6,
)


@pytest.mark.slow
@example([("shop/MEMORY.md", "- {}", FACTS[0])], [("UserPromptSubmit", FACTS[0]), ("compact", "")], "daily")
@settings(max_examples=25)
@given(NOTES, STEPS, st.sampled_from(["", "daily", "semantic"]))
def test_no_entry_comes_twice(
    first: list[tuple[str, str, str]], steps: list[tuple[str, Any]], preset: str
) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
        world = World(Path(root))
        world.compile(preset=preset, gate="off")
        world.cache("c0", _written(first))
        seen = _told(world, "SessionStart", {"source": "startup"})
        assert len(seen) == len(set(seen))
        for number, (kind, what) in enumerate(steps, 1):
            if kind == "change":
                world.cache(f"c{number}", _written(what))
                continue
            if kind == "compact":  # it has forgotten what it was given
                seen = _told(world, "SessionStart", {"source": "compact"})
                assert len(seen) == len(set(seen))
                continue
            payload = {"prompt": what} if kind == "UserPromptSubmit" else _edited(world, what)
            pairs = _told(world, kind, payload)
            assert len(pairs) == len(set(pairs))
            assert not set(pairs) & set(seen)
            seen += pairs
        assert world.errors() == ""


def _written(rows: list[tuple[str, str, str]]) -> dict[str, str]:
    notes: dict[str, str] = {}
    for path, form, fact in dict.fromkeys(rows):
        notes[path] = notes.get(path, "") + form.format(fact) + "\n"
    return notes


def _edited(world: World, path: str) -> dict[str, Any]:
    return {"tool_name": "Edit", "tool_input": {"file_path": str(world.code / path)}}


def _told(world: World, event: str, fields: dict[str, Any]) -> list[tuple[str, str]]:
    """(note, text) of every entry that is given, in whichever lane."""
    payload = {"session_id": "s", "cwd": str(world.code), **fields}
    out = answer(CLAUDE, event, str(world.state), json.dumps(payload).encode())
    text = json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
    pairs: list[tuple[str, str]] = []
    for block in parse_all(text):
        pairs += [(entry.at.partition("#")[0], entry.text) for entry in block.entries]
        pairs += [(path, line) for path, body in block.bodies.items() for line in body.splitlines()]
        for title, lines in block.listed.items():
            if title != "Files touched last":
                pairs += [(line.path.partition("#")[0], line.description) for line in lines]
    return pairs
