"""Which project a session belongs to, as far as it is recorded, and how a person goes on with it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import PurePath

from ctxrepo.agents.known import transcripts_of
from ctxrepo.domain.project.paths import shown
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.index import IndexedSession
from ctxrepo.storage.state.compiled import read_checkouts

_ID = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")
"""What a session may be called in a command: never what an agent takes for an option."""

_MOST_CHARACTERS = 1000
"""Of a folder's name in a command: whoever copies it must get all of it."""


def project_names(memory: Memory) -> Callable[[str], tuple[str, ...]]:
    """What the project of a folder is called: its folder in the memory, where hooks know the checkout, and
    the names of the checkout. No disk is asked."""
    tops = sorted(read_checkouts(memory.places.state), key=lambda row: -len(row.top))

    def names(cwd: str) -> tuple[str, ...]:
        row = next((row for row in tops if cwd == row.top or cwd.startswith(f"{row.top}/")), None)
        if row is None:
            return (PurePath(cwd).name,) if cwd else ()
        told = (row.folder, PurePath(row.top).name, row.project)
        return tuple(dict.fromkeys(filter(None, told)))

    return names


def why_no_command(session: IndexedSession) -> str:
    """Why a person is given no command for a session, where it is because of its folder."""
    if len(session.cwd) > _MOST_CHARACTERS:
        return "the name of its folder is too long"
    if shown(session.cwd, _MOST_CHARACTERS) != session.cwd:
        return "the name of its folder has characters that can't be seen"
    return ""


def resume_command(session: IndexedSession) -> str:
    """The command with which a person goes on with a session, on one line; '' where nobody knows one, and
    where the session is called what an agent would take for an option."""
    if why_no_command(session):
        return ""
    transcripts = transcripts_of(session.agent)
    if transcripts is None or not transcripts.RESUME or not _ID.fullmatch(session.id):
        return ""
    command = transcripts.RESUME.format(session=shlex.quote(session.id))
    if not session.cwd:
        return command
    end = "-- " if session.cwd.startswith("-") else ""
    return f"cd {end}{shlex.quote(session.cwd)} && {command}"


def is_of_project(names: Iterable[str], wanted: str) -> bool:
    """Whether one of a project's names is the one that is asked for, whatever its case; '' asks for any."""
    return not wanted or wanted.casefold() in (name.casefold() for name in names)
