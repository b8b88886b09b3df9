"""What hooks know of the settings of the tape: for pi's sessions what pi's own settings say."""

from __future__ import annotations

import json
import sys

import pytest
from machines import Machine

from ctxrepo.hooks.known.world import AgentDelivery, CompiledTape, World, open_hooks, tape_of, world_of
from ctxrepo.services.repository.published import publish_settings


def world_there(known: Machine, agent: str = "") -> World:
    publish_settings(known.open(), sys.executable)
    state = str(known.places.state)
    db = open_hooks(state)
    assert db is not None
    world = world_of(db, state, AgentDelivery(agent))
    assert world is not None
    return world


def compiled(known: Machine, agent: str) -> CompiledTape:
    return tape_of(world_there(known), agent)


def owner(known: Machine, agent: str) -> str:
    return world_there(known, agent).tape_owner


def test_config_toml_holds_for_every_agent(known: Machine) -> None:
    known.ctxrepo("config", "set", "tape.keywords", "refactor,migration")
    for agent in ("claude", "pi"):
        tape = compiled(known, agent)
        assert (tape.is_on, tape.keywords, tape.bridge_seconds) == (True, ["refactor", "migration"], 60)
        assert (tape.has_tools, tape.label_prefix) == (False, "⚓ ")


def test_pis_own_settings_hold_for_pi_alone(known: Machine) -> None:
    tape = {"anchor": {"keywords": {"global": ["Deploy"]}, "labelPrefix": "# "}}
    settings = known.places.user_home / ".pi/agent/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"pi-memory-md": {"tape": tape}}))
    assert compiled(known, "claude").keywords == []
    compiled_tape = compiled(known, "pi")
    assert (compiled_tape.keywords, compiled_tape.has_tools, compiled_tape.label_prefix) == (
        ["deploy"],
        True,
        "# ",
    )
    assert (compiled_tape.bridge_seconds, compiled_tape.only_git) == (0, True)


def test_tools_are_pis_alone_and_whose_settings_hold_is_told(known: Machine) -> None:
    assert [owner(known, agent) for agent in ("claude", "pi")] == ["", ""]
    known.ctxrepo("config", "set", "tape.tools", "true")
    known.ctxrepo("config", "set", "tape.mode", "manual")
    assert [compiled(known, agent).has_tools for agent in ("claude", "pi")] == [False, True]
    assert [compiled(known, agent).is_manual for agent in ("claude", "pi")] == [True, True]
    assert [owner(known, agent) for agent in ("claude", "pi")] == ["", "pi"]


def test_what_an_older_worker_compiled_switches_the_tape_off() -> None:
    assert not CompiledTape({}).is_on


@pytest.mark.parametrize(
    ("cwd", "is_in_project", "wanted"),
    [("/a/b", True, False), ("/a/b", False, True), ("/tmp/x", True, True), ("/tmpx", True, False)],
)
def test_d14_d15_folders_that_are_left_alone(cwd: str, is_in_project: bool, wanted: bool) -> None:
    tape = CompiledTape({"tape_enabled": "on", "tape_only_git": "on", "tape_exclude_dirs": "/tmp/"})
    assert tape.leaves_alone(cwd, is_in_project) is wanted
