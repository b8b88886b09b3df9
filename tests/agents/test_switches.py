"""What an agent's settings say of its switches, in each format and in each place."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.switches import Layer, Switch, read_switches
from ctxrepo.errors import ConfigError

USER, PROJECT = Path("/u"), Path("/p")


def switch(agent: str, key: str) -> Switch:
    (switch,) = (each for each in AGENTS[agent].switches if each.key == key)
    return switch


@pytest.mark.parametrize(
    ("agent", "key", "text", "is_off"),
    [
        ("claude", "disableAllHooks", '{"disableAllHooks": true}', True),
        ("claude", "disableAllHooks", '\ufeff{"disableAllHooks": true}', True),
        ("claude", "disableAllHooks", '{"disableAllHooks": false}', False),
        ("claude", "disableAllHooks", '{"disableAllHooks": 1}', False),
        ("claude", "disableAllHooks", '{"disableAllHooks": null}', None),
        ("claude", "disableAllHooks", '{"x": {"disableAllHooks": true}}', None),
        ("claude", "disableAllHooks", "[]", None),
        ("claude", "disableAllHooks", "", None),
        ("codex", "features.hooks", "[features]\nhooks = false # mine\n", True),
        ("codex", "features.hooks", "features.hooks = true", False),
        ("codex", "features.hooks", "features = 7", None),
        ("gemini", "hooksConfig.enabled", '{"hooksConfig": {"enabled": false}}', True),
        ("gemini", "hooksConfig.enabled", '{"hooksConfig": []}', None),
        ("gemini", "hooksConfig.disabled", '{// a\n"hooksConfig": {"disabled": ["b", "ctxrepo"]}}', True),
        ("gemini", "hooksConfig.disabled", '{"hooksConfig": {"disabled": ["b"]}}', None),
        ("copilot", "disableAllHooks", '{"disableAllHooks": true} // mine', True),
    ],
)  # fmt: skip
def test_what_settings_say(agent: str, key: str, text: str, is_off: bool | None) -> None:
    assert switch(agent, key).is_off(text) is is_off


@pytest.mark.parametrize(
    ("agent", "key", "text"),
    [
        ("claude", "disableAllHooks", "{"),
        ("claude", "disableAllHooks", "{} // mine"),
        ("codex", "features.hooks", "x ="),
        ("gemini", "hooksConfig.enabled", "[" * 1000),
    ],
)
def test_what_cannot_be_read_says_nothing(agent: str, key: str, text: str) -> None:
    with pytest.raises((ValueError, ConfigError)):
        switch(agent, key).is_off(text)


def test_places_go_from_the_one_that_yields_to_the_one_that_none_overrules() -> None:
    (switch,) = read_switches("# what\n\noff\ttrue\tjson\t$V|/mac|/etc\t{user}/s\t?{project}/s\n")
    below = [Layer(USER / "s", needs_trust=False), Layer(PROJECT / "s", needs_trust=True)]
    system = [Layer(Path("/mac"), needs_trust=False), Layer(Path("/etc"), needs_trust=False)]
    assert list(switch.layers(USER, PROJECT, {})) == [*system, *below]
    assert list(switch.layers(USER, PROJECT, {"V": "/v"})) == [Layer(Path("/v"), needs_trust=False), *below]
    assert list(switch.layers(USER, None, {})) == [*system, below[0]]


def test_every_table_can_be_read() -> None:
    tables = {name: [switch.words for switch in agent.switches] for name, agent in AGENTS.items()}
    switched = ["antigravity", "claude", "codex", "copilot", "gemini"]
    assert [name for name, words in tables.items() if words] == switched
    assert tables["gemini"] == ["hooksConfig.enabled is false", "hooksConfig.disabled names ctxrepo"]
