"""What sessions made of entries, as a table and as JSON."""

from __future__ import annotations

import json
import time

import pytest
from machines import Machine

from ctxrepo.storage.cache.entries import entry_by_id


@pytest.fixture
def given(ada: Machine) -> str:
    """The id of an entry that three sessions were given long ago."""
    ada.init()
    name = ada.remember("The staging port is 5433", category="gotcha").id.lstrip("^")
    ada.worker().run()
    at = ada.open().cache.ask(entry_by_id, name)
    assert at
    traces = [
        {
            "at": time.time() - 20 * 86400 + n,
            "agent": "claude",
            "session": f"s-{n}",
            "given": [[name, at.entry.at, 1.0]],
        }
        for n in range(3)
    ]
    ada.open().state.traces.write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    return name


def test_what_was_delivered_is_shown_with_counts(ada: Machine, given: str) -> None:
    text = ada.ctxrepo("stats", "usage").stdout
    head, row, _, sums = text.splitlines()
    assert head.split() == ["delivered", "sessions", "opened", "used", "contradicted", "last", "entry"]
    assert row.split()[:5] == ["3", "3", "0", "0", "0"]
    assert f"^{given}: [gotcha] The staging port is 5433" in row
    assert (
        sums == "3 deliveries; once a session: 3 delivered, 0 opened, 0 used, 0 contradicted; usage rate 0.00"
    )
    assert ada.ctxrepo("stats").stdout == text


def test_as_json(ada: Machine, given: str) -> None:
    data = ada.json("stats", "usage", "--scope", "project")["data"]
    (entry,) = data["entries"]
    assert (entry["id"], entry["delivered"], entry["sessions"]) == (f"^{given}", 3, 3)
    assert data["totals"]["usage_rate"] == 0.0
    assert ada.json("stats", "usage", "--scope", "global")["data"]["entries"] == []


def test_zombies_take_as_many_sessions_as_one_says(ada: Machine, given: str) -> None:
    assert ada.json("stats", "usage", "--zombies")["data"]["entries"] == []
    assert ada.ctxrepo("stats", "usage", "--zombies").stdout.startswith(
        "no entry only takes room\n\n3 deliveries"
    )
    (entry,) = ada.json("stats", "usage", "--zombies", "--sessions", "3")["data"]["entries"]
    assert entry["id"] == f"^{given}"


def test_a_session_that_reads_an_entry_has_opened_it(ada: Machine, given: str) -> None:
    within = Machine(ada.home, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"})
    assert within.ctxrepo("read", f"^{given}").returncode == 0
    assert ada.ctxrepo("read", f"^{given}").returncode == 0
    (entry,) = ada.json("stats", "usage")["data"]["entries"]
    assert entry["opened"] == 1


def test_of_a_memory_that_nobody_was_given_anything_from(ada: Machine) -> None:
    ada.init()
    assert ada.ctxrepo("stats", "usage").stdout.startswith("no session was given an entry yet")
