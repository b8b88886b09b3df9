"""One agent on this machine: its files as they are, what we did to them, and the line of its hooks."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.known import Agent, agent_named
from ctxrepo.agents.mcp_server import NOT_OURS, VARIABLES, McpServer
from ctxrepo.agents.permissions import InstallOptions
from ctxrepo.agents.wanted import EditedDocument, GrantedFolder, SkillsFolder, Wanted
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass
from ctxrepo.services.setup import skills
from ctxrepo.services.setup.files import EditedOnDisk, OwnFileOnDisk, WantedFile, wanted_file
from ctxrepo.services.setup.skills import Skills
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.user import assets, receipt
from ctxrepo.storage.user.config import read_settings
from ctxrepo.storage.user.places import Places
from ctxrepo.storage.user.receipt import Choices, Receipt, WrittenFile, digest

UNCHOSEN = Choices()


@dataclass(frozen=True)
class Machine:
    """What a face knows: the user's folders, the environment, the interpreter that runs (no shim), the
    `checkout` around the current folder, whose settings agents read too, and what is chosen for all agents.
    `can_serve`: what our MCP server needs is installed."""

    places: Places
    environment: Mapping[str, str]
    interpreter: Path
    checkout: Path | None = None
    choices: Choices = UNCHOSEN
    can_serve: bool = False

    @property
    def server(self) -> McpServer:
        """How agents start our MCP server: with the places that it would not find by itself."""
        usual = Places.of({"HOME": str(self.places.user_home)})
        here, default = ((p.home, p.config_file, p.state) for p in (self.places, usual))
        places = zip(VARIABLES, here, default, strict=True)
        environment = {name: str(place) for name, place, other in places if place != other}
        return McpServer(self.interpreter, environment, self.find)

    def find(self, command: str) -> str | None:
        """Where the command is that a shell would call here; None where there is none."""
        from shutil import which  # `status` does without

        return which(command, path=self.environment.get("PATH", ""))

    @property
    def line(self) -> HookLine:
        """What hooks of this installation call."""
        return HookLine(self.interpreter, assets.HOOK, self.places.state)

    def folder_of(self, agent: Agent) -> Path:
        """The user's folder of the agent; ConfigError when the environment names an unusable one."""
        return agent.install.folder(self.places.user_home, self.environment)


def choices_for_all(places: Places) -> Choices:
    """What config.toml chooses for all agents; nothing while it can't be read: they stay as they are then."""
    try:
        return Choices(enforces="enforce" in read_settings(places.config_file).hooks.before_tool)
    except ConfigError:
        return UNCHOSEN


@dataclass(frozen=True)
class Slip:
    """The receipt as it is kept: its place, its bytes, and what they say if they can be read."""

    path: Path
    data: bytes | None
    receipt: Receipt | None

    @classmethod
    def of(cls, agent: Agent, machine: Machine) -> "Slip":
        """What is known of an earlier setup of the very files that the agent has now."""
        first, usual = (
            next(part.path for part in wanted_of(agent, variant) if not isinstance(part, SkillsFolder))
            for variant in (machine, replace(machine, environment={}))
        )
        path = receipt.place(machine.places.config_dir, agent.name, None if first == usual else first)
        data = foreign.read(path)
        known = receipt.load(data)
        return cls(path, data, known if known and first in known.files else None)

    def changed_to(self, data: bytes | None) -> Change:
        """The change that writes the receipt, or with None takes it away."""
        return Change(self.path, self.data, data, private=True)

    @property
    def known(self) -> Receipt:
        """What the receipt says of files, skills and folders: nothing where there is none to read."""
        return self.receipt or Receipt({})


@dataclass(frozen=True)
class Connection:
    """An agent, what was chosen for it, and the files that its installation wants then: CtxrepoError when one
    can't be read, ConfigError when the environment names an unusable folder."""

    agent: Agent
    machine: Machine
    slip: Slip
    choices: Choices
    wanted: Sequence[Wanted]
    gone: Set[Path] = frozenset()
    """Receipts of other agents that don't count any more, because those are being let go of."""
    trouble: ConfigError | None = None
    """Why our server can't be put into its list, or taken out: the list is left alone then, and nothing of
    what is called as ours is permitted."""

    @classmethod
    def of(cls, name: str, machine: Machine, request: Choices = UNCHOSEN) -> "Connection":
        """As the `request` says, else config.toml, else the receipt, else as usual; UsageError if unknown."""
        agent = agent_named(name)
        slip = Slip.of(agent, machine)
        usual = Choices("none", mcp=True if agent.needs_server and machine.can_serve else None)
        choices = request.over(machine.choices).over(slip.known.choices).over(usual)
        connection = cls(agent, machine, slip, choices, wanted_of(agent, machine, choices))
        try:
            for file in connection.lists:
                connection.connected(file)
        except ConfigError as error:
            hint = "Rename that one" if error.message.endswith(NOT_OURS) else "Mend it"
            other = f", or do without ours: `ctxrepo setup {name} --no-mcp`" if choices.mcp else ""
            rest = wanted_of(agent, machine, replace(choices, mcp=None))
            return replace(connection, wanted=rest, trouble=ConfigError(error.message, f"{hint}{other}."))
        return connection

    @cached_property
    def files(self) -> Sequence[WantedFile]:
        files = (part for part in self.wanted if not isinstance(part, SkillsFolder | GrantedFolder))
        return [wanted_file(file) for file in files]

    @property
    def skills(self) -> Sequence[Path]:
        return [part.path for part in self.wanted if isinstance(part, SkillsFolder)]

    @property
    def granted_folders(self) -> Sequence[GrantedFolder]:
        """The folders of ours that commands in its sandbox may write to."""
        return [part for part in self.wanted if isinstance(part, GrantedFolder)]

    @property
    def lists(self) -> Sequence[EditedOnDisk]:
        """The files with a list of servers that isn't left alone."""
        return [file for file in self.files if isinstance(file, EditedOnDisk) and file.wanted.servers]

    @property
    def server_lists(self) -> tuple[Path, ...]:
        """The files in which nothing of ours stands but the MCP server."""
        return tuple(file.path for file in self.lists if file.wanted.has_servers_alone)

    @cached_property
    def has_plugin(self) -> bool | None:
        """Whether our plugin for the agent is on; None where its note can't be understood."""
        plugin = self.agent.plugin
        if plugin is None:
            return False
        data = foreign.read(self.machine.folder_of(self.agent) / plugin.note)
        try:
            return data is not None and plugin.is_on(data.decode("utf-8"))
        except ValueError:
            return None

    def known(self, file: WantedFile) -> WrittenFile | None:
        """What is known of an earlier setup of the file: where the receipt is lost, and rules tell that there
        was one, that the file had nothing of ours before."""
        has_rules = any(isinstance(each, OwnFileOnDisk) and each.has_our_rules for each in self.files)
        if self.slip.receipt is None and has_rules and isinstance(file, EditedOnDisk):
            return WrittenFile(None, "")
        return self.slip.known.files.get(file.path)

    def connected(self, file: WantedFile) -> bytes | None:
        """The bytes that the file has with what is ours."""
        return file.connected(self.known(file))

    def new_receipt(self, owned: Mapping[Path, str]) -> Receipt:
        """The receipt for these files connected, and for the skills `owned` then."""
        paths = (*(file.path for file in self.files), *owned)
        folders = [folder for path in paths for folder in foreign.missing_folders(path)]
        # A folder that another agent's setup made for both goes with whichever is let go of last.
        above = {folder for path in paths for folder in path.parents}
        shared = [folder for other in self._others for folder in other.folders if folder in above]
        # Of what holds nothing of ours no copy is kept: it is a person's alone.
        files = {
            file.path: WrittenFile(before, digest(after))
            for file in self.files
            if (before := file.before(self.known(file))) != (after := self.connected(file))
        }
        # To decline a server that nobody would bring is to choose nothing: the list isn't looked at again.
        mcp = self.choices.mcp if self.choices.mcp or self.agent.needs_server else None
        return Receipt(
            files=files | {**self.slip.known.files, **files} if self.trouble else files,
            skills=owned,
            choices=replace(self.choices, mcp=mcp),
            folders=tuple(dict.fromkeys([*self.slip.known.folders, *folders, *shared])),
        )

    @cached_property
    def shared_skills(self) -> Mapping[Path, str]:
        """The skills that other agents have from us as well, in one folder, with digests of what we wrote."""
        return {path: digest for other in self._others for path, digest in other.skills.items()}

    @cached_property
    def _others(self) -> Sequence[Receipt]:
        return receipt.others(self.machine.places.config_dir, {self.slip.path, *self.gone})

    def skills_installed(self) -> Skills:
        """What brings our skills up to date."""
        owned = self._newest_of(self.slip.known.skills)
        return skills.together([skills.installed(root, owned) for root in self.skills])

    def skills_removed(self) -> Skills:
        """What takes our skills away, but for those that other agents have too; without a receipt, those that
        are as this version's."""
        owned = self._newest_of(self.slip.receipt.skills) if self.slip.receipt else None
        paths = self.shared_skills.keys()
        return skills.together([skills.removed(root, owned, paths) for root in self.skills])

    def _newest_of(self, owned: Mapping[Path, str]) -> Mapping[Path, str]:
        """The skills `owned`, with the digest that another agent's setup has left where that wrote last."""
        shared = {p: d for p, d in self.shared_skills.items() if any(map(p.is_relative_to, self.skills))}
        return {**owned, **{path: d for path, d in shared.items() if digest(foreign.read(path)) == d}}


def wanted_of(agent: Agent, machine: Machine, choices: Choices = UNCHOSEN) -> Sequence[Wanted]:
    """What its installation wants on this machine, with what was chosen, if the agent can be told."""
    level, server = choices.permissions or "none", machine.server if choices.mcp else None
    options = InstallOptions(level, machine.places.handover, choices.enforces is True, server)
    home, line = machine.places.user_home, partial(machine.line, agent.name)
    parts = agent.install.files(home, machine.environment, line, options)
    if choices.mcp is not None:
        return parts
    rest = (part.without_servers if isinstance(part, EditedDocument) else part for part in parts)
    return [part for part in rest if part is not None]
