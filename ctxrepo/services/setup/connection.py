"""One agent on this machine: its files as they are, what we did to them, and the line of its hooks."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.known import Agent, agent_named
from ctxrepo.agents.mcp_server import VARIABLES, McpServer
from ctxrepo.agents.permissions import InstallOptions
from ctxrepo.agents.wanted import EditedDocument, GrantedFolder, SkillsFolder, Wanted
from ctxrepo.domain.settings.values import Settings
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass
from ctxrepo.services.setup import skills
from ctxrepo.services.setup.files import EditedOnDisk, OwnFileOnDisk, WantedFile, wanted_file
from ctxrepo.services.setup.skills import Skills
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.user import assets, receipt
from ctxrepo.storage.user.config import read_settings, settings_before
from ctxrepo.storage.user.places import Places
from ctxrepo.storage.user.receipt import Receipt, WrittenFile, digest


@dataclass(frozen=True)
class Machine:
    """What a face knows: the user's folders, the environment, the interpreter that runs (no shim), the
    `checkout` around the current folder, whose settings agents read too, and whether rules are enforced.
    `can_serve`: what our MCP server needs is installed."""

    places: Places
    environment: Mapping[str, str]
    interpreter: Path
    checkout: Path | None = None
    enforces: bool = False
    can_serve: bool = False

    @property
    def server(self) -> McpServer:
        """How agents start our MCP server: with the places that it would not find by itself."""
        usual = Places.of({"HOME": str(self.places.user_home)})
        here, default = ((p.home, p.config_file, p.state) for p in (self.places, usual))
        named = zip(VARIABLES, here, default, strict=True)
        return McpServer(
            self.interpreter, {name: str(place) for name, place, other in named if place != other}
        )

    @property
    def line(self) -> HookLine:
        """What hooks of this installation call."""
        return HookLine(self.interpreter, assets.HOOK, self.places.state)

    def folder_of(self, agent: Agent) -> Path:
        """The user's folder of the agent; ConfigError when the environment names an unusable one."""
        return agent.install.folder(self.places.user_home, self.environment)


def is_enforcing(places: Places) -> bool:
    """Whether agents are to ask before they use a tool; while config.toml can't be read, as it was before."""
    try:
        settings: Settings | None = read_settings(places.config_file)
    except ConfigError:
        settings = settings_before(places.config_before)
    return settings is not None and "enforce" in settings.hooks.before_tool


@dataclass(frozen=True)
class Slip:
    """The receipt as it is kept: its place, its bytes, and what they say if they can be read."""

    path: Path
    data: bytes | None
    receipt: Receipt | None

    def changed_to(self, data: bytes | None) -> Change:
        """The change that writes the receipt, or with None takes it away."""
        return Change(self.path, self.data, data, private=True)

    @property
    def known(self) -> Receipt:
        """What the receipt says of files, skills and folders: nothing where there is none to read."""
        return self.receipt or Receipt({})


@dataclass(frozen=True)
class Connection:
    """An agent, the files that its installation wants, and the folders of its skills."""

    agent: Agent
    machine: Machine
    files: tuple[WantedFile, ...]
    skills: tuple[Path, ...]
    granted_folders: tuple[GrantedFolder, ...] = ()
    """The folders of ours that commands in its sandbox may write to."""
    gone: Set[Path] = frozenset()
    """Receipts of other agents that don't count any more, because those are being let go of."""
    permissions: str = "none"
    """Which of our commands it may run without asking; a name in agents/permissions.py."""
    mcp: bool | None = None
    """Whether our MCP server is in its list; None where nobody chose: then the list isn't looked at."""

    @classmethod
    def of(
        cls,
        name: str,
        machine: Machine,
        gone: Set[Path] = frozenset(),
        permissions: str = "",
        mcp: bool | None = None,
    ) -> "Connection":
        """With these `permissions` and with or without our server (`mcp`), or as it has them. UsageError for
        an unknown agent; ConfigError or CtxrepoError when its files can't be read."""
        agent = agent_named(name)
        made = cls._of(agent, machine, gone, permissions or "none", mcp)
        known = made.slip.known
        choices = (mcp, known.mcp, True if agent.needs_server and machine.can_serve else None)
        has = (permissions or known.permissions, next((one for one in choices if one is not None), None))
        return made if has == (made.permissions, made.mcp) else cls._of(agent, machine, gone, *has)

    @classmethod
    def _of(
        cls, agent: Agent, machine: Machine, gone: Set[Path], permissions: str, mcp: bool | None
    ) -> "Connection":
        wanted = wanted_of(agent, machine, permissions=permissions, mcp=mcp is True)
        if mcp is None:
            left = [one.without_servers if isinstance(one, EditedDocument) else one for one in wanted]
            wanted = [one for one in left if one is not None]
        files = [wanted_file(one) for one in wanted if not isinstance(one, SkillsFolder | GrantedFolder)]
        skills = [one.path for one in wanted if isinstance(one, SkillsFolder)]
        granted = [one for one in wanted if isinstance(one, GrantedFolder)]
        return cls(agent, machine, tuple(files), tuple(skills), tuple(granted), gone, permissions, mcp)

    @property
    def lists(self) -> Sequence[EditedOnDisk]:
        """The files with a list of servers that isn't left alone."""
        return [file for file in self.files if isinstance(file, EditedOnDisk) and file.wanted.servers]

    @property
    def trouble(self) -> str:
        """Why our server can't be put into the list, or taken out; '' where it can."""
        try:
            for file in self.lists:
                self.connected(file)
        except ConfigError as error:
            return error.message
        return ""

    def without_list(self) -> "Connection":
        """The same with the list of servers left alone, and nothing permitted of what is called as ours."""
        made = self._of(self.agent, self.machine, self.gone, self.permissions, None)
        return replace(made, mcp=self.mcp)

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

    @cached_property
    def slip(self) -> Slip:
        """What is known of an earlier setup of these very files."""
        first = self.files[0].path
        usual = wanted_of(self.agent, self.machine, {})
        is_usual = any(one.path == first for one in usual)
        path = receipt.place(self.machine.places.config_dir, self.agent.name, None if is_usual else first)
        data = foreign.read(path)
        known = receipt.load(data)
        return Slip(path, data, known if known and first in known.files else None)

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
        made = [folder for path in paths for folder in foreign.missing_folders(path)]
        # A folder that another agent's setup made for both goes with whichever is let go of last.
        above = {folder for path in paths for folder in path.parents}
        shared = [folder for other in self._others for folder in other.folders if folder in above]
        states = {file.path: (file.before(self.known(file)), self.connected(file)) for file in self.files}
        # Of what holds nothing of ours no copy is kept: it is a person's alone.
        written = {
            path: WrittenFile(before, digest(after))
            for path, (before, after) in states.items()
            if before != after
        }
        is_list_left = self.mcp and not self.lists
        return Receipt(
            files=written | {**self.slip.known.files, **written} if is_list_left else written,
            skills=owned,
            permissions=self.permissions,
            mcp=self.mcp if self.mcp or self.agent.needs_server else None,
            folders=tuple(dict.fromkeys([*self.slip.known.folders, *made, *shared])),
        )

    @cached_property
    def shared_skills(self) -> Mapping[Path, str]:
        """The skills that other agents have from us as well, in one folder, with digests of what we wrote."""
        return {path: written for other in self._others for path, written in other.skills.items()}

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
        kept = self.shared_skills.keys()
        return skills.together([skills.removed(root, owned, kept) for root in self.skills])

    def _newest_of(self, owned: Mapping[Path, str]) -> Mapping[Path, str]:
        """The skills `owned`, with the digest that another agent's setup has left where that wrote last."""
        roots = tuple(self.skills)
        shared = {
            p: d for p, d in self.shared_skills.items() if any(p.is_relative_to(root) for root in roots)
        }
        return {**owned, **{path: d for path, d in shared.items() if digest(foreign.read(path)) == d}}


def wanted_of(
    agent: Agent,
    machine: Machine,
    environment: Mapping[str, str] | None = None,
    permissions: str = "none",
    mcp: bool = False,
) -> Sequence[Wanted]:
    """What its installation wants on this machine, in the `environment` of now or in another one, with what
    the level of `permissions` allows, if the agent can be told, and with our server (`mcp`)."""
    there = machine.environment if environment is None else environment
    server = machine.server if mcp else None
    told = InstallOptions(permissions, machine.places.handover, machine.enforces, server)
    home = machine.places.user_home
    return agent.install.files(home, there, lambda event: machine.line(agent.name, event), told)
