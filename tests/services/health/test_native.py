"""An agent's own memory is named where it is on, with the line that turns it off; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from machines import make_ada

from ctxrepo.services.health.doctor import check_native_memories
from ctxrepo.services.setup.connection import Machine

Stands = Callable[[Machine], str]
"""What is said of agents' own memories on a machine."""


@pytest.fixture
def stands(tmp_path: Path) -> Stands:
    memory = make_ada(tmp_path / "memory").open()

    def look(machine: Machine) -> str:
        outcome = check_native_memories(memory, machine)
        assert outcome is None or not outcome.findings
        return outcome.stands if outcome else ""

    return look


def test_claude_codes_is_on_unless_it_is_turned_off(stands: Stands, machine: Machine, settings: Path) -> None:
    settings.parent.mkdir(parents=True)
    text = f'"autoMemoryEnabled": false in {settings} turns it off'
    assert stands(machine).endswith(text)
    settings.write_text('{"autoMemoryEnabled": true}')
    assert stands(machine).endswith(text)
    settings.write_text('{"autoMemoryEnabled": false}')
    assert stands(machine) == ""


def test_the_environment_may_turn_it_off_too(stands: Stands, machine: Machine, settings: Path) -> None:
    settings.parent.mkdir(parents=True)
    assert stands(replace(machine, environment={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"})) == ""


@pytest.mark.parametrize("text", ["{torn", "[]", "\ufeff"])
def test_settings_that_cannot_be_read_are_told_elsewhere(
    stands: Stands, machine: Machine, settings: Path, text: str
) -> None:
    settings.parent.mkdir(parents=True)
    settings.write_text(text)
    stands(machine)
    assert settings.read_text() == text


def test_codex_is_named_only_where_somebody_turned_its_memories_on(
    stands: Stands, machine: Machine, home: Path
) -> None:
    config = home / ".codex/config.toml"
    config.parent.mkdir()
    assert stands(machine) == ""
    config.write_text("[features]\nmemories = true\n")
    assert "Codex' memories" in stands(machine)
    config.write_text("[features]\nmemories = false\n")
    assert stands(machine) == ""


def test_an_agent_that_is_not_here_is_not_named(stands: Stands, machine: Machine) -> None:
    assert stands(machine) == ""
