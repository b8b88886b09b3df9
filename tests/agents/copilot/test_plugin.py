"""The plugin form: what Copilot CLI finds in the checkout says the same as what setup writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from checkout import CHECKOUT
from machines import Machine
from plugin_calls import answer_to

import ctxrepo
from ctxrepo.agents.copilot import install
from ctxrepo.agents.copilot.dialect import DIALECT
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.storage.user import assets

EVENTS = DIALECT.event_names()


def manifest(path: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((CHECKOUT / path).read_text())
    return document


def call(machine: Machine, event: str = "sessionStart", **env: str) -> str:
    """What Copilot would get from the plugin; it ends with 0, and complains of nothing."""
    payload = {"sessionId": "s", "source": "new"}
    return answer_to(machine, ["sh", str(CHECKOUT / "hooks/run"), "copilot", event], payload, **env)


def test_its_manifest_agrees_with_claude_codes() -> None:
    ours, theirs = manifest(".github/plugin/plugin.json"), manifest(".claude-plugin/plugin.json")
    for key in ("name", "description", "author", "license", "keywords"):
        assert ours[key] == theirs[key]
    assert ours["version"] == ctxrepo.__version__
    assert (CHECKOUT / ours["skills"]).is_dir()


def test_its_hooks_are_those_that_setup_writes() -> None:
    written = (CHECKOUT / manifest(".github/plugin/plugin.json")["hooks"]).read_text()
    run = 'sh "${{COPILOT_PLUGIN_ROOT}}/hooks/run" copilot {}'
    assert written == install.document(run.format, EVENTS)


def test_it_delivers_what_the_settings_form_does(known: Machine) -> None:
    answer = json.loads(call(known))
    assert "Answer in Dutch" in answer["additionalContext"]
    assert call(known, "preToolUse") == ""


@pytest.mark.parametrize("folder", [".copilot", "it's é"])
def test_it_leaves_the_answer_to_hooks_that_setup_wrote(known: Machine, folder: str) -> None:
    line = HookLine(known.home / "python", known.home / "it's/ctxrepo/hook.py", known.places.state)
    file = known.home / folder / "hooks/ctxrepo.json"
    file.parent.mkdir(parents=True)
    named = {} if folder == ".copilot" else {"COPILOT_HOME": str(file.parents[1])}
    file.write_text(install.document(lambda event: line("copilot", event), EVENTS))
    assert call(known, **named) == ""
    other = install.document(lambda event: line("copilot", event).replace("sessionStart", "other"), EVENTS)
    file.write_text(other)
    assert "Answer in Dutch" in call(known, **named)
    file.unlink()
    assert "Answer in Dutch" in call(known, **named)


def test_both_forms_are_packaged() -> None:
    assert {"copilot/hooks.json", "copilot/ctxrepo.json"} <= set(map(str, assets.files("hooks")))
