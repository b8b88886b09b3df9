"""The extension: hooks that Gemini CLI loads from a folder of this repository, and what they call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from machines import Machine
from plugin_calls import answer_to

import ctxrepo
from ctxrepo.agents.gemini.install import SETTINGS
from ctxrepo.agents.hook_line import HookLine

EXTENSION = CHECKOUT / "hooks/gemini"


def loaded(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def call(machine: Machine, folder: Path = EXTENSION, prompt: str = "hello there", **env: str) -> str:
    """What Gemini CLI would get at the first prompt; it ends with 0, and complains of nothing."""
    (group,) = loaded(EXTENSION / "hooks/hooks.json")["hooks"]["BeforeAgent"]
    command = group["hooks"][0]["command"].replace("${extensionPath}", str(folder))
    payload = {"session_id": "s", "prompt": prompt}
    return answer_to(machine, ["bash", "-c", command], payload, **env)


def test_its_manifest_agrees_with_the_package_and_the_plugin() -> None:
    manifest = loaded(EXTENSION / "gemini-extension.json")
    plugin = loaded(CHECKOUT / ".claude-plugin/plugin.json")
    assert manifest["version"] == ctxrepo.__version__
    assert {name: manifest[name] for name in ("name", "description")} == {
        name: plugin[name] for name in ("name", "description")
    }


def test_its_hooks_are_those_that_setup_writes() -> None:
    def line(event: str) -> str:
        return f'sh "${{extensionPath}}/../run" gemini {event} 2>/dev/null || :'

    wanted = SETTINGS.entries(line)
    hooks = loaded(EXTENSION / "hooks/hooks.json")["hooks"]
    assert hooks == {event: [group] for event, group in wanted.items()}


def test_it_delivers_what_the_settings_form_does(known: Machine) -> None:
    assert "Answer in Dutch" in call(known)


@pytest.mark.slow
def test_it_leaves_the_answer_to_hooks_that_setup_wrote(known: Machine, tmp_path: Path) -> None:
    line = HookLine(Path("/usr/bin/python3"), Path("/it's/ctxrepo/hook.py"), known.places.state)
    settings = tmp_path / "elsewhere/.gemini/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS.connect("{ // mine\n}", lambda event: line("gemini", event)))
    assert call(known, GEMINI_CLI_HOME=str(tmp_path / "elsewhere")) == ""
    assert "Answer in Dutch" in call(known)


def test_a_copy_that_lost_its_program_is_silent(known: Machine, tmp_path: Path) -> None:
    assert call(known, tmp_path / "copied") == ""


def test_before_init_it_is_silent(ada: Machine) -> None:
    assert call(ada) == ""
