"""What every hook knows of the settings is made once, and nobody writes to it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ctxrepo
from ctxrepo.hooks.known.world import NO_LIMIT, AgentDelivery, Repo, World

PACKAGE = Path(ctxrepo.__file__).parent
REPO = Repo("a" * 12, "/memory", "/state/a")


def written(file: Path) -> list[str]:
    """Attributes of a `world` or a `delivery` that this module assigns."""
    nodes = ast.walk(ast.parse(file.read_text()))
    targets = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return [
        f"{file.name}: {ast.unparse(target)}"
        for target in targets
        if ast.unparse(target.value) in ("world", "self.world", "delivery", "world.delivery")
    ]


@pytest.mark.slow
def test_nobody_writes_to_a_world() -> None:
    assert [line for file in sorted(PACKAGE.rglob("*.py")) for line in written(file)] == []


def test_a_packet_takes_no_more_than_the_settings_and_the_agent_allow() -> None:
    budgets = [
        World({"budget_bytes": str(budget)}, "/state", REPO, AgentDelivery(most_bytes=most)).packet_budget
        for budget, most in ((9000, NO_LIMIT), (9000, 4000), (3000, 4000))
    ]
    assert budgets == [9000, 4000, 3000]
