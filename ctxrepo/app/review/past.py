"""Operations about what happened to the memory, a note or an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.result import Result, reads
from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import NoteOrEntry, Target
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.history.commits import CommitSummary, Old


@dataclass(frozen=True)
class HistoryRequest:
    """The history of a note or entry, also one that is gone; of the whole memory without a target."""

    target: NoteOrEntry | None = None
    """[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry; deleted ones too."""
    limit: Annotated[int, Between(1, 100_000)] = 20
    """Show at most N commits."""


@dataclass(frozen=True)
class VersionRequest:
    """A note or entry as it was in a commit."""

    target: Target
    commit: str


@dataclass(frozen=True)
class PastCommits:
    """The newest commits, and whether there are more."""

    commits: Sequence[CommitSummary]
    is_more: bool


@reads
def history(desk: Desk, request: HistoryRequest) -> Result[PastCommits]:
    """Say what happened, the newest first."""
    from ctxrepo.services.history.commits import history

    commits = history(desk.memory, request.target, desk.project, request.limit + 1)
    newest = commits[: request.limit]
    return Result(PastCommits(newest, len(commits) > request.limit), {"history": plain_data(newest)})


def version(desk: Desk, request: VersionRequest) -> Result[Old]:
    """Bring out an earlier version, to the byte."""
    from ctxrepo.domain.note.note import decode_exactly
    from ctxrepo.services.history.commits import version

    old = version(desk.memory, request.target, desk.project, request.commit)
    return Result(old, {"commit": old.commit, "path": old.path, "text": decode_exactly(old.data)})


_MAX_WHO = 60


def who(deed: CommitSummary) -> str:
    """`claude on laptop-1a2b, session 8f2e1c3d`, or git's author for a commit made by hand."""
    writers = deed.writers
    if not writers.hosts and not writers.agents:
        return f"{shown(deed.author, _MAX_WHO)} by hand"
    agents, hosts = ", ".join(writers.agents), ", ".join(writers.hosts)
    sessions = [session[:8] for session in writers.sessions]
    session = (
        f", {len(sessions)} sessions" if len(sessions) > 1 else "".join(f", session {s}" for s in sessions)
    )
    return shown(" on ".join(who for who in (agents, hosts) if who), _MAX_WHO) + session
