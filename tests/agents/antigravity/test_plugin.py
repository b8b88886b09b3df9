"""The plugin form: what `agy plugin install` takes from the checkout, and what its hooks call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from checkout import CHECKOUT
from hook_commands import run_hook
from machines import Machine

import ctxrepo
from ctxrepo.agents.antigravity.install import HOOKS
from ctxrepo.agents.hook_line import HookLine


def loaded(path: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((CHECKOUT / path).read_text("utf-8"))
    return document


def call(machine: Machine, event: str = "PreInvocation") -> Any:
    """What Antigravity reads of the plugin's hook, which it runs in the folder of the list."""
    (entry,) = loaded("hooks.json")["ctxrepo"][event]
    (handler,) = entry.get("hooks", [entry])
    payload = {"conversationId": "c-1", "workspacePaths": [str(machine.project_folder)], "invocationNum": 0}
    return run_hook(handler["command"], payload, machine.env, CHECKOUT)


def test_its_manifest_agrees_with_claude_codes() -> None:
    ours, other = loaded(".antigravity-plugin/plugin.json"), loaded(".claude-plugin/plugin.json")
    assert ours == {key: other[key] for key in ("name", "version", "description")}
    assert ours["version"] == ctxrepo.__version__


def test_its_hooks_are_those_that_setup_writes() -> None:
    wanted = HOOKS.entries(lambda event: f"sh ./hooks/run antigravity {event} 2>/dev/null || :")
    assert loaded("hooks.json") == {"ctxrepo": {event: [hook] for event, hook in wanted.items()}}


def test_it_delivers_what_the_settings_form_does(known: Machine) -> None:
    (step,) = call(known)["injectSteps"]
    assert "Answer in Dutch" in step["ephemeralMessage"]
    assert call(known, "Stop") == {}


def test_it_leaves_the_answer_to_hooks_that_setup_wrote(known: Machine) -> None:
    line = HookLine(Path("/usr/bin/python3"), Path("/it's/ctxrepo/hook.py"), known.places.state)
    settings = known.home / ".gemini/config/hooks.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(HOOKS.connect("", lambda event: line("antigravity", event)))
    assert call(known) == {}
    settings.unlink()
    assert "injectSteps" in call(known)


def test_before_init_it_says_nothing_in_the_form_that_is_wanted(ada: Machine) -> None:
    for event in HOOKS.events:
        assert call(ada, event) == {}
