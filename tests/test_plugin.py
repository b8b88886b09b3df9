"""The plugin form: the checkout as Claude Code installs it, and the program that its hooks call."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from long import rotating
from machines import Machine
from plugin_calls import answer_to

import ctxrepo
from ctxrepo.agents.claude.install import SETTINGS
from ctxrepo.agents.hook_line import HookLine

CHECKOUT = Path(__file__).resolve().parents[1]
RUN = CHECKOUT / "hooks/run"
SHELLS = [found for name in ("sh", "bash", "dash", "zsh", "busybox", "ksh") if (found := shutil.which(name))]


def manifest(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CHECKOUT / ".claude-plugin" / name).read_text())
    return found


def call(machine: Machine, event: str = "SessionStart", shell: str = "sh", **env: str) -> str:
    """What Claude Code would get from the plugin; it ends with 0, and complains of nothing."""
    words = [shell, "sh"] if shell.endswith("busybox") else [shell]
    said = {
        "session_id": "s",
        "source": "startup",
        "prompt": "tests redis",
    }
    return answer_to(machine, [*words, str(RUN), "claude", event], said, **env)


def test_its_manifests_agree_with_the_package() -> None:
    plugin, market = manifest("plugin.json"), manifest("marketplace.json")
    assert plugin["version"] == ctxrepo.__version__
    (listed,) = market["plugins"]
    assert (listed["name"], listed["source"]) == (plugin["name"], "./")
    assert listed["description"] == plugin["description"]
    assert (CHECKOUT / plugin["hooks"]).is_file()


def test_its_hooks_are_those_that_setup_writes() -> None:
    hooks = json.loads((CHECKOUT / manifest("plugin.json")["hooks"]).read_text())["hooks"]
    wanted = SETTINGS.entries(lambda event: f'sh "${{CLAUDE_PLUGIN_ROOT}}/hooks/run" claude {event}')
    assert hooks == {event: [group] for event, group in wanted.items()}


def test_every_skill_is_where_a_plugin_has_it() -> None:
    names = [p.name for p in (CHECKOUT / "skills").iterdir()]
    assert len(names) > 2
    for name in names:
        assert f"\nname: {name}\n" in (CHECKOUT / "skills" / name / "SKILL.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("shell", rotating(SHELLS, keep=2))
def test_it_delivers_what_the_settings_form_does(known: Machine, shell: str) -> None:
    assert "Answer in Dutch" in call(known, shell=shell)


@pytest.mark.parametrize(
    ("named", "given"),
    [
        ("CTXREPO_STATE", "{home}/else where/ctxrepo"),
        ("CTXREPO_STATE", "~/else where/ctxrepo"),
        ("XDG_STATE_HOME", "{home}/else where"),
    ],
)
def test_the_state_folder_may_be_elsewhere(known: Machine, named: str, given: str) -> None:
    elsewhere = {named: given.format(home=known.home)}
    known.places.state.rename(known.home / "old state")
    Machine(known.home, elsewhere).init()
    assert "Answer in Dutch" in call(known, **elsewhere)
    assert call(known) == ""


def test_before_init_it_is_silent_and_makes_nothing(ada: Machine) -> None:
    before = sorted(ada.home.rglob("*"))
    assert call(ada) == ""
    assert sorted(ada.home.rglob("*")) == before


def test_a_state_folder_inside_a_project_is_no_state_folder(known: Machine) -> None:
    # SQLite's log and index of it go when the last connection is closed, which may be at any moment.
    passing = shutil.ignore_patterns("*-wal", "*-shm")
    shutil.copytree(known.places.state, known.project_folder / "state", ignore=passing)
    assert call(known, CTXREPO_STATE="state") == ""
    assert call(known, CTXREPO_STATE="./state") == ""


@pytest.mark.slow
@pytest.mark.parametrize("folder", [".claude", "it's é"])
def test_it_leaves_the_answer_to_hooks_that_setup_wrote(known: Machine, folder: str) -> None:
    line = HookLine(Path("/usr/bin/python3"), Path("/it's/ctxrepo/hook.py"), known.places.state)
    settings = known.home / folder / "settings.json"
    settings.parent.mkdir()
    named = {} if folder == ".claude" else {"CLAUDE_CONFIG_DIR": str(settings.parent)}
    written = SETTINGS.connect("{}", lambda event: line("claude", event))
    settings.write_text(written)
    assert call(known, **named) == ""
    # What takes the settings form away, by whatever hand, brings the plugin back; event by event.
    settings.write_text(written.replace("claude SessionStart ", "claude Start "))
    assert "Answer in Dutch" in call(known, **named)
    settings.write_text(SETTINGS.disconnect(written))
    assert "Answer in Dutch" in call(known, **named)
    settings.unlink()
    assert "Answer in Dutch" in call(known, **named)
