"""Reads what was said in agents' sessions into the index, when all else is done and nobody waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxrepo.errors import CtxrepoError, in_words
from ctxrepo.services.sessions.update import unread_mark, update_index
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import SpoolEvent

SECONDS = 120.0
"""For so long one worker reads; the next one goes on. It has the lowest priority, and of our locks only the
index's, so nobody notices."""

_BY_TOOLS = ("tool", "shell")
"""Events within a turn, of which there are many."""


def index_sessions(memory: Memory, events: Sequence[SpoolEvent], log: Callable[[str], None]) -> None:
    """Bring the index up to date if a session had a turn, or if transcripts are left from the last time; the
    newest come first."""
    if not (unread_mark(memory).exists() or any(event.event not in _BY_TOOLS for event in events)):
        return
    try:
        update_index(memory, SECONDS, is_background=True)
    except (CtxrepoError, OSError) as error:
        log(in_words(error))
