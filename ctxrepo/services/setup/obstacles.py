"""What keeps an agent from running our hooks though they are in its files, or may."""

from collections.abc import Iterator

from ctxrepo.agents.switches import Layer, Switch
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.finding import Finding
from ctxrepo.services.setup.connection import Connection
from ctxrepo.storage.disk import foreign


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
    for layer in _layers(connection, switch):
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


def _layers(connection: Connection, switch: Switch) -> Iterator[Layer]:
    """The files that may have the switch, those that a `*` stands for in the order of their names."""
    machine = connection.machine
    folder = machine.folder_of(connection.agent)
    for layer in switch.layers(folder, machine.checkout, machine.environment):
        if "*" not in layer.path.name:
            yield layer
        else:
            paths = sorted(layer.path.parent.glob(layer.path.name))
            yield from (Layer(path, layer.needs_trust) for path in paths)


def _doubt(problem: str, remedy: str) -> HookObstacle:
    return HookObstacle(Finding(problem, remedy, "warning"), is_certain=False)
