"""Rules that say whose writes wait for a person's yes, and where: `direct` or `stage`, for all or for an
agent and a scope."""

import re
from collections.abc import Sequence

from ctxrepo.domain.project.layout import GLOBAL, PROJECT

POLICY_RULE = r"(?:(?:[a-z]+:)?[^\s:=,]+=)?(?:direct|stage)"
"""How a rule is written: `stage`, `project=stage`, `AGENT:global=stage`."""


def is_rule(text: object) -> bool:
    """Whether a value is a rule."""
    return isinstance(text, str) and re.fullmatch(POLICY_RULE, text) is not None


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


def scopes_in(rules: Sequence[str]) -> set[str]:
    """The scopes that rules name; `*` is all of them."""
    return {rule.rpartition("=")[0].rpartition(":")[2] or "*" for rule in rules}


def agents_in(rules: Sequence[str]) -> set[str]:
    """The agents that rules name."""
    return {rule.partition(":")[0] for rule in rules if ":" in rule}
