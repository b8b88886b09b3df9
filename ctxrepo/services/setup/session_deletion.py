"""Which agents on this machine delete their sessions, by their settings; and which files have a setting."""

from collections.abc import Iterator, Sequence

from ctxrepo.agents.known import Agent
from ctxrepo.agents.switches import AgentSetting, Layer, Limit
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.setup.connection import Machine
from ctxrepo.storage.disk import foreign


@dataclass(frozen=True)
class SessionDeletion:
    """That an agent deletes transcripts, as a sentence, and what to write where so that it doesn't."""

    agent: str
    sentence: str
    change: str


def deletion_of(agent: Agent, machine: Machine) -> SessionDeletion | None:
    """What the agent deletes by its settings; None where that is nothing."""
    retention = agent.retention
    if retention is None:
        return None
    try:
        words = retention.words(lambda limit: _value(agent, machine, limit))
        sentence = f"{agent.title} deletes sessions {words}" if words else ""
        file = machine.folder_of(agent) / retention.file
    except (CtxrepoError, ValueError) as error:
        return SessionDeletion(agent.name, f"it is unknown when {agent.title} deletes sessions: {error}", "")
    return SessionDeletion(agent.name, sentence, f"{retention.change} in {file}") if sentence else None


def _value(agent: Agent, machine: Machine, limit: Limit) -> object:
    """What the strongest of the files that say something of a limit says; one that counts only if the user
    trusts the checkout is taken to count."""
    value: object = None
    for layer in layers_of(agent, machine, limit):
        data = foreign.read(layer.path)
        if data is not None and (period := limit.value(data.decode("utf-8"))) is not None:
            value = period
    return value


def layers_of(agent: Agent, machine: Machine, setting: AgentSetting) -> Iterator[Layer]:
    """The files that may have a setting, those that a `*` stands for in the order of their names."""
    folder = machine.folder_of(agent)
    for layer in setting.layers(folder, machine.checkout, machine.environment):
        if "*" not in layer.path.name:
            yield layer
        else:
            paths = sorted(layer.path.parent.glob(layer.path.name))
            yield from (Layer(path, layer.needs_trust) for path in paths)


def hints_of(agent: Agent, machine: Machine, keep: str) -> Sequence[str]:
    """What to tell somebody who has connected an agent that deletes its sessions, while nothing is kept."""
    deletion = deletion_of(agent, machine) if keep == "off" else None
    if deletion is None or not deletion.change:
        return ()
    return (f"{deletion.sentence}; {remedy(deletion)}",)


def remedy(deletion: SessionDeletion) -> str:
    """What keeps the sessions, as the end of a sentence."""
    keeps = "`ctxrepo config set sessions.keep texts` keeps what was said"
    return f"{deletion.change} changes that, and {keeps}" if deletion.change else keeps
