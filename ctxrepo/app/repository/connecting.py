"""Agents: connected, taken out again, looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from ctxrepo.agents import names as agent_names
from ctxrepo.agents.known import agent_named
from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import counted
from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.setup.setup import (
    Plan,
    apply,
    plan,
    present,
    profiles,
    removal,
    unstarted,
    was_connected,
)
from ctxrepo.storage.user.receipt import Choices

if TYPE_CHECKING:
    from pathlib import Path

    from ctxrepo.agents.known import Agent
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.setup.connection import Machine
    from ctxrepo.services.setup.standings import Standing
    from ctxrepo.storage.disk.foreign import Change


@dataclass(frozen=True)
class AgentsRequest:
    """Agents by their names, or `every` one on this machine."""

    names: Sequence[str] = ()
    every: bool = False


@dataclass(frozen=True)
class SetupRequest:
    """Agents to connect, or with `removes` to take out again. `agrees` is asked of each plan that changes
    something, and `is_trial` changes nothing. With `trusts` an agent that runs only trusted hooks is told
    to trust ours. `choices` are asked for; what nobody chooses there stays as it is.
    `own_memory` says where its own memory is kept in this checkout: `here`, in the project's folder, or
    `own`, where it is kept without us; '' leaves that as it is."""

    agents: AgentsRequest
    agrees: Callable[[Plan], bool]
    removes: bool = False
    is_trial: bool = False
    trusts: bool = False
    choices: Choices = field(default_factory=Choices)
    own_memory: str = ""


@dataclass(frozen=True)
class PlannedSetup:
    """What was planned for an agent, and whether it was done."""

    plan: Plan
    is_applied: bool
    untrusted: str = ""
    """Why the agent couldn't be told to trust our hooks, where that was asked for."""


@dataclass(frozen=True)
class SetupResult:
    """What was done for agents, in their order, and what kept others from being looked after."""

    done: Sequence[PlannedSetup]
    failed: Mapping[str, CtxrepoError]


def set_up(desk: Desk, request: SetupRequest) -> Result[SetupResult]:
    """Connect agents, or take them out again, byte for byte.

    Of several agents one that can't be looked after is told and left as it is, and the others are looked
    after nevertheless; then it ends with 1. A wrong name stops it before it has done anything."""
    names = _names(desk, request.agents, removes=request.removes)
    if not (request.removes or request.is_trial):
        _ = desk.memory  # hooks without a memory repository would be silent for ever: say so now
    setups: list[PlannedSetup] = []
    failed: dict[str, CtxrepoError] = {}
    for name, machine in _places(desk, request, names):
        try:
            # Each in its turn, because several agents may share files, which the one before has changed.
            setup_plan = _with_own_memory(desk, machine, request, _plan(machine, request, name, setups))
        except CtxrepoError as error:
            failed[name] = error
            continue
        is_applied = not request.is_trial and (not setup_plan.visible or request.agrees(setup_plan))
        planned = PlannedSetup(setup_plan, is_applied)
        try:
            if is_applied:
                planned = _apply(desk, request, planned, machine)
        except CtxrepoError as error:
            failed[name] = error
            continue
        desk.notice(*setup_plan.notices)
        setups.append(planned)
    if failed and len(names) == 1:
        raise failed[names[0]]
    for name, why in failed.items():
        hint = f". {why.hint}" if why.hint else ""
        desk.notice(f"{agent_named(name).title} was left out: {why.message}{hint}")
    if request.agents.every and not request.removes:
        _tell_unstarted(desk)
    agents = [_fields(setup) for setup in setups]
    agents += [{"agent": name, "applied": False, "error": why.message} for name, why in failed.items()]
    is_whole = not failed and not any(setup.untrusted for setup in setups)
    return Result(SetupResult(setups, failed), {"agents": agents}, 0 if is_whole else 1)


def check_setup(desk: Desk, request: AgentsRequest) -> Result[Sequence[Standing]]:
    """Say whether agents are connected; ends with 1 when one isn't, or doesn't work."""
    from ctxrepo.services.faults.finding import is_failure
    from ctxrepo.services.setup.standings import check

    machine = desk.machine
    desk.places.secure()
    stand = [check(name, machine) for name in _names(desk, request)]
    rows = [{"agent": s.agent, "state": s.state, "findings": [f.problem for f in s.findings]} for s in stand]
    is_well = all(s.state != "absent" and not is_failure(s.findings) for s in stand)
    return Result(stand, {"agents": rows}, 0 if is_well else 1)


def _places(desk: Desk, request: SetupRequest, names: Sequence[str]) -> Iterator[tuple[str, Machine]]:
    """Each agent with the environment of now; when all are taken out, also with those of other folders that
    setup connected."""
    for name in names:
        yield name, desk.machine
        if request.removes and request.agents.every:
            yield from ((name, machine) for machine in profiles(name, desk.machine))


def _plan(machine: Machine, request: SetupRequest, name: str, before: Sequence[PlannedSetup]) -> Plan:
    """What is to be done for an agent, after what is done for those `before` it.

    Of a trial nothing is done, so that is left out which one of those has shown already."""
    is_trial = request.is_trial
    if request.removes:
        receipts = {path for setup in before for path in setup.plan.receipts if is_trial}
        setup_plan = removal(name, machine, receipts)
    else:
        setup_plan = plan(name, machine, request.choices, request.agents.every)
    shown = {change for setup in before for change in setup.plan.changes if is_trial}
    return replace(setup_plan, changes=tuple(change for change in setup_plan.changes if change not in shown))


def _with_own_memory(desk: Desk, machine: Machine, request: SetupRequest, planned: Plan) -> Plan:
    """The plan, and where the agent keeps the memory of its own from then on."""
    from ctxrepo.services.setup.redirected import can_redirect, give_back, redirect

    agent, top = agent_named(planned.agent), desk.machine.checkout or desk.cwd
    changes: Sequence[Change] = ()
    emptied: Sequence[Path] = ()
    notices: Sequence[str] = ()
    if not can_redirect(agent) and (request.removes or request.agents.every):
        return planned
    if request.removes:
        changes, emptied, notices = give_back(agent, machine, None)
    elif request.own_memory == "own":
        changes, emptied, notices = give_back(agent, machine, top)
    elif request.own_memory:
        changes = redirect(agent, machine, top, _folder_for(desk, agent, top))
    all_changes = [*planned.changes, *(change for change in changes if change.before != change.after)]
    return replace(
        planned,
        changes=tuple(all_changes),
        emptied=(*planned.emptied, *emptied),
        notices=(*planned.notices, *notices),
    )


def _folder_for(desk: Desk, agent: Agent, top: Path) -> Path:
    """The folder of the project here for what the agent remembers by itself; UsageError where there is none,
    or where the agent's settings of the checkout would be committed there."""
    from ctxrepo.services.setup.redirected import redirection_of
    from ctxrepo.storage.user.code import ignored

    file, project = redirection_of(agent).settings, desk.project
    if project is None or not project.is_registered:
        hint = "Go to a checkout of a project, and `ctxrepo remember` something about it."
        raise UsageError("no project here has a folder in the memory yet", hint)
    if not desk.memory.outside.ask(top, partial(ignored, top, [file], desk.env)):
        hint = f"Add a line with {file} to .git/info/exclude there, and run it again."
        raise UsageError(f"git would commit {file} in {top}, and it is about this machine", hint)
    return desk.memory.root / project.folder / agent.name


def _apply(desk: Desk, request: SetupRequest, planned: PlannedSetup, machine: Machine) -> PlannedSetup:
    """Do it, and notice how the agent's trust in our hooks stands; it is given where that was asked."""
    from ctxrepo.services.setup.obstacles import hint_of, left_of, trust
    from ctxrepo.services.setup.session_deletion import hints_of
    from ctxrepo.storage.processes.process import RpcFailed

    desk.places.secure()
    apply(planned.plan)
    agent = agent_named(planned.plan.agent)
    lines = left_of(agent.name, machine) if request.removes else hint_of(agent.name)
    if request.trusts and not request.removes and (agent.trust or not request.agents.every):
        try:
            lines = [f"{agent.title} trusts {counted(trust(agent.name, machine), 'hook')} of ours."]
        except RpcFailed as error:  # the hooks are there all the same
            planned = replace(planned, untrusted=error.message)
    desk.notice(*lines)
    if not request.removes:
        desk.notice(*hints_of(agent, machine, desk.memory.settings.sessions.keep))
    if agent.rules and planned.plan.choices.permissions == "none" and not request.choices.permissions:
        command = f"`ctxrepo setup {agent.name} --permissions write`"
        desk.notice(
            f"{agent.title} may ask before each command of ctxrepo; {command} lets it read and add, "
            f"by {agent.rules}"
        )
    return planned


def _fields(setup: PlannedSetup) -> dict[str, object]:
    return {
        "agent": setup.plan.agent,
        "applied": setup.is_applied,
        "untrusted": setup.untrusted,
        "paths": [str(change.path) for change in setup.plan.visible],
        "diff": setup.plan.diff,
    }


def _tell_unstarted(desk: Desk) -> None:
    """Tell of agents that could be meant by "all", and have no folder yet."""
    for name in unstarted(desk.machine):
        title = agent_named(name).title
        desk.notice(
            f"`{name}` can be called, and {title} has no folder yet: `ctxrepo setup {name}` connects it"
        )


def _names(desk: Desk, request: AgentsRequest, *, removes: bool = False) -> list[str]:
    """The agents that are meant, each once; UsageError for a wrong name, and when there is none."""
    if request.every:
        known = {*present(desk.machine), *(was_connected(desk.machine) if removes else ())}
        if known:
            return sorted(known)
        first = next(iter(unstarted(desk.machine)), "AGENT")
        raise UsageError(
            "no agent that ctxrepo knows has a folder in this home", f"`ctxrepo setup {first}` makes one."
        )
    if not request.names:
        hint = f"`ctxrepo setup AGENT`, or --all. Agents: {', '.join(agent_names())}."
        raise UsageError("no agent was named", hint)
    return [agent_named(name).name for name in dict.fromkeys(request.names)]
