"""Profiles: an agent's folders on this machine, each with the environment in which the agent uses it."""

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
    """The profiles of every agent: the current one, those that `setup` connected, and those of sessions that
    were given memory lately or are in the index."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.folders = cache(self._folders)

    def assignment(self, agent: str, transcript: str) -> str:
        """The words of a shell before the command that resumes the session of this `transcript`; '' where the
        current environment is that of its profile."""
        variables, file = AGENTS[agent].variables if agent in AGENTS else (), Path(transcript)
        env = next((env for folder, env in self.folders(agent).items() if file.is_relative_to(folder)), {})
        assignments = [f"{name}={shlex.quote(value)}" for name in variables if (value := env.get(name))]
        unset = [f"-u {name}" for name in variables if self._memory.env.get(name) and not env.get(name)]
        words = [*(["env", *unset] if unset else ()), *assignments]
        return f"{' '.join(words)} " if words else ""

    def _folders(self, agent: str) -> Mapping[Path, Mapping[str, str]]:
        """The folders of this agent's transcripts, each with the environment that selects it; none for an
        unknown agent."""
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
        """(agent, transcript) of a session in each folder of which the index has transcripts, as what hooks
        noted of sessions is deleted after a while."""
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
        """Ledgers of recent sessions whose hooks were given the path of the transcript."""
        recent = ledgers(self._memory.places.sessions, self._memory.state.id)
        return [ledger for ledger in recent if ledger.transcript]
