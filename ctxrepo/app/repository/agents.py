"""Agents: connected, taken out again, looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ctxrepo.agents import names as agent_names
from ctxrepo.agents.known import agent_named
from ctxrepo.app.result import Result
from ctxrepo.domain.formats.counted import counted
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.setup.connected import Standing
    from ctxrepo.services.setup.setup import Plan


@dataclass(frozen=True)
class AgentsRequest:
    """Agents by their names, or `every` one on this machine."""

    names: Sequence[str] = ()
    every: bool = False


@dataclass(frozen=True)
class SetupRequest:
    """Agents to connect, or with `removes` to take out again. `agrees` is asked of each plan that changes
    something, and `is_trial` changes nothing. With `trusts` an agent that runs only trusted hooks is told
    to trust ours."""

    agents: AgentsRequest
    agrees: Callable[[Plan], bool]
    removes: bool = False
    is_trial: bool = False
    trusts: bool = False


@dataclass(frozen=True)
class PlannedSetup:
    """What was planned for an agent, and whether it was done."""

    plan: Plan
    is_applied: bool


def set_up(desk: Desk, request: SetupRequest) -> Result[Sequence[PlannedSetup]]:
    """Connect agents, or take them out again, byte for byte."""
    from ctxrepo.services.setup.setup import apply, plan, removal

    names = _names(desk, request.agents)
    if not request.removes:
        _ = desk.memory  # hooks without a memory repository would be silent for ever: say so now
    planned = removal if request.removes else plan
    # All are planned first: a name that is wrong stops the operation before it has done half of its work.
    plans = [planned(name, desk.machine) for name in dict.fromkeys(names)]
    done = []
    for one in plans:
        is_applied = not request.is_trial and (not one.visible or request.agrees(one))
        if is_applied:
            apply(one)
        for line in (*one.notices, *(_trust_notices(desk, request, one.agent) if is_applied else ())):
            desk.notice(line)
        done.append(PlannedSetup(one, is_applied))
    shown = [
        {
            "agent": one.plan.agent,
            "applied": one.is_applied,
            "paths": [str(change.path) for change in one.plan.visible],
            "diff": one.plan.diff,
        }
        for one in done
    ]
    return Result(done, {"agents": shown})


def check_setup(desk: Desk, request: AgentsRequest) -> Result[Sequence[Standing]]:
    """Say whether agents are connected; ends with 1 when one isn't, or something is wrong."""
    from ctxrepo.services.setup.connected import check
    from ctxrepo.services.setup.trust import trusted_standing

    machine = desk.machine
    found = [trusted_standing(check(name, machine), machine) for name in _names(desk, request)]
    shown = [{"agent": s.agent, "state": s.state, "findings": [f.problem for f in s.findings]} for s in found]
    is_well = all(s.state in ("current", "plugin") and not s.findings for s in found)
    return Result(found, {"agents": shown}, 0 if is_well else 1)


def _trust_notices(desk: Desk, request: SetupRequest, name: str) -> Sequence[str]:
    """What to tell of the agent's trust in our hooks, which is given where that was asked for."""
    from ctxrepo.services.setup.trust import hint_of, left_of, trust

    if request.removes:
        return left_of(name)
    if request.trusts:
        count = trust(name, desk.machine)
        return [f"{agent_named(name).title} trusts {counted(count, 'hook')} of ours."]
    return hint_of(name)


def _names(desk: Desk, request: AgentsRequest) -> list[str]:
    from ctxrepo.services.setup.setup import present

    first = agent_names()[0]
    names = list(present(desk.machine) if request.every else request.names)
    if request.every and not names:
        raise UsageError(
            "no agent that ctxrepo knows is on this machine", f"`ctxrepo setup {first}` makes its folder."
        )
    if not names:
        hint = f"`ctxrepo setup {first}`, or --all for those on this machine."
        raise UsageError("no agent was named", hint)
    return names
