"""Which rules hold on a machine: those that a person approved there, until a person there ends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.domain.records.enforced_rule import EnforcedRule
from ctxrepo.hooks.known.enforced import Approval, approvals, approve, end_approval
from ctxrepo.hooks.known.world import APPROVALS

DEPLOYS, PUSHES = EnforcedRule("block", "command", "kubectl"), EnforcedRule("warn", "command", "git push")


def held(state: Path) -> dict[str, tuple[str, str, str]]:
    """entry -> (owner, rule, text) of what is approved."""
    known = approvals(str(state))
    return {entry: (approval.owner, approval.rule.line, approval.text) for entry, approval in known.items()}


def test_a_rule_is_approved_until_it_is_ended(tmp_path: Path) -> None:
    assert held(tmp_path) == {}
    assert approve(str(tmp_path), Approval("a", "x.org/shop", DEPLOYS, "nobody\tdeploys\n by hand"))
    assert approve(str(tmp_path), Approval("b", "", PUSHES, "look twice"))
    first = ("x.org/shop", "block command kubectl", "nobody deploys by hand")
    assert held(tmp_path) == {"a": first, "b": ("", "warn command git push", "look twice")}
    assert end_approval(str(tmp_path), "b")
    assert held(tmp_path) == {"a": first}
    assert end_approval(str(tmp_path), "b"), "which may be said twice"
    assert (tmp_path / APPROVALS).stat().st_mode & 0o777 == 0o600


def test_an_entry_has_one_rule_the_last(tmp_path: Path) -> None:
    for rule in (DEPLOYS, PUSHES):
        approve(str(tmp_path), Approval("a", "", rule, "x"))
    assert held(tmp_path) == {"a": ("", "warn command git push", "x")}


@pytest.mark.parametrize("make", ["missing", "folder", "bytes", "torn", "later"])
def test_where_nothing_can_be_read_nothing_is_approved(tmp_path: Path, make: str) -> None:
    file = tmp_path / APPROVALS
    if make == "folder":
        file.mkdir()
        assert not approve(str(tmp_path), Approval("a", "", DEPLOYS, "x"))
        assert not end_approval(str(tmp_path), "a")
    elif make == "bytes":
        file.write_bytes(b"\xff\xfe\0\n\t\t\t")
    elif make == "torn":
        file.write_text("a\tx.org/shop\tblo")
    elif make == "later":
        file.write_text("a\tx.org/shop\tdelay command kubectl\tx\n")
    assert held(tmp_path) == {}
