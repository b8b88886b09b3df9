"""The project of a session, by its folder, and the command by which a person resumes it."""

import shlex
from pathlib import PurePath

from ctxrepo.agents.known import AGENTS, is_resumed, transcripts_of
from ctxrepo.domain.project.layout import shown
from ctxrepo.lazy import lazy_pattern
from ctxrepo.services.reading.find import NamedScope
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import IndexedSession
from ctxrepo.storage.state.compiled import CompiledCheckout, read_checkouts

_ID = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")
"""Ids that may stand in a command: none of them looks like an option."""

_MOST_CHARACTERS = 1000
"""Most characters of a folder's name in a command: it must be possible to copy all of it."""


class Projects:
    """The projects of folders, by the checkouts that hooks know. Nothing else is read."""

    def __init__(self, memory: Memory) -> None:
        self._deepest_first = sorted(read_checkouts(memory.places.state), key=lambda row: -len(row.top))

    def is_in(self, cwd: str, scope: NamedScope) -> bool:
        """Whether a folder is in a checkout of a scope's project."""
        checkout = self._checkout(cwd)
        if checkout is None or scope.project is None:
            return False
        return checkout.folder == scope.folder or checkout.project == scope.project.id

    def names_of(self, cwd: str) -> tuple[str, ...]:
        """The names of a folder's project: its folder in the memory, its checkout's name, its id. For an
        unknown project, the folder's own name."""
        checkout = self._checkout(cwd)
        if checkout is None:
            return (PurePath(cwd).name,) if cwd else ()
        names = (checkout.folder, PurePath(checkout.top).name, checkout.project)
        return tuple(dict.fromkeys(filter(None, names)))

    def is_called(self, cwd: str, name: str) -> bool:
        """Whether this is one of the names of a folder's project, whatever its case; '' is any."""
        return not name or name.casefold() in map(str.casefold, self.names_of(cwd))

    def _checkout(self, cwd: str) -> CompiledCheckout | None:
        rows = self._deepest_first
        return next((row for row in rows if cwd == row.top or cwd.startswith(f"{row.top}/")), None)


def why_no_command(session: IndexedSession) -> str:
    """Why there is no command for a session, if that is because of its folder or its file; else ''."""
    if session.is_gone:
        agent = AGENTS[session.agent].title if session.agent in AGENTS else session.agent
        return f"its transcript is gone, so {agent} can't resume it; ctxrepo kept what was said"
    if len(session.cwd) > _MOST_CHARACTERS:
        return "the name of its folder is too long"
    if shown(session.cwd, _MOST_CHARACTERS) != session.cwd:
        return "the name of its folder has characters that can't be seen"
    if not is_resumed(transcripts_of(session.agent), session.path):
        return f"{AGENTS[session.agent].title} doesn't go on from a file like this one"
    return ""


def resume_command(session: IndexedSession, profile: str = "") -> str:
    """The command that resumes a session, on one line, beginning with the words that set its agent's
    `profile`; '' where there is none, or the session's id isn't safe in a command."""
    if why_no_command(session):
        return ""
    transcripts = transcripts_of(session.agent)
    if transcripts is None or not transcripts.RESUME or not _ID.fullmatch(session.id):
        return ""
    archive, unarchive = getattr(transcripts, "ARCHIVE", ("", ""))
    commands = [unarchive] if archive and archive in PurePath(session.path).parts else []
    id_ = shlex.quote(session.id)
    command = " && ".join(profile + step.format(session=id_) for step in (*commands, transcripts.RESUME))
    if not session.cwd:
        return command
    end = "-- " if session.cwd.startswith("-") else ""
    return f"cd {end}{shlex.quote(session.cwd)} && {command}"
