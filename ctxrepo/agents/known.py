"""The table of agents, made from the folders that there are; a part of one is loaded when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from ctxrepo.agents import dialect_of, names
from ctxrepo.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ctxrepo.agents.protocol import (
        AgentIdentity,
        Imports,
        Install,
        MemorySettings,
        NativeMemory,
        Plugin,
        Records,
        Transcripts,
        Trust,
    )
    from ctxrepo.agents.switches import Retention, Switch
    from ctxrepo.sources.source import Source


_Offered = TypeVar("_Offered")


class _FolderPart(Generic[_Offered]):
    """A module of an agent's folder that may be missing (None), loaded when it is asked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __get__(self, agent: Agent, _: object) -> _Offered | None:
        if not os.path.isfile(f"{os.path.dirname(__file__)}/{agent.name}/{self._module}.py"):
            return None
        return cast("_Offered", import_module(f"ctxrepo.agents.{agent.name}.{self._module}"))


class Agent:
    """One agent by the name of its folder, which is its name on the command line."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def identity(self) -> AgentIdentity:
        """What it is called."""
        return cast("AgentIdentity", import_module(f"ctxrepo.agents.{self.name}"))

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return self.identity.TITLE

    @property
    def moments(self) -> Mapping[str, str]:
        """The moment that each of its events is for us, by the event as the agent writes it."""
        dialect = dialect_of(self.name)
        return dict(dialect.events.values()) if dialect else {}

    @cached_property
    def install(self) -> Install:
        """What makes it call our hooks."""
        return cast("Install", import_module(f"ctxrepo.agents.{self.name}.install"))

    @property
    def rules(self) -> str:
        """What the rules are called by which it runs commands without asking; '' where it takes none."""
        return getattr(self.install, "RULES", "")

    @property
    def servers(self) -> str:
        """The file that lists its MCP servers; '' where none can be added."""
        return getattr(self.install, "SERVERS", "")

    @property
    def needs_server(self) -> bool:
        """Whether our MCP server is wanted unless a person declines it."""
        return getattr(self.install, "NEEDS_SERVER", False)

    trust: _FolderPart[Trust] = _FolderPart("trust")
    """How it is asked whether it trusts our hooks; None where it runs every hook that is in its files."""

    @property
    def plugin(self) -> Plugin | None:
        """How it notes that our plugin is on; None where there is no such plugin."""
        return getattr(self.install, "PLUGIN", None)

    @property
    def native_memory(self) -> NativeMemory | None:
        """The memory that it has of its own; None where it has none, or nobody has looked into that."""
        return getattr(self.install, "NATIVE_MEMORY", None)

    @cached_property
    def switches(self) -> Sequence[Switch]:
        """What in its settings switches hooks off; empty where nothing does."""
        from ctxrepo.agents.switches import read_switches

        return read_switches(self._table("switches.tsv"))

    @cached_property
    def retention(self) -> Retention | None:
        """How long it keeps its transcripts; None where it deletes none, as far as anybody knows."""
        from ctxrepo.agents.switches import read_retention

        table = self._table("retention.tsv")
        return read_retention(table) if table else None

    def _table(self, name: str) -> str:
        """A table of settings in its folder; '' without one."""
        try:
            with open(f"{os.path.dirname(__file__)}/{self.name}/{name}", encoding="utf-8") as table:
                return table.read()
        except FileNotFoundError:
            return ""

    imports: _FolderPart[Imports] = _FolderPart("imports")
    """The memory programs of it whose notes can be brought here; None where there is none."""

    memory_settings: _FolderPart[MemorySettings] = _FolderPart("memory_settings")
    """What its own settings say of memory; None where no memory program of its own has settings there."""

    transcripts: _FolderPart[Transcripts] = _FolderPart("records")
    """How it records what is said in its sessions; None where nobody has looked into that yet."""

    @property
    def records(self) -> Records | None:
        """What it records about our hooks; None where it records nothing, or nobody has looked into that."""
        part = self.transcripts
        return cast("Records", part) if hasattr(part, "read") else None

    def session(self, environment: Mapping[str, str]) -> str | None:
        """The id of its session that a command with this environment runs in; '' where the agent tells its
        commands none, None where no session of it runs the command."""
        who = self.identity
        if not all(environment.get(name) == value for name, value in who.MARKS.items()):
            return None
        return (environment.get(who.SESSION) or None) if who.SESSION else ""

    @property
    def variables(self) -> Sequence[str]:
        """The environment variables that move its folder, or that of its transcripts; empty for none."""
        return [*filter(None, (self.identity.FOLDER, *getattr(self.transcripts, "VARIABLES", ())))]

    def profile(self, file: Path, home: Path, environment: Mapping[str, str]) -> Mapping[str, str] | None:
        """The environment in which the agent has this `file`, of an installation of ours or a transcript;
        None where its variables can't name a folder so."""
        default = {name: value for name, value in environment.items() if name not in self.variables}
        variants = [{**default, name: str(folder)} for name in self.variables for folder in file.parents]
        return next((there for there in (default, *variants) if self._has(file, home, there)), None)

    def _has(self, file: Path, home: Path, environment: Mapping[str, str]) -> bool:
        with suppress(ConfigError):  # of another variable
            if any(wanted.path == file for wanted in self.install.files(home, environment, str)):
                return True
            if self.transcripts and file.is_relative_to(folder := self.transcripts.folder(home, environment)):
                return any(map(file.relative_to(folder).match, self.transcripts.PATTERN.split("|")))
        return False


AGENTS: Mapping[str, Agent] = {name: Agent(name) for name in names()}


def agent_named(name: str) -> Agent:
    """The agent of this name; UsageError, with the names there are, when there is none."""
    if name not in AGENTS:
        raise UsageError(f"no agent is called {name!r}", f"Agents: {', '.join(AGENTS)}.")
    return AGENTS[name]


SETUP_HINT = "`ctxrepo setup --all`"
"""The command that connects agents where none is."""

SETUP_STEP = f"{SETUP_HINT} connects the agents on this machine"
"""What that command does, as the next step for somebody who has a memory now."""


def transcripts_of(name: str) -> Transcripts | None:
    """How the agent of this name records what is said in its sessions; None when nobody knows."""
    return AGENTS[name].transcripts if name in AGENTS else None


def parts_of(transcripts: Transcripts | None) -> Sequence[tuple[str, str]]:
    """Where it keeps messages and their parts that are a file each; nowhere for most."""
    return getattr(transcripts, "PARTS", ())


def is_resumed(transcripts: Transcripts | None, path: str) -> bool:
    """Whether the agent goes on with a session from a file like this one."""
    return not any(map(PurePath(path).match, getattr(transcripts, "NOT_RESUMED", ())))


def sources() -> Mapping[str, Source]:
    """The memory programs whose notes can be brought here, by name: first those of agents, then others."""
    from ctxrepo.sources.programs import offered

    parts = (agent.imports for agent in AGENTS.values())
    of_agents = (source for part in parts if part is not None for source in part.SOURCES)
    return {source.name: source for source in (*of_agents, *offered())}


def instruction_files() -> str:
    """The files that the agents read at a session's start, as a list in a sentence."""
    *others, last = sorted({agent.identity.INSTRUCTIONS for agent in AGENTS.values()})
    return f"{', '.join(others)} and {last}" if others else last


def anchors_file_writer() -> str:
    """The agent whose memory program keeps a project's anchors in `layout.anchors_file`; '' for none."""
    parts = ((name, agent.memory_settings) for name, agent in AGENTS.items())
    return next((name for name, part in parts if part is not None and part.WRITES_ANCHORS_FILE), "")


def session_in(environment: Mapping[str, str]) -> tuple[str, str]:
    """(name of the agent, id of its session) that a command runs in; '' for both in a person's shell, and for
    the id where the agent tells its commands none. An id that isn't plain text is none."""
    untold = ""
    for name, agent in AGENTS.items():
        session = agent.session(environment)
        if session and session.isprintable():
            return name, session
        if session == "":
            untold = name  # it may have started another agent, which says more
    return untold, ""


def agent_in(environment: Mapping[str, str]) -> str:
    """The agent in whose shell a command runs, '' for none; also where nothing tells the session."""
    marked = (
        name
        for name, agent in AGENTS.items()
        if agent.identity.MARKS and agent.identity.MARKS.items() <= environment.items()
    )
    return session_in(environment)[0] or next(marked, "")
