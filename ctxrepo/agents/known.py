"""The table of agents, made from the folders that there are; a part of one is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

from ctxrepo.agents import dialect_of, names
from ctxrepo.errors import UsageError

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import (
        AgentIdentity,
        Install,
        NativeMemory,
        Plugin,
        Records,
        Transcripts,
        Trust,
    )


class Agent:
    """One agent by the name of its folder, which is its name on the command line."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def identity(self) -> AgentIdentity:
        """What it is called."""
        return cast("AgentIdentity", self._part(""))

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
        return cast("Install", self._part(".install"))

    @cached_property
    def trust(self) -> Trust | None:
        """How it is asked whether it trusts our hooks; None where it runs every hook that is in its files."""
        return cast("Trust | None", self._part_if_any(".trust"))

    @cached_property
    def plugin(self) -> Plugin | None:
        """How it notes that our plugin is on; None where there is no such plugin."""
        return cast("Plugin | None", self._part_if_any(".plugin"))

    @cached_property
    def native(self) -> NativeMemory | None:
        """The memory that it has of its own; None where it has none, or nobody has looked into that."""
        return cast("NativeMemory | None", self._part_if_any(".native"))

    @cached_property
    def transcripts(self) -> Transcripts | None:
        """How it records what is said in its sessions; None where nobody has looked into that yet."""
        return cast("Transcripts | None", self._part_if_any(".transcript"))

    @cached_property
    def records(self) -> Records | None:
        """What it records about our hooks; None where it records nothing, or nobody has looked into that."""
        return cast("Records | None", self._part_if_any(".records"))

    def session(self, environment: Mapping[str, str]) -> str:
        """The id of its session that a command with this environment runs in, '' for none."""
        who = self.identity
        is_it = all(environment.get(name) == value for name, value in who.MARKS.items())
        return environment.get(who.SESSION, "") if is_it else ""

    def _part(self, module: str) -> ModuleType:
        return import_module(f"ctxrepo.agents.{self.name}{module}")

    def _part_if_any(self, module: str) -> ModuleType | None:
        try:
            return self._part(module)
        except ModuleNotFoundError as error:
            if error.name != f"ctxrepo.agents.{self.name}{module}":
                raise
            return None


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


def session_in(environment: Mapping[str, str]) -> tuple[str, str]:
    """(name of the agent, id of its session) that a command runs in; '' for both in a person's shell."""
    for name, agent in AGENTS.items():
        if session := agent.session(environment):
            return name, session
    return "", ""
