"""Operations on the rules that agents are held to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result, reads, writes

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.notes.enforcing import Enforcement
    from ctxrepo.services.notes.requests import EnforceRequest


@writes
def enforce(desk: Desk, request: EnforceRequest) -> Result[Enforcement]:
    """Have agents held to a rule beside an entry, on this machine if a person asks, or to none any more."""
    from ctxrepo.services.notes.enforcing import enforce

    enforcement = enforce(desk.memory, request, desk.project, desk.origin, desk.now)
    if enforcement.is_approved:
        _tell_switch(desk)
    return Result(enforcement)


@reads
def list_rules(desk: Desk, _: None) -> Result[Sequence[Enforcement]]:
    """List the rules that agents are held to, and those that wait for a person here."""
    from ctxrepo.services.notes.enforcing import enforcements

    rules = enforcements(desk.memory)
    if any(rule.is_approved for rule in rules):
        _tell_switch(desk)
    return Result(rules, "rules")


def _tell_switch(desk: Desk) -> None:
    if "enforce" not in desk.memory.settings.hooks.before_tool:
        desk.notice(
            "no agent asks before it uses a tool yet: `ctxrepo config set hooks.before_tool enforce`, then "
            "`ctxrepo setup --all`"
        )
