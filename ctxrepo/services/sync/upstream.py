"""How the remote's branch stands to what it was when we last agreed with it."""

from __future__ import annotations

from dataclasses import dataclass

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.storage.clone.clone import SEEN
from ctxrepo.storage.git.git import redact
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class UpstreamState:
    """`answer` is not ok when a person has to confirm first; `notice` is what they must be told else.

    `goes_on` says that the remote has all that we knew of it: only then has somebody taken out what isn't
    there.
    """

    answer: RemoteAnswer
    notice: str = ""
    goes_on: bool = False


_FINE = UpstreamState(RemoteAnswer("ok"), goes_on=True)


def standing(memory: Memory, theirs: str | None, *, accept: bool = False) -> UpstreamState:
    """What the remote's tip `theirs` (None: it has no such branch) means; with `accept` a person takes it
    for what it is.

    A remote that went back or was rewritten is merged with what is here, so that nothing is lost on either
    side. One that is empty all at once was replaced, and another address may be somebody else's.
    """
    found = _standing(memory, theirs)
    if accept:
        agree(memory, theirs)
        return UpstreamState(_FINE.answer, goes_on=found.goes_on)
    return found


def _standing(memory: Memory, theirs: str | None) -> UpstreamState:
    objects = memory.objects
    seen = objects.ref(SEEN)
    if seen is None or theirs == seen or not objects.has(seen):
        return _FINE
    if theirs is None:
        if memory.remote.has(seen):
            return _noticed("the memory's branch was deleted on the remote; it is sent again")
        return _changed("the remote is empty, and it wasn't before: it may have been replaced")
    if objects.contains(theirs, seen):
        return _FINE
    if objects.contains(seen, theirs):
        return _noticed("the remote went back to an earlier state; what it lost is sent again")
    if objects.merge_base(seen, theirs) is not None:
        return _noticed("the remote's history was rewritten; both histories are kept")
    known = memory.exchanges.url
    if known and known != memory.repository.remote:
        return _changed(f"this is another remote than {redact(known)}, and it holds another memory")
    return _noticed("the remote holds another history, which has nothing in common with ours; both are kept")


def agree(memory: Memory, theirs: str | None) -> None:
    """What the remote has now is what we know of it, and hold."""
    if theirs is None:
        memory.objects.drop_ref(SEEN)
    elif memory.objects.ref(SEEN) != theirs:
        memory.objects.set_ref(SEEN, theirs)


def _changed(reason: str) -> UpstreamState:
    return UpstreamState(RemoteAnswer("changed", reason))


def _noticed(notice: str) -> UpstreamState:
    return UpstreamState(RemoteAnswer("ok"), notice)
