"""A fork goes on with a copy of another session's conversation, so its ledger begins as a copy too.

The agent's dialect tells which session that was.
"""

from ctxrepo.hooks.session.session import Session


def begin_as_copy(session: Session, origin: str) -> None:
    """Note in the ledger of a session that begins as a fork what its `origin` was given.

    Where the origin is unknown nothing is noted, and the fork may be given something again.
    """
    if origin and origin != session.id:
        session.copy_ledger_of(origin)
        session.save()
