"""The plugin form: the bridge in hooks/, which calls `hooks/run`. Where both are, setup's answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkout import CHECKOUT
from connecting import workplace
from machines import Machine
from plugin_calls import answer_to

from ctxrepo.agents.opencode import install
from ctxrepo.services.setup import setup

HOOKS = CHECKOUT / "hooks"


def call(machine: Machine, event: str = "session.created", **env: str) -> str:
    """What the bridge is answered that setup has put no line into: its own, run as it runs it."""
    line = 'sh "$0" opencode EVENT '
    assert f"'{line}'" in (HOOKS / install.BRIDGE).read_text()
    line = line.replace("EVENT", event)
    payload = {"session": "s", "source": "startup"}
    return answer_to(machine, ["sh", "-c", line, str(HOOKS / "run")], payload, **env)


def test_it_finds_ctxrepo_by_itself(known: Machine) -> None:
    assert 'new URL("../run", import.meta.url)' in (HOOKS / install.BRIDGE).read_text()
    assert (HOOKS / install.BRIDGE).parent.parent.joinpath("run").is_file()
    assert "Answer in Dutch" in call(known)


def test_before_init_it_is_silent(ada: Machine) -> None:
    assert call(ada) == ""


@pytest.mark.parametrize("folder", ["", "els é"])
def test_it_leaves_the_answer_to_the_bridge_that_setup_wrote(known: Machine, folder: str) -> None:
    env = {"XDG_CONFIG_HOME": str(known.home / folder)} if folder else {}
    machine = workplace(known, **env)
    (program, *_) = install.files(known.home, machine.environment, str)
    setup.apply(setup.plan("opencode", machine))
    assert Path(program.path).is_file()
    assert [event for event in install.EVENTS if call(known, event, **env)] == []
    setup.apply(setup.removal("opencode", machine))
    assert "Answer in Dutch" in call(known, **env)
