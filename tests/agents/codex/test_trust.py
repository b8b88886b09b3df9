"""What Codex is asked about its trust, and what of its answer is ours."""

from __future__ import annotations

from typing import Any

import pytest

from ctxrepo.agents.codex import trust
from ctxrepo.agents.protocol import AskedHook

LINE = "/usr/bin/python3 -I -S /opt/ctxrepo/hook.py codex Stop /var/state 2>/dev/null || :"


def hook(command: str, **more: Any) -> dict[str, Any]:
    usual = {"key": "/h/hooks.json:stop:0:0", "currentHash": "sha256:1", "trustStatus": "untrusted"}
    return {**usual, "source": "user", "command": command, **more}


def asked(*hooks: object) -> tuple[AskedHook, ...]:
    return tuple(trust.hooks({"data": [{"cwd": "/", "hooks": [*hooks]}]}))


def test_hooks_that_setup_wrote_are_ours_and_those_of_our_plugin() -> None:
    ours = hook(LINE, trustStatus="trusted")
    plugin = hook("sh run codex Stop", key="k2", pluginId="ctxrepo@somewhere", source="plugin")
    hooks = asked(
        hook("make lint"), ours, hook(LINE, source="project"), plugin, hook(LINE.replace("codex", "x"))
    )
    assert hooks == (
        AskedHook("/h/hooks.json:stop:0:0", "sha256:1", is_trusted=True),
        AskedHook("k2", "sha256:1", is_trusted=False),
    )


@pytest.mark.parametrize("answer", [None, [], {"data": 3}, {"data": [3]}, {"data": [{"hooks": [None, 3]}]}])
def test_an_odd_answer_holds_none(answer: object) -> None:
    assert not trust.hooks(answer)


def test_trust_is_an_entry_for_each_hook_as_it_is() -> None:
    method, params = trust.grant(asked(hook(LINE)))
    assert method == "config/batchWrite"
    assert params["edits"] == [
        {
            "keyPath": 'hooks.state."/h/hooks.json:stop:0:0".trusted_hash',
            "value": "sha256:1",
            "mergeStrategy": "upsert",
        }
    ]
