"""Whose writes wait as proposals: the rules of `inbox.policy`, and those of a memory's own `ctxrepo.toml`."""

from collections.abc import Sequence

from ctxrepo.domain.project.layout import GLOBAL, PROJECT

RULE = r"(?:(?:[a-z]+:)?[^\s:=,]+=)?(?:direct|stage)"
"""How a rule is written: `stage`, `project=stage`, `AGENT:global=stage`."""


def stages(rules: Sequence[str], agent: str, folder: str, global_folder: str) -> bool:
    """Whether what this agent writes to the scope of `folder` waits for a person's yes. The last rule that
    is about both decides; without one nothing waits."""
    is_staged = False
    scopes = {"*", folder, GLOBAL if folder == global_folder else PROJECT}
    for rule in rules:
        whom, _, policy = rule.rpartition("=")
        name, _, scope = (whom or "*").rpartition(":")
        if name in ("", agent) and scope in scopes:
            is_staged = policy == "stage"
    return is_staged


def agents_in(rules: Sequence[str]) -> set[str]:
    """The agents that rules name."""
    return {rule.partition(":")[0] for rule in rules if ":" in rule}
