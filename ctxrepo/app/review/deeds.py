"""Who made a commit, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxrepo.domain.project.layout import shown

if TYPE_CHECKING:
    from ctxrepo.services.history.history import CommitSummary

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
