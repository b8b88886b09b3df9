"""The plugin form for Codex: the same hooks that setup writes, from one source."""

from __future__ import annotations

import json
from typing import Any

from checkout import CHECKOUT

from ctxrepo.agents.codex.install import HOOKS
from ctxrepo.agents.hook_line import NAME


def read(name: str) -> Any:
    return json.loads((CHECKOUT / name).read_text("utf-8"))


def test_its_manifest_is_that_of_the_other_plugin_but_for_its_hooks() -> None:
    ours, other = read(".codex-plugin/plugin.json"), read(".claude-plugin/plugin.json")
    assert {**ours, "hooks": ""} == {**other, "hooks": ""}
    assert ours["name"] == NAME
    assert (CHECKOUT / ours["hooks"]).is_file()


def test_its_hooks_are_those_that_setup_writes() -> None:
    wanted = HOOKS.entries(lambda event: f'sh "${{PLUGIN_ROOT}}/hooks/run" codex {event}')
    assert read(read(".codex-plugin/plugin.json")["hooks"])["hooks"] == {
        event: [group] for event, group in wanted.items()
    }
