"""A fork goes on with a copy of another session's conversation, so its ledger begins as a copy of that one's.

Which one that was, the agent's dialect tells.
"""

from ctxrepo.hooks.session.session import Session


def begin_as_copy(session: Session, origin: str) -> None:
    """Note in the ledger of a session that begins as a fork what its `origin` had been given.

    Where nobody can tell which that was, nothing: then some of it is given again.
    """
    if origin and origin != session.id:
        session.is_fork_of(origin)
        session.save()
