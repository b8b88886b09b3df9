"""Connecting an agent: the files that call our hooks and our skills beside them, and the way back.

All is planned as values first, so that a face can show it and ask; `apply` then does what was shown, or
nothing when a file has changed since. Going back is a plan like any other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.known import AGENTS, Agent, agent_named
from ctxrepo.domain.formats.moment import counted
from ctxrepo.errors import ConfigError, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.setup import skills
from ctxrepo.services.setup.connection import UNCHOSEN, Connection, Machine
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.disk.private import require_private
from ctxrepo.storage.user import receipt
from ctxrepo.storage.user.receipt import Choices


@dataclass(frozen=True)
class Plan:
    """What will be done for an agent, in this order, even if nothing is `visible`: a lost receipt is written
    again. `notices` tell what is left alone."""

    agent: str
    changes: tuple[Change, ...]
    hooks: Mapping[Path, tuple[str, ...]]
    """The files in which hooks stand, each with the events that get one; none when the agent is let go of."""
    skills: Sequence[Path]
    """The folders of its skills."""
    notices: tuple[str, ...] = ()
    emptied: tuple[Path, ...] = ()
    """Folders that go afterwards, if they are empty."""
    choices: Choices = UNCHOSEN
    servers: Sequence[Path] = ()
    """The files in which nothing of ours stands but the MCP server."""
    granted_folders: tuple[Path, ...] = ()
    """The folders of ours that commands in its sandbox may write to then, and that are made."""

    @property
    def visible(self) -> tuple[Change, ...]:
        """The changes to files that aren't ctxrepo's own; empty when all is as it should be."""
        return tuple(change for change in self.changes if not change.private)

    @property
    def only_takes(self) -> bool:
        """Whether no word comes into any file."""
        return all(_words(change.after) <= _words(change.before) for change in self.visible)

    @property
    def receipts(self) -> Set[Path]:
        """Where it is kept what setup did, which a removal takes away."""
        return {change.path for change in self.changes if change.private}

    @property
    def summary(self) -> tuple[str, ...]:
        """What to show before asking: a line for each file and one for skills that come, change or go."""
        skills = [(c, root) for c in self.visible for root in self.skills if c.path.is_relative_to(root)]
        of_skills = [change for change, _ in skills]
        lines = [self._summed(change) for change in self.visible if change not in of_skills]
        for root in self.skills:
            for verb, group in _by_deed(change for change, its in skills if its == root):
                names = dict.fromkeys(c.path.relative_to(root).parts[0] for c in group)
                lines.append(f"{counted(len(names), 'skill')} {verb} {root}: {', '.join(names)}")
        return tuple(lines)

    def _summed(self, change: Change) -> str:
        if change.path in self.servers:
            return f"our MCP server {'comes to' if self.choices.mcp else 'leaves'} {change.path}"
        events = self.hooks.get(change.path)
        if events is None:
            return f"{change.path} is {'made' if change.before is None else 'changed'}"
        came = f"{counted(len(events), 'hook')} in {change.path}: {', '.join(events)}"
        return came if events else f"our hooks leave {change.path}"

    @property
    def diff(self) -> str:
        """The same to the letter: a unified diff of every visible change."""
        return "".join(map(diff_of, self.visible))


def present(machine: Machine) -> tuple[str, ...]:
    """The agents with a folder in this home ("all"), or one that can't be told: then the plan says why."""
    return tuple(name for name, agent in AGENTS.items() if _has_folder(agent, machine))


def was_connected(machine: Machine) -> tuple[str, ...]:
    """The agents that setup has connected and not let go of, though their folders may be gone."""
    return tuple(name for name in AGENTS if receipt.first_files(machine.places.config_dir, name))


def profiles(name: str, machine: Machine) -> Iterator[Machine]:
    """The machine with the environment of each other folder of this agent that setup has connected."""
    home, environment = machine.places.user_home, machine.environment
    for file in receipt.first_files(machine.places.config_dir, name):
        profile = AGENTS[name].profile(file, home, environment)
        if profile is not None and profile != environment:
            yield replace(machine, environment=profile)


def unstarted(machine: Machine) -> tuple[str, ...]:
    """The agents without a folder whose program can be called; not connected unasked, for it may be another
    program."""
    here = present(machine)
    return tuple(name for name in AGENTS if name not in here and machine.find(name))


def _has_folder(agent: Agent, machine: Machine) -> bool:
    try:
        return foreign.exists(machine.folder_of(agent))
    except ConfigError:
        return True


SDK_HINT = (
    "`pipx inject ctxrepo mcp`, `uv tool install --with mcp git+ADDRESS`, "
    'or `pip install "ctxrepo[mcp] @ git+ADDRESS"`'
)
"""What installs what our MCP server needs and the rest of ctxrepo does without."""


def plan(name: str, machine: Machine, request: Choices = UNCHOSEN, every: bool = False) -> Plan:
    """What connects the agent as the `request` says, else as it is; nothing in it is visible if that is done.
    What is asked of `every` agent is for those that take it; of one that doesn't it is a UsageError, as is an
    unknown agent. ConfigError when its files can't be understood, or if it was named and its list of servers
    can't take ours: else the list is left alone, with a notice. CtxrepoError when a file can't be changed."""
    agent = agent_named(name)
    if every:
        request = Choices(request.permissions if agent.rules else "", request.mcp if agent.servers else None)
    if request.permissions not in ("", "none") and not agent.rules:
        hint = "Allow them in the agent itself, when it asks."
        raise UsageError(f"{agent.title} can't be told in advance what it may run", hint)
    if request.mcp and not agent.servers:
        raise UsageError(f"{agent.title} takes no MCP servers", f"`ctxrepo setup {name}` does without.")
    if request.mcp and not machine.can_serve:
        raise UsageError("the MCP server needs the package `mcp`", f"{SDK_HINT}.")
    connection = Connection.of(name, machine, request)
    notices = _left_alone(connection)
    secret = connection.server_lists  # agents keep keys of servers, and more, beside these
    files = [
        Change(file.path, file.data, connection.connected(file), is_secret=file.path in secret)
        for file in connection.files
    ]
    if connection.trouble and request.mcp and not every:
        raise connection.trouble
    skill = connection.skills_installed()
    slip = connection.slip.changed_to(connection.new_receipt(skill.owned).dump())
    notices += skill.notices
    if connection.has_plugin:
        notices.append(
            f"{agent.title}'s plugin of ctxrepo leaves the hooks to these settings; one of both is enough"
        )
    mcp = connection.choices.mcp
    if not machine.can_serve and (mcp or (agent.needs_server and mcp is None)):
        notices.append(
            f"{agent.title} is without the MCP server of ctxrepo, which needs the package `mcp`: {SDK_HINT}"
        )
    return Plan(
        name,
        # The receipt first: what a crash leaves then has its way back.
        _possible((slip, *skill.changes, *files)),
        {file.path: file.events for file in connection.files if file.events},
        connection.skills,
        tuple(notices),
        tuple(p for p in connection.slip.known.folders if any(f.path.parent == p for f in connection.files)),
        choices=connection.choices,
        servers=secret,
        granted_folders=tuple(folder.path for folder in connection.granted_folders),
    )


def removal(name: str, machine: Machine, gone: Set[Path] = frozenset()) -> Plan:
    """What takes ctxrepo out of the agent's files, after agents whose receipts are then `gone`. Files as
    setup left them get their old bytes back; out of others our hooks are cut. A file of ours or a skill that
    a person edited stays, and a skill that another agent has too."""
    # Our server may be in a list without setup's doing.
    connection = replace(Connection.of(name, machine, Choices(mcp=False)), gone=gone)
    notices = _left_alone(connection)
    slip, roots = connection.slip, connection.skills
    skill = connection.skills_removed()
    changes: list[Change] = []
    for file in reversed(connection.files):
        known = connection.known(file)
        changes.append(Change(file.path, file.data, file.original(known)))
        notices += filter(None, [file.notice(known)])
    emptied = {slip.path.parent, *skills.folders(roots, skill.changes), *slip.known.folders}
    return Plan(
        name,
        _possible((*changes, *skill.changes, slip.changed_to(None))),
        {file.path: () for file in connection.files if file.events},
        roots,
        (*notices, *skill.notices),
        tuple(sorted(emptied)),
        servers=connection.server_lists,
    )


def _left_alone(connection: Connection) -> list[str]:
    """What to tell where the agent's list of servers is in the way."""
    title, why = connection.agent.title, connection.trouble
    return [f"the MCP servers of {title} are left alone: {why.message}. {why.hint}"] if why else []


def apply(plan: Plan) -> None:
    """Do what the plan says; Busy, with nothing written, when a file isn't as the plan found it."""
    for folder in plan.granted_folders:
        require_private(folder)
    foreign.apply(plan.changes)
    foreign.remove_empty(plan.emptied)


def _possible(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes that change something, each known to be writable before a person is asked."""
    edits = tuple(change for change in changes if change.before != change.after)
    for change in edits:
        foreign.check_writable(change.path)
    return edits


def _by_deed(changes: Iterable[Change]) -> Iterator[tuple[str, list[Change]]]:
    """The changes by what they do, in words that stand before the folder."""
    by_verb: dict[str, list[Change]] = {"come to": [], "change in": [], "leave": []}
    for change in changes:
        verb = "come to" if change.before is None else "leave" if change.after is None else "change in"
        by_verb[verb].append(change)
    return ((verb, some) for verb, some in by_verb.items() if some)


def _words(data: bytes | None) -> Set[bytes]:
    return {*(data or b"").translate(bytes.maketrans(b"{}[],:", b" " * 6)).split()}


def diff_of(change: Change) -> str:
    """A change of a file as a unified diff."""
    from difflib import unified_diff  # `status` loads this module, and shows no difference

    before, after = ((data or b"").decode("utf-8", "replace") for data in (change.before, change.after))
    names = ["/dev/null" if data is None else str(change.path) for data in (change.before, change.after)]
    lines = unified_diff(before.splitlines(), after.splitlines(), names[0], names[1], lineterm="")
    return "".join(line + "\n" for line in lines)
