"""Profiles: an agent's folders on this machine, each named by the environment in which the agent uses it."""

import os
import shlex
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

from ctxrepo.agents.known import AGENTS, transcripts_of
from ctxrepo.errors import ConfigError, CtxrepoError
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import SessionIndex, index_file
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
        variables, here = AGENTS[agent].variables, Path(transcript)
        there = next((env for folder, env in self.folders(agent).items() if here.is_relative_to(folder)), {})
        named = [f"{name}={shlex.quote(value)}" for name in variables if (value := there.get(name))]
        unset = [f"-u {name}" for name in variables if self._memory.env.get(name) and not there.get(name)]
        words = [*(["env", *unset] if unset else ()), *named]
        return f"{' '.join(words)} " if words else ""

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
        indexed = (Path(path) for of_agent, path in self._indexed if of_agent == agent)
        former = [home / place for place in getattr(transcripts, "FORMER", ())]
        for file in (*connected, *ended, *indexed, *(place / "projects/any/any.jsonl" for place in former)):
            is_known = any(file.is_relative_to(folder) for folder in folders)
            if not is_known and (profile := AGENTS[agent].profile(file, home, now)):
                folders.setdefault(transcripts.folder(home, profile), profile)
        for place in former:
            folders.setdefault(place, now)
        return folders

    @cached_property
    def _indexed(self) -> list[tuple[str, str]]:
        """(agent, transcript) of a session in each folder whose transcripts were ever read: what hooks noted
        of a session goes with time."""
        file = index_file(self._memory.state.root)
        if not file.is_file():
            return []
        try:
            with SessionIndex.opened(file) as index:
                transcripts = index.transcripts()
        except (sqlite3.Error, CtxrepoError, OSError):
            return []
        return [*{(agent, os.path.dirname(path)): (agent, path) for agent, path in transcripts}.values()]

    @cached_property
    def _ledgers(self) -> list[Ledger]:
        """Sessions that ended lately, with the transcripts that their hooks were told."""
        known = ledgers(self._memory.places.sessions, self._memory.state.id)
        return [ledger for ledger in known if ledger.transcript]
