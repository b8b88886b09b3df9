"""Profiles: an agent's folders on this machine, each named by the environment in which the agent uses it."""

import shlex
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

from ctxrepo.agents.known import AGENTS, transcripts_of
from ctxrepo.errors import ConfigError
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import Ledger, ledgers
from ctxrepo.storage.user import receipt


class Profiles:
    """The profiles of every agent: that of now, those that `setup` connected, and those whose sessions were
    given memory lately."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.folders = cache(self._folders)

    def assignment(self, agent: str, transcript: str) -> str:
        """What goes before the command that resumes the session of this `transcript`, in words of a shell:
        '' where the agent's usual folder has it, and no variable of now names another."""
        variable, here = AGENTS[agent].identity.FOLDER, Path(transcript)
        for folder, environment in self.folders(agent).items():
            if here.is_relative_to(folder) and (value := environment.get(variable)):
                return f"{variable}={shlex.quote(value)} "
        return f"env -u {variable} " if self._memory.env.get(variable) else ""

    def _folders(self, agent: str) -> Mapping[Path, Mapping[str, str]]:
        """Where this agent keeps its transcripts, each folder with the environment that names it; nowhere for
        an unknown agent."""
        transcripts, home, now = transcripts_of(agent), self._memory.places.user_home, self._memory.env
        folders: dict[Path, Mapping[str, str]] = {}
        if transcripts is None:
            return folders
        with suppress(ConfigError):  # `doctor` says so
            folders[transcripts.folder(home, now)] = now
        connected = receipt.first_files(self._memory.places.config_dir, agent)
        ended = (Path(ledger.transcript) for ledger in self._ledgers if ledger.agent == agent)
        for file in (*connected, *ended):
            is_known = any(file.is_relative_to(folder) for folder in folders)
            if not is_known and (profile := AGENTS[agent].profile(file, home, now)):
                folders.setdefault(transcripts.folder(home, profile), profile)
        return folders

    @cached_property
    def _ledgers(self) -> list[Ledger]:
        """Sessions that ended lately, with the transcripts that their hooks were told."""
        known = ledgers(self._memory.places.sessions, self._memory.state.id)
        return [ledger for ledger in known if ledger.transcript]
