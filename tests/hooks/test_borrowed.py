"""An agent that also runs the hooks of another agent's settings is answered by its own hooks alone."""

from __future__ import annotations

import pytest
from machines import Machine
from world import World

from ctxrepo.agents import dialect_of, names
from ctxrepo.storage.state.compiled import read_settings


def test_a_hook_that_another_agent_runs_says_nothing_and_notes_nothing(world: World) -> None:
    world.compile(hook_marks="ODD_RUNS_HOOKS=odd OTHER_RUNS_HOOKS=other")
    assert world.run("SessionStart", env={"OTHER_RUNS_HOOKS": "1.7"}) == ""
    assert world.run("UserPromptSubmit", env={"ODD_RUNS_HOOKS": "1"}, prompt="staging port") == ""
    assert world.spooled() == []
    assert world.starts(0)
    assert world.run("SessionStart", env={"OTHER_RUNS_HOOKS": ""}) != ""


def test_an_agent_that_marks_hooks_is_answered_when_it_runs_its_own(world: World) -> None:
    world.compile(hook_marks="CLAUDE_RUNS_HOOKS=claude OTHER_RUNS_HOOKS=other")
    assert world.run("SessionStart", env={"CLAUDE_RUNS_HOOKS": "1"}) != ""
    assert world.run("SessionEnd", env={"CLAUDE_RUNS_HOOKS": "1", "OTHER_RUNS_HOOKS": "1"}) == ""
    assert [line["event"] for line in world.spooled()] == ["start", "end"]


def test_hooks_are_told_of_every_agent_that_marks_them(ada: Machine) -> None:
    ada.init()
    marks = dict(mark.split("=") for mark in read_settings(ada.open().places.state)["hook_marks"].split())
    wanted = {name: dialect.hook_mark for name in names() if (dialect := dialect_of(name))}
    assert marks == {mark: name for name, mark in wanted.items() if mark}


@pytest.mark.parametrize("name", names())
def test_no_command_in_a_session_finds_the_mark_of_its_hooks(name: str) -> None:
    """A mark that shells have as well would silence the hooks of an agent that is started in one."""
    from ctxrepo.agents.known import AGENTS

    dialect = dialect_of(name)
    assert dialect is not None
    assert dialect.hook_mark not in {AGENTS[name].identity.SESSION, *AGENTS[name].identity.MARKS} - {""}
