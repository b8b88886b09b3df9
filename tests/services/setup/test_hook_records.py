"""doctor --hooks: what the agent's records of the last sessions say about our hooks."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from checkout import CLAUDE_RECORDS
from machines import Machine
from sessions import connected

from ctxrepo.hooks.session.ledger import add
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.services.setup.connection import Machine as Workplace
from ctxrepo.services.setup.hook_records import SESSIONS, SUBAGENTS, AgentRecords, hook_records
from ctxrepo.storage.memory import Memory

SAVED = CLAUDE_RECORDS


@pytest.fixture
def mine(ada: Machine) -> Machine:
    """A connected machine, on which the saved sessions came after the connection."""
    connected(ada)
    os.utime(ada.home / ".claude" / "settings.json", (0, 0))
    return ada


def played(machine: Machine, *names: str, drop: str = "\0") -> list[str]:
    """Sessions that the agent left on this machine, without the lines that hold `drop`; their ids."""
    folder = machine.home / ".claude" / "projects" / "-home-ada-shop"
    folder.mkdir(parents=True, exist_ok=True)
    ids = []
    for name in names:
        lines = (SAVED / f"{name}.jsonl").read_text("utf-8").splitlines(keepends=True)
        (folder / f"{name}.jsonl").write_text("".join(line for line in lines if drop not in line))
        ids.append(str(json.loads(lines[0])["sessionId"]))
    return ids


def look(machine: Machine, **env: str) -> AgentRecords:
    environment = {**machine.env, **env}
    memory = Memory.open(machine.places, environment)
    (records,) = hook_records(memory, Workplace(machine.places, environment, Path(sys.executable)))
    assert all(f.problem and f.remedy for f in records.findings)
    return records


def problems(machine: Machine) -> list[str]:
    return [finding.problem for finding in look(machine).findings]


def note_access(machine: Machine, session: str) -> None:
    """What the tool hook leaves when it runs."""
    line = json.dumps({"at": 1.0, "agent": "claude", "session": session, "tool": "Read", "path": "/x"})
    with (machine.open().state.root / "access.jsonl").open("a") as file:
        file.write(line + "\ntorn {\n")


def test_sessions_in_which_all_went_well(mine: Machine) -> None:
    tools, _ = played(mine, "tools", "compacted")
    note_access(mine, tools)
    note_access(mine, "another session")
    records = look(mine)
    assert records.findings == []
    rows = {row.event: row for row in records.rows}
    assert [row.count("ran") for row in rows.values()] == [3, 0, 0, 0, 0, 6, 1, 0]
    assert [row.fates("sent") for row in rows.values()] == [3, 5, 0, 0, 0, 0, 0, 0]
    assert rows["PostToolUse"].noted == 1
    assert rows["Stop"].took == sorted(rows["Stop"].took)
    assert "doesn't record" in rows["UserPromptSubmit"].unrecorded


def test_subagents_are_counted_by_their_ledgers(mine: Machine) -> None:
    tools, _ = played(mine, "tools", "compacted")
    root = str(mine.open().places.state)
    for session, agent in ((tools, "a1"), (tools, "a2"), ("another", "a3")):
        add(ledger_path(root, "claude", session, agent), [f"of {session}"])
    rows = {row.event: row for row in look(mine).rows}
    assert rows["SubagentStart"].noted == 2


def test_what_subagents_did_is_read_beside_the_session(mine: Machine) -> None:
    (session,) = played(mine, "starter")
    before = {row.event: row for row in look(mine).rows}
    assert before["SubagentStart"].happened == 1
    assert (before["SubagentStart"].count("ran"), before["PostToolUse"].happened) == (0, 0)
    folder = mine.home / ".claude" / "projects" / "-home-ada-shop" / "starter" / "subagents"
    folder.mkdir(parents=True)
    shutil.copy(SAVED / "subagent.jsonl", folder / "agent-a72fd8630cb3a8fd4.jsonl")
    (folder / "agent-torn.jsonl").write_text("{torn\n")
    (folder / "journal.jsonl").write_text((SAVED / "subagent.jsonl").read_text())
    records = look(mine)
    assert [record.id for record in records.sessions] == [session]
    assert records.findings == []
    rows = {row.event: row for row in records.rows}
    assert rows["SubagentStart"].happened == 1
    assert [rows["SubagentStart"].count("ran"), rows["SubagentStart"].fates("sent")] == [1, 1]
    assert [rows["PostToolUse"].happened, rows["PostToolUse"].fates("sent")] == [2, 1]
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        assert rows[event] == before[event]


def test_of_very_many_subagents_the_newest_are_read(mine: Machine) -> None:
    played(mine, "starter")
    folder = mine.home / ".claude" / "projects" / "-home-ada-shop" / "starter" / "subagents"
    folder.mkdir(parents=True)
    for number in range(SUBAGENTS + 5):
        shutil.copy(SAVED / "subagent.jsonl", folder / f"agent-{number}.jsonl")
    assert {row.event: row.count("ran") for row in look(mine).rows}["SubagentStart"] == SUBAGENTS


def test_a_hook_that_failed_in_a_subagent_is_found(mine: Machine) -> None:
    played(mine, "starter")
    folder = mine.home / ".claude" / "projects" / "-home-ada-shop" / "starter" / "subagents"
    folder.mkdir(parents=True)
    (line,) = [
        line
        for line in (SAVED / "subagent.jsonl").read_text().splitlines()
        if '"hook_success"' in line and '"SubagentStart"' in line
    ]
    failed = json.loads(line)
    failed["attachment"] |= {"type": "hook_non_blocking_error", "stderr": "no such thing", "exitCode": 127}
    (folder / "agent-a1.jsonl").write_text(json.dumps(failed) + "\n")
    (problem,) = problems(mine)
    assert "the hook of SubagentStart (once" in problem
    assert "no such thing" in problem


def test_one_cause_is_one_finding(mine: Machine) -> None:
    played(mine, "gone")
    (problem,) = problems(mine)
    assert "SessionStart, UserPromptSubmit, PostToolUse, Stop, PreCompact (9 times" in problem
    assert "python-gone: not found" in problem


def test_hooks_that_were_ended(mine: Machine) -> None:
    played(mine, "slow")
    ended = [problem for problem in problems(mine) if "ended the hook" in problem]
    assert len(ended) == 2
    assert "it isn't recorded whose" in ended[1]


def test_failures_from_before_the_hooks_were_written_anew_are_history(mine: Machine) -> None:
    played(mine, "gone", "slow")
    os.utime(mine.home / ".claude" / "settings.json")
    assert problems(mine) == []
    assert {row.event: row.count("failed") for row in look(mine).rows}["Stop"] == 2


def test_a_hook_that_left_no_trace(mine: Machine) -> None:
    played(mine, "tools", drop="hook_")
    messages = problems(mine)
    assert [p for p in messages if "no trace of the hook of SessionStart in 1 of 1 sessions" in p]
    assert [p for p in messages if "no trace of the hook of Stop" in p]
    assert [p for p in messages if "no trace of the hook of PostToolUse" in p]


def test_a_session_from_before_setup_is_not_judged(mine: Machine) -> None:
    played(mine, "tools", drop="hook_")
    os.utime(mine.home / ".claude" / "settings.json")
    assert problems(mine) == []


def test_an_agent_that_is_not_connected_is_not_judged(mine: Machine) -> None:
    played(mine, "tools", drop="hook_")
    (mine.home / ".claude" / "settings.json").write_text("{}")
    os.utime(mine.home / ".claude" / "settings.json", (0, 0))
    assert problems(mine) == []


def test_what_never_came_to_the_model(mine: Machine) -> None:
    (tools,) = played(mine, "tools")
    note_access(mine, tools)
    record = mine.home / ".claude" / "projects" / "-home-ada-shop" / "tools.jsonl"
    sent, given = '"type": "api-request-blob"', "</ctxrepo-memory"
    lines = [
        line.replace(given, "</other") if sent in line else line
        for line in record.read_text().splitlines(keepends=True)
    ]
    record.write_text("".join(lines))
    assert [p for p in problems(mine) if "gave is in no request to the model" in p]


def test_the_end_of_a_session_is_known_from_our_own_notes(mine: Machine) -> None:
    (session,) = played(mine, "compacted")
    line = json.dumps({"id": "1", "name": "session/end", "sessionId": session})
    mine.open().state.anchors.write_text(line + "\n")
    assert {row.event: row.noted for row in look(mine).rows}["SessionEnd"] == 1


def test_only_the_newest_sessions_are_looked_at(mine: Machine) -> None:
    played(mine, "plugin")
    folder = mine.home / ".claude" / "projects" / "-home-ada-shop"
    for number in range(SESSIONS + 5):
        shutil.copy(folder / "plugin.jsonl", folder / f"{number}.jsonl")
    assert len(look(mine).sessions) == SESSIONS


def test_no_records_are_no_problem(mine: Machine) -> None:
    assert look(mine).sessions == []
    assert look(mine).findings == []


def test_no_agent_no_records(ada: Machine) -> None:
    ada.init()
    place = Workplace(ada.places, ada.env, Path(sys.executable))
    assert hook_records(ada.open(), place) == []
