"""Whether an agent's hooks and skills do what they should, and what would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.known import agent_named
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.finding import Finding
from ctxrepo.services.setup.connection import Connection, Machine
from ctxrepo.services.setup.files import WantedFile
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.user.runner import fallback


@dataclass(frozen=True)
class Standing:
    """Whether an agent is connected: by its settings, or by the plugin (`plugin`).

    `stale`: there is something, and it doesn't do what it should.
    """

    agent: str
    state: Literal["absent", "current", "plugin", "stale"]
    findings: tuple[Finding, ...] = ()


def check(name: str, machine: Machine) -> Standing:
    """How the agent stands; what can't be read or understood is a finding, not an error."""
    title = agent_named(name).title
    try:
        connection = Connection.of(name, machine)
        lines = [(file, file.lines()) for file in connection.files]
        is_there = any(found for _, found in lines)
        if not is_there and not connection.has_plugin:
            return Standing(name, "absent")
        problems = _problems(connection, lines) if is_there else []
        off = [(file.path, why) for file in connection.files if (why := file.obstacle())]
    except CtxrepoError as error:
        return Standing(name, "stale", (Finding(error.message, error.hint),))
    findings = [Finding(f"{title}: {problem}", f"ctxrepo setup {name}") for problem in problems]
    findings += [Finding(f"{title} runs no hooks: {why}", f"Change it in {path}.") for path, why in off]
    state: Literal["current", "plugin"] = "current" if is_there else "plugin"
    return Standing(name, "stale" if problems else state, tuple(findings))


def _problems(
    connection: Connection, lines: Sequence[tuple[WantedFile, Mapping[str, Sequence[str]]]]
) -> list[str]:
    """What is wrong with our hooks and skills, each thing once; the less important after the more so."""
    commands = [command for _, by in lines for listed in by.values() for command in listed]
    found = [HookLine.read(command) for command in commands]
    problems = list(_gone([line for line in found if line], connection.machine))
    if missing := [event for file, by in lines for event in file.events if event not in by]:
        problems.append(f"no hook for {', '.join(missing)}")
    if not problems:
        problems = list(_foreign(found, connection.machine.line))[:1]
    if not problems and _is_outdated(connection):
        problems = ["hooks or skills are not those of this version"]
    return problems


def _gone(lines: Sequence[HookLine], machine: Machine) -> Iterator[str]:
    """The first program that our lines call and that isn't there any more, and what answers in its place."""
    for line in lines:
        for place in (line.interpreter, line.hook):
            if not foreign.exists(place):
                instead = fallback(line.state, machine.environment)
                yield f"the hooks call {place}, which is gone; {instead or 'nothing'} answers instead"
                return


def _foreign(lines: Sequence[HookLine | None], ours: HookLine) -> Iterator[str]:
    """How our lines differ from those that this installation writes."""
    for line in lines:
        if line is None:
            yield "a hook of ours was edited"
        elif line.state != ours.state:
            yield f"the hooks have another state folder, {line.state}"
        elif line != ours:
            yield f"the hooks are of another installation, {line.interpreter} with {line.hook}"


def _is_outdated(connection: Connection) -> bool:
    is_other = any(file.connected() != file.data for file in connection.files)
    return is_other or bool(connection.skills_installed().changes)
