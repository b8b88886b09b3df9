"""What keeps an agent from running our hooks though they are in its files, or may: a switch in its settings,
or that it skips those which its user hasn't trusted, and how it comes to trust them.

The agent is asked for its trust, and writes it itself: only it knows what it compares."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.agents.known import agent_named
from ctxrepo.agents.protocol import AskedHook, Trust
from ctxrepo.agents.switches import Switch
from ctxrepo.domain.formats.moment import counted
from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.finding import Finding
from ctxrepo.services.setup.connection import Connection, Machine
from ctxrepo.services.setup.session_deletion import layers_of
from ctxrepo.storage.disk import foreign

if TYPE_CHECKING:  # it starts processes, and most agents are asked nothing
    from ctxrepo.storage.processes.process import Rpc


@dataclass(frozen=True)
class HookObstacle:
    """What is to be said of it; unless `is_certain`, it can't be told whether the hooks run."""

    finding: Finding
    is_certain: bool


def find_obstacles(connection: Connection) -> list[HookObstacle]:
    """What in the agent's settings switches hooks off, with those of this machine and of the checkout."""
    obstacles = (_obstacle(connection, switch) for switch in connection.agent.switches)
    return [*dict.fromkeys(filter(None, obstacles))]


def _obstacle(connection: Connection, switch: Switch) -> HookObstacle | None:
    """What the settings in all places say of this switch; None where hooks run."""
    title, current = connection.agent.title, None
    for layer in layers_of(connection.agent, connection.machine, switch):
        try:
            data = foreign.read(layer.path)
            is_off = None if data is None else switch.is_off(data.decode("utf-8"))
        except (CtxrepoError, ValueError) as error:
            why = str(error) if str(layer.path) in str(error) else f"{layer.path} can't be read: {error}"
            current = _doubt(f"{title} may run no hooks: {why}", "Mend it, or ask who looks after it.")
            continue
        if is_off is None or (layer.needs_trust and is_off == bool(current and current.is_certain)):
            continue
        says = f"{switch.words} in {layer.path}" if is_off else f"{layer.path} says otherwise"
        if layer.needs_trust:
            current = _doubt(
                f"{title} may run no hooks: {says}, which counts if you trust this folder",
                f"Start {title} here and see, or change it there.",
            )
        elif is_off:
            current = HookObstacle(Finding(f"{title} runs no hooks: {says}", "Change it there."), True)
        else:
            current = None
    return current


def _doubt(problem: str, remedy: str) -> HookObstacle:
    return HookObstacle(Finding(problem, remedy, "warning"), is_certain=False)


SECONDS = 15.0
"""How long an agent may take to answer; half a second is usual."""


def find_distrust(name: str, machine: Machine) -> HookObstacle | None:
    """What is to be said of an agent that skips hooks of ours, or may; None where it runs all of them."""
    agent = agent_named(name)
    if agent.trust is None:
        return None
    unknown = f"it can't be told whether {agent.title} trusts our hooks"
    skips = f"It skips those that it doesn't trust: {agent.trust.HINT}."
    from ctxrepo.storage.processes.process import RpcFailed, started

    if not machine.find(agent.trust.PROGRAM[0]):
        note = f"{unknown}: `{agent.trust.PROGRAM[0]}` can't be called here"
        return HookObstacle(Finding(note, skips, "note"), is_certain=False)
    try:
        with started(agent.trust.PROGRAM, machine.environment, SECONDS) as rpc:
            skipped = [hook for hook in _hooks(rpc, agent.trust) if not hook.is_trusted]
    except RpcFailed as error:
        return HookObstacle(Finding(f"{unknown}: {error}", skips, "warning"), is_certain=False)
    if not skipped:
        return None
    problem = (
        f"{agent.title} skips {counted(len(skipped), 'hook')} of ours in silence: you haven't trusted them"
    )
    remedy = f"{agent.trust.HINT[:1].upper()}{agent.trust.HINT[1:]}, or `ctxrepo setup {name} --trust`"
    return HookObstacle(Finding(problem, remedy), is_certain=True)


def trust(name: str, machine: Machine) -> int:
    """Have the agent trust our hooks as they are; how many it trusts now. UsageError for an agent without
    such trust, RpcFailed when it can't be asked."""
    agent = agent_named(name)
    if agent.trust is None:
        raise UsageError(f"{agent.title} runs hooks without asking for trust", "Leave out --trust.")
    from ctxrepo.storage.processes.process import started

    with started(agent.trust.PROGRAM, machine.environment, SECONDS) as rpc:
        hooks = _hooks(rpc, agent.trust)
        if hooks:
            rpc.call(*agent.trust.grant(hooks))
    return len(hooks)


def hint_of(name: str) -> Sequence[str]:
    """What to tell somebody who has connected the agent and hasn't said that it may trust our hooks."""
    agent = agent_named(name)
    if agent.trust is None:
        return ()
    way = f"{agent.trust.HINT}, or say `ctxrepo setup {name} --trust`"
    return (f"{agent.title} skips hooks in silence until you trust them: {way}.",)


def left_of(name: str, machine: Machine) -> Sequence[str]:
    """What to tell somebody who has taken our hooks out of the agent's files."""
    agent = agent_named(name)
    if agent.trust is None:
        return ()
    folder = machine.folder_of(agent)
    try:
        data = foreign.read(folder / agent.trust.FILE)
        is_left = data is not None and agent.trust.is_left(data.decode("utf-8"), folder)
    except (CtxrepoError, ValueError):
        is_left = True  # for all that can be told
    return (f"{agent.trust.LEFT}.",) if is_left else ()


def _hooks(rpc: "Rpc", of: Trust) -> Sequence[AskedHook]:
    answer: object = None
    for method, params in of.question():
        answer = rpc.call(method, params)
    return of.hooks(answer)
