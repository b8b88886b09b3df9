"""Compares the remote's branch with its tip at our last exchange: has it moved on, gone back, or changed?"""

from collections.abc import Sequence

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.refusals import Refusal, check_file
from ctxrepo.domain.secrets import redact
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.clone import LAST_TIP
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects


@dataclass(frozen=True)
class UpstreamState:
    """`answer` is not ok when a person has to confirm first; `notice` is what they must be told otherwise.
    Only if the branch still `has_known_tip` is what is missing there a deletion."""

    answer: RemoteAnswer = RemoteAnswer("ok")
    notice: str = ""
    has_known_tip: bool = False


_FINE = UpstreamState(has_known_tip=True)


def state_of_upstream(memory: Memory, theirs: str | None, *, accept: bool = False) -> UpstreamState:
    """What the remote's tip `theirs` means (None: no such branch). A remote that went back or was rewritten
    is merged, so that neither side loses anything. A new address, or one suddenly empty, a person has to
    confirm with `accept`: it was probably replaced, or is somebody else's."""
    state = _state(memory, theirs)
    if accept:
        remember_tip(memory, theirs)
    return UpstreamState(has_known_tip=state.has_known_tip) if accept else state


def _state(memory: Memory, theirs: str | None) -> UpstreamState:
    objects = memory.objects
    last = objects.ref(LAST_TIP)
    if last is None or theirs == last or not objects.has(last):
        return _FINE
    if theirs is None:
        if memory.remote.has(last):
            return UpstreamState(notice="the memory's branch was deleted on the remote; it is sent again")
        return _changed("the remote is empty, and it wasn't before: it may have been replaced")
    if objects.contains(theirs, last):
        return _FINE
    if objects.contains(last, theirs):
        return UpstreamState(notice="the remote went back to an earlier state; what it lost is sent again")
    if objects.merge_base(last, theirs) is not None:
        return UpstreamState(notice="the remote's history was rewritten; both histories are kept")
    last_url = memory.exchanges.url
    if last_url and last_url != memory.repository.remote:
        return _changed(f"this is another remote than {redact(last_url)}, and it holds another memory")
    return UpstreamState(
        notice="the remote holds another history, which has nothing in common with ours; both are kept"
    )


def remember_tip(memory: Memory, theirs: str | None) -> None:
    """Remember `theirs` as the tip that we last exchanged with."""
    if theirs is None:
        memory.objects.drop_ref(LAST_TIP)
    elif memory.objects.ref(LAST_TIP) != theirs:
        memory.objects.set_ref(LAST_TIP, theirs)


def _changed(reason: str) -> UpstreamState:
    return UpstreamState(RemoteAnswer("changed", reason))


def outgoing_secrets(memory: Memory, commit: str, sent: Sequence[str]) -> tuple[Refusal, ...]:
    """Secrets in files that pushing `commit` adds to a remote with the commits `sent`, but for its own."""
    objects = memory.objects
    allow = memory.settings.secrets.allow_secret
    trees = [objects.tree_of(k) for k in sent]
    refusals: list[Refusal] = []
    for new in objects.new_commits(commit, *sent):
        for path, key in _new_files(objects, new).items():
            if (path, key) in memory.guarded:
                continue
            if refused := _secrets(path, objects.data_or_empty(key), allow):
                sent_keys = [key for tree in trees for key in objects.files(tree, [path]).values()]
                texts = map(objects.data_or_empty, sent_keys)
                old = {r.fingerprint for data in texts for r in _secrets(path, data, allow)}
                refusals += [r for r in refused if r.fingerprint not in old]
    return tuple(refusals)


def _new_files(objects: Objects, commit: str) -> dict[str, str]:
    """path -> key of the plain files in this commit that differ from those in every parent."""
    tree = objects.tree_of(commit)
    trees = [objects.tree_of(p) for p in objects.parents(commit)] or [None]
    first, *others = [objects.diff(parent, tree) for parent in trees]
    return {
        path: key
        for path, (_, key) in first.items()
        if key is not None and ":" not in key and all(path in other for other in others)
    }


def _secrets(path: str, data: bytes, allow: Sequence[str]) -> list[Refusal]:
    return [r for r in check_file(path, data, allow) if r.fingerprint]
