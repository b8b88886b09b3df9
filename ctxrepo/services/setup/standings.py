"""Whether each agent is connected and runs our hooks: `status`, `doctor` and `setup --check` ask here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.known import agent_named
from ctxrepo.agents.mcp_server import command_of
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.finding import Finding
from ctxrepo.services.setup.connection import Connection, Machine
from ctxrepo.services.setup.files import WantedFile
from ctxrepo.services.setup.obstacles import find_distrust, find_obstacles
from ctxrepo.services.setup.setup import present
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.user.assets import fallback
from ctxrepo.storage.user.receipt import Choices

State = Literal["absent", "current", "plugin", "stale", "partial", "off", "unknown"]


@dataclass(frozen=True)
class Standing:
    """Whether an agent is connected, by its settings or by the `plugin`. `stale`: it is, and not as it should
    be; `partial`: it is, but for its list of servers, which a person has to mend; `off`: it is, and runs none
    of our hooks; `unknown`: whether it runs them can't be told."""

    agent: str
    state: State
    findings: tuple[Finding, ...] = ()
    choices: Choices = field(default_factory=lambda: Choices("none"))


def standings(machine: Machine) -> list[Standing]:
    """How each agent stands that is on this machine; of others no file is there that could hold our hooks."""
    return [check(name, machine) for name in present(machine)]


def check(name: str, machine: Machine) -> Standing:
    """How the agent stands; what can't be read or understood is a finding, not an error. An agent that runs
    only hooks that its user trusts is asked, which takes half a second."""
    title = agent_named(name).title
    try:
        connection = Connection.of(name, machine)
        lines = [(file, file.lines()) for file in connection.files]
        is_there = any(commands for _, commands in lines)
        if not is_there and connection.has_plugin is False:
            return Standing(name, "absent")
        problems = _problems(connection, lines) if is_there else []
        obstacles = find_obstacles(connection)
    except CtxrepoError as error:
        return Standing(name, "unknown", (Finding(error.message, error.hint),))
    state: State = "current" if is_there else "plugin" if connection.has_plugin else "unknown"
    if not (problems or obstacles or state == "unknown") and (distrust := find_distrust(name, machine)):
        obstacles = [distrust]
    if any(obstacle.is_certain for obstacle in obstacles):
        state = "off"
    elif problems:
        state = "stale"
    elif connection.trouble:
        state = "partial"
    elif obstacles:
        state = "unknown"
    findings = [Finding(f"{title}: {problem}", f"ctxrepo setup {name}") for problem in problems]
    if state == "unknown" and not obstacles:
        words = f"{title}'s settings can't be read, so it can't be told whether our plugin is on"
        findings.append(Finding(words, f"Mend them, or `ctxrepo setup {name}`.", "warning"))
    if trouble := connection.trouble:
        findings.append(Finding(f"{title}: {trouble.message}", trouble.hint))
    all_findings = (*findings, *(obstacle.finding for obstacle in obstacles))
    return Standing(name, state, all_findings, connection.choices)


def _problems(
    connection: Connection, lines: Sequence[tuple[WantedFile, Mapping[str, Sequence[str]]]]
) -> list[str]:
    """What is wrong with our hooks and skills, each thing once; the less important after the more so."""
    commands = [command for _, by in lines for listed in by.values() for command in listed]
    hook_lines = [HookLine.read(command) for command in commands]
    problems = [*_gone(filter(None, hook_lines), connection.machine), *_server_problems(connection)]
    if missing := [event for file, by in lines for event in file.events if event not in by]:
        problems.append(f"no hook for {', '.join(missing)}")
    if not problems:
        problems = list(_foreign(hook_lines, connection.machine.line))[:1]
    if not problems and (
        any(connection.connected(file) != file.data for file in connection.files)
        or connection.skills_installed().changes
    ):
        problems = [*_closed_lists(connection)] or [
            "hooks, skills, permissions or MCP server are not those of this version"
        ]
    if not problems:
        folders = [each.path for each in connection.granted_folders if not foreign.exists(each.path)]
        problems = [f"its sandbox may write to {folder}, which isn't there" for folder in folders]
    return problems


def _gone(lines: Iterable[HookLine], machine: Machine) -> Iterator[str]:
    """The first program that our lines call and that isn't there any more, and what answers in its place."""
    for line in lines:
        for place in (line.interpreter, line.hook):
            if not foreign.exists(place):
                instead = fallback(line.state, machine.environment)
                yield f"the hooks call {place}, which is gone; {instead or 'nothing'} answers instead"
                return


def _server_problems(connection: Connection) -> Iterator[str]:
    """What is wrong with our MCP server in the list of the agent's, where it should be there."""
    server = connection.machine.server
    for file in connection.lists if connection.choices.mcp else ():
        command = command_of(file.server())
        if not command:
            yield f"our MCP server isn't in {file.path}"
        elif not server.finds(command):
            yield f"{file.path} has {command} run our MCP server, and that is gone"
        elif not server.is_run_by(command):
            yield f"{file.path} has our MCP server of another installation, {command}"
        elif not connection.machine.can_serve:
            yield f"our MCP server in {file.path} can't run without the package `mcp`"


def _foreign(lines: Sequence[HookLine | None], ours: HookLine) -> Iterator[str]:
    """How our lines differ from those that this installation writes."""
    for line in lines:
        if line is None:
            yield "a hook of ours was edited"
        elif line.state != ours.state:
            yield f"the hooks have another state folder, {line.state}"
        elif line != ours:
            yield f"the hooks are of another installation, {line.interpreter} with {line.hook}"


def _closed_lists(connection: Connection) -> Iterator[str]:
    """The lists of sandboxes out of which somebody took a folder of ours."""
    after = {file.path: (file.data or b"", connection.connected(file) or b"") for file in connection.files}
    for folder in connection.granted_folders:
        is_there, is_wanted = (folder.spelling.encode() in data for data in after[folder.document])
        if is_wanted and not is_there:
            yield f"the list in {folder.document} of what its sandbox may write to lacks {folder.spelling}"
