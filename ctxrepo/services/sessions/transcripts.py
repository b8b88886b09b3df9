"""All transcripts on this machine: where they are, and which have changed since they were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.known import AGENTS
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.files import Layout, TranscriptFile, transcript_files
from ctxrepo.storage.sessions.index import IndexedSession


@dataclass(frozen=True)
class TranscriptsHere:
    """What is in the folders of `agents`; of the others nothing is known, because their folders hang."""

    files: Sequence[TranscriptFile]
    agents: frozenset[str]
    unknown: frozenset[str]


@dataclass(frozen=True)
class Changed:
    """A transcript that isn't in the index as it is now; `known` is what is there of it, if anything."""

    file: TranscriptFile
    known: IndexedSession | None


def layouts(user_home: Path, env: Mapping[str, str]) -> Iterator[Layout]:
    """Where each agent keeps its transcripts."""
    for name, agent in AGENTS.items():
        if known := agent.transcripts:
            try:
                folder = known.folder(user_home, env)
            except ConfigError:  # `doctor` says so
                continue
            yield Layout(name, folder, known.PATTERN, known.SESSIONS, known.FOLDER_FILE)


def transcripts_here(memory: Memory, agent: str = "") -> TranscriptsHere:
    """All transcripts of all agents, or of one; the one that was written last first."""
    asked = [one for one in layouts(memory.places.user_home, memory.env) if agent in ("", one.agent)]
    found = list(memory.outside.ask_each(asked, transcript_files, lambda one: one.folder))
    files = sorted((file for _, there in found for file in there), key=lambda file: -file.mtime)
    answered = frozenset(layout.agent for layout, _ in found)
    return TranscriptsHere(files, answered, frozenset(one.agent for one in asked) - answered)


def changed(here: TranscriptsHere, known: Mapping[str, IndexedSession]) -> list[Changed]:
    """The transcripts that are to be read, the newest first."""
    found = (Changed(file, known.get(file.name)) for file in here.files)
    return [one for one in found if one.known is None or not _is_read(one.file, one.known)]


def gone(here: TranscriptsHere, known: Mapping[str, IndexedSession]) -> list[IndexedSession]:
    """What is in the index and no longer there."""
    there = {file.name for file in here.files}
    return [one for one in known.values() if one.agent in here.agents and one.name not in there]


def _is_read(file: TranscriptFile, known: IndexedSession) -> bool:
    if file.session:
        return file.mark == known.mark and file.inode == known.inode
    return (file.inode, file.size, file.mtime) == (known.inode, known.size, known.mtime)
