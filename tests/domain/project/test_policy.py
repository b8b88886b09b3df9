"""The last rule that is about an agent and a scope says whether its writes wait."""

from __future__ import annotations

import re

import pytest

from ctxrepo.domain.project.policy import POLICY_RULE, agents_in, stages


@pytest.mark.parametrize(
    ("rules", "staged"),
    [
        ([], []),
        (["direct"], []),
        (["stage"], ["claude shop", "claude global", "codex shop", "codex global"]),
        (["project=stage", "codex:global=stage"], ["claude shop", "codex shop", "codex global"]),
        (["shop=stage"], ["claude shop", "codex shop"]),
        (["other=stage"], []),
        (["codex:*=stage"], ["codex shop", "codex global"]),
        (["stage", "claude:global=direct"], ["claude shop", "codex shop", "codex global"]),
        (["claude:global=direct", "stage"], ["claude shop", "claude global", "codex shop", "codex global"]),
    ],
)
def test_whose_writes_wait_and_where(rules: list[str], staged: list[str]) -> None:
    pairs = [(agent, folder) for agent in ("claude", "codex") for folder in ("shop", "global")]
    assert [
        f"{agent} {folder}" for agent, folder in pairs if stages(rules, agent, folder, "global")
    ] == staged


def test_a_global_folder_of_another_name() -> None:
    assert stages(["global=stage"], "claude", "shared", "shared")
    assert not stages(["project=stage"], "claude", "shared", "shared")


@pytest.mark.parametrize("rule", ["direct", "stage", "project=stage", "codex:global=direct", "codex:*=stage"])
def test_how_a_rule_is_written(rule: str) -> None:
    assert re.fullmatch(POLICY_RULE, rule)


@pytest.mark.parametrize(
    "rule", ["", "staged", "project", "=stage", "codex:=stage", "a b=stage", "project:stage"]
)
def test_what_is_no_rule(rule: str) -> None:
    assert not re.fullmatch(POLICY_RULE, rule)


def test_the_agents_that_rules_name() -> None:
    assert agents_in(["stage", "codex:*=stage", "project=stage"]) == {"codex"}
