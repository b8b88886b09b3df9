"""What a hook loads: imports are most of what it costs, and `typing` alone takes as long as a bare start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from world import HOOK, NOTES, World

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.hooks.tickets import ticket

ALLOWED = {"posix", "time", "gc", "fcntl", "_signal", "_blake2"}
"""What a hook loads of Python beside `os` and SQLite with all that these bring along."""

_DRIVER = """
import sys, os, _sqlite3
bare = set(sys.modules)
sys.path.append({package!r})
from ctxrepo.faces.hook import main
main(["claude", {event!r}, {state!r}])
os.write(2, "\\n".join(sorted(set(sys.modules) - bare)).encode())
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.cache("c2", {"shop/late.md": "- x\n"}, faults=("a fault",))
    return world


def loaded(world: World, event: str, **fields: object) -> set[str]:
    payload = {"cwd": str(world.code), "session_id": "s", "transcript_path": "/t", **fields}
    code = _DRIVER.format(package=str(HOOK.parents[1]), event=event, state=str(world.state))
    words = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(words, input=json.dumps(payload).encode(), capture_output=True, check=True)
    assert world.errors() == ""
    return set(done.stderr.decode().split())


@pytest.mark.parametrize(
    ("event", "payload", "module"),
    [
        ("SessionStart", {"source": "startup"}, "hooks.moments.start"),
        ("SessionStart", {"source": "resume"}, "hooks.moments.start"),
        ("UserPromptSubmit", {"prompt": "which port is the staging database on?"}, "hooks.packet.sections"),
        ("UserPromptSubmit", {"prompt": "ok"}, "domain.words.prompt_terms"),
        (
            "PostToolUse",
            {"tool_name": "Edit", "tool_input": {"file_path": "MEMORY/a.md"}},
            "hooks.packet.sections",
        ),
        (
            "PostToolUse",
            {"tool_name": "Read", "tool_input": {"file_path": "/elsewhere"}},
            "hooks.moments.tool",
        ),
        ("SubagentStart", {"agent_id": "a1"}, "hooks.moments.subagent"),
        ("Stop", {}, "hooks.wakeup"),
        ("PreCompact", {"trigger": "auto"}, "hooks.wakeup"),
        ("SessionEnd", {"reason": "exit"}, "hooks.wakeup"),
        ("Notification", {}, "agents.claude.dialect"),
    ],
    ids=str,
)
def test_every_moment_loads_only_what_it_may(
    world: World, event: str, payload: dict[str, object], module: str
) -> None:
    fields = json.loads(json.dumps(payload).replace("MEMORY", str(world.memory)))
    names = loaded(world, event, **fields)
    assert f"ctxrepo.{module}" in names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()


def test_so_does_one_that_finds_a_change_made_by_hand(world: World) -> None:
    (world.memory / ".git").mkdir()
    (world.memory / ".git/HEAD").write_text("c3\n")
    names = loaded(world, "UserPromptSubmit", prompt="ok")
    assert {"ctxrepo.hooks.known.freshness", "ctxrepo.hooks.wakeup"} <= names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()
    assert world.starts(1)


def test_one_that_asks_for_meanings(world: World) -> None:
    world.compile(semantic="on")
    names = loaded(world, "UserPromptSubmit", prompt="which port is the staging database on?")
    assert "ctxrepo.hooks.recall.ask_helper" in names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == {"_socket"}
    assert world.starts(1)


def test_a_prompt_that_is_not_ascii_loads_what_folds_it_and_no_more(world: World) -> None:
    names = loaded(world, "UserPromptSubmit", prompt="auf welchem Port läuft die Datenbank?")
    assert "ctxrepo.domain.words.folding" in names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == {"unicodedata"}
    plain = loaded(world, "UserPromptSubmit", prompt="which port is the staging database on?")
    assert not plain & {"ctxrepo.domain.words.folding", "ctxrepo.domain.unseen"}


def test_others_load_no_socket(world: World) -> None:
    names = loaded(world, "UserPromptSubmit", prompt="which port is the staging database on?")
    assert not names & {"ctxrepo.hooks.recall.ask_helper", "_socket"}


def test_of_the_tape_only_what_a_prompt_asks_for(world: World) -> None:
    world.compile(tape_enabled="on", tape_keywords="migration", tape_bridge_seconds="60")
    names = loaded(world, "UserPromptSubmit", prompt="after the migration of the payments")
    assert "ctxrepo.hooks.moments.keyword_block" in names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()
    world.compile(tape_keywords="")
    loaded(world, "SessionStart", source="startup")
    for _ in range(2):
        names = loaded(world, "UserPromptSubmit", prompt="after the migration of the payments")
        assert not {
            name for name in names if name.endswith(("keywords", "keyword_block", "bridge_block", "bm25"))
        }
    (world.folder / "bridges").mkdir(mode=0o700)
    (world.folder / "bridges/claude-s.jsonl").write_text('{"kind":"session"}')
    names = loaded(world, "UserPromptSubmit", prompt="after the migration of the payments")
    assert {"ctxrepo.hooks.moments.bridge_block", "ctxrepo.domain.words.bm25"} <= names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()


def test_a_project_that_is_not_known_yet(world: World) -> None:
    (world.code / ".git/config").write_text("[core]\n\tbare = false\n")
    names = loaded(world, "UserPromptSubmit", prompt="which port is the staging database on?")
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()
    assert world.starts(1)


def test_a_surprise_is_written_down_with_no_more(world: World) -> None:
    world.spoil()
    payload = {"cwd": str(world.code), "session_id": "s"}
    code = _DRIVER.format(package=str(HOOK.parents[1]), event="SessionStart", state=str(world.state))
    words = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(words, input=json.dumps(payload).encode(), capture_output=True, check=True)
    assert "no such table" in world.errors()
    names = set(done.stderr.decode().split())
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()


def test_a_command_that_failed_loads_what_runs_one_again_only_for_a_ticket(world: World) -> None:
    words = ["ctxrepo", "remember", "x"]
    payload = {"tool_name": "Bash", "tool_input": {"command": " ".join(words)}}
    usual = loaded(world, "PostToolUseFailure", error="Exit code 1\nctxrepo: nothing is saved", **payload)
    assert not usual & {"ctxrepo.hooks.rerun", "ctxrepo.hooks.tickets"}
    made = ticket(world.settings["secret"], "example/shop", words)
    names = loaded(world, "PostToolUseFailure", error=made, **payload)
    assert {"ctxrepo.hooks.rerun", "ctxrepo.hooks.tickets"} <= names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()
    assert world.starts(1)


BEFORE = {"tool_name": "Bash", "tool_input": {"command": "kubectl apply"}}


def held(world: World, rule: str) -> None:
    path, text = "shop/MEMORY.md", "- nobody deploys by hand\n"
    (entry,) = (fact.id for fact in Note(path, text).entries)
    record = Evidence("e1", "2026-11-01", "enforced", entry, path, rule=rule)
    world.cache("c3", {path: text}, records=[record])
    world.approve(entry, rule)


def test_before_a_tool_next_to_nothing_is_loaded_where_nobody_approved_a_rule(world: World) -> None:
    names = loaded(world, "PreToolUse", **BEFORE)
    assert {"ctxrepo.hooks.moments.before_tool", "ctxrepo.hooks.known.enforced"} <= names
    assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()
    assert "ctxrepo.hooks.moments.before_tool" not in loaded(world, "Stop")


@pytest.mark.parametrize(
    ("rule", "more"),
    [
        ("block command kubectl apply", set()),
        ("verify command git push needs make test", set()),
        ("block pattern kubectl +apply", {"re"}),
        ("warn tool Bash", {"re", "fnmatch"}),
    ],
)
def test_only_an_expression_or_a_glob_loads_more(world: World, rule: str, more: set[str]) -> None:
    held(world, rule)
    names = loaded(world, "PreToolUse", **BEFORE)
    heavy = {"re", "fnmatch", "json", "typing", "dataclasses"}
    assert heavy & names == more
    if not more:
        assert {name for name in names if not name.startswith("ctxrepo")} - ALLOWED == set()
    assert "ctxrepo.hooks.moments.before_tool" in loaded(world, "Stop")


def test_a_fault_that_a_session_was_told_costs_its_next_tools_next_to_nothing(world: World) -> None:
    """A fault may stand for weeks, and tools are used all day."""
    elsewhere = {"tool_name": "Read", "tool_input": {"file_path": "/elsewhere"}}
    first, second = (loaded(world, "PostToolUse", **elsewhere) for _ in range(2))
    assert "ctxrepo.hooks.session.session" in first
    assert {name for name in first - second if name.startswith("ctxrepo.")} > {
        "ctxrepo.hooks.packet.sections"
    }
    assert {name for name in second if name.startswith("ctxrepo.hooks.session.")} == {
        "ctxrepo.hooks.session.ledger_file"
    }
