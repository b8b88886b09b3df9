"""Commits what this machine wrote, merges what the others wrote, and sends the result."""

import time
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.refusals import Refusal
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import REGISTRY, is_aside, is_note
from ctxrepo.domain.project.registry import Registry, parse
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.evidence import renamed
from ctxrepo.errors import Busy
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.faults import of_conflicts, of_obstacles, of_remote
from ctxrepo.services.faults.past_deletions import of_deletions
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.services.saving.commit import ALL, CommitRequest, commit
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.saving.refresh import tell_all
from ctxrepo.services.sync.exchange import OK, Exchange, exchange
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.state.committed_records import KeptOutFile

SYNC_WAIT = 8.0
"""Seconds that a sync waits for another one of this clone; a person is waiting."""

_TOLD, _MOST_COMMITS = "refs/ctxrepo/told", 500
"""A ref to the commit up to which somebody was told what merges brought back; so many newer ones are read."""

_UNDER_WAY = RemoteAnswer("timeout", "another sync of this memory is still under way")


@dataclass(frozen=True)
class SyncResult:
    """The remote's last answer, how many commits were `received` and `sent`, and to which review `branch`
    ('': the shared one). `held` is what the write guard kept back, `conflict_copies` are versions that lost,
    `notices` what else a person must know."""

    head: str | None
    remote: RemoteAnswer = OK
    received: int = 0
    sent: int = 0
    branch: str = ""
    held: tuple[Refusal, ...] = ()
    conflict_copies: tuple[ConflictCopy, ...] = ()
    notices: tuple[str, ...] = ()
    created: bool = False


@dataclass(frozen=True)
class SyncRequest:
    """What a sync is to do: commit what `wanted` says, receive, and with `send` send. `fetched` is the answer
    of a fetch made just before; with `accept_remote` a person confirms a replaced remote. `wait` is the
    seconds to wait for another sync, after which nothing that it has sent is repeated. Unless it `tells`
    somebody, what came back is left for one that does."""

    send: bool = True
    wanted: CommitRequest = ALL
    fetched: RemoteAnswer | None = None
    accept_remote: bool = False
    wait: float = SYNC_WAIT
    tells: bool = True


PLAIN_SYNC = SyncRequest()


def sync(memory: Memory, now: datetime, request: SyncRequest = PLAIN_SYNC) -> SyncResult:
    """Commit, fetch and merge and, if the request says so, push; without a remote, only commit. A remote that
    is away or refuses is an outcome; errors are those of `commit`."""
    send, accept_remote = request.send, request.accept_remote
    require_ready(memory)
    asked, before = time.monotonic(), memory.head
    try:
        with locked(memory.state.lock("sync"), request.wait):
            # Whoever asks after this moment may have written after our commit, and has to sync again.
            began = time.monotonic()
            committed = commit(memory, now, request.wanted)
            if not memory.has_remote:
                return _synced(memory, before, committed, Exchange())
            earlier_answer = memory.exchanges.answer_since(asked, committed.head, send=send)
            if earlier_answer and not accept_remote:
                return _synced(memory, before, committed, Exchange(earlier_answer))
            registry = read_registry(memory)
            exchanged = exchange(memory, now, send=send, fetched=request.fetched, accept=accept_remote)
            since = memory.objects.ref(_TOLD) or before
            if request.tells and since and memory.objects.has(since):
                exchanged = exchanged.noticing(
                    *_renamed(memory, since, registry), *_come_back(memory.objects, since, memory.head)
                )
            if told := memory.head if request.tells else since:
                memory.objects.set_ref(_TOLD, told)
            result = _synced(memory, before, committed, exchanged)
            memory.exchanges.remember(
                memory.repository.remote, result.head, began, exchanged.answer, sent=send
            )
    except Busy:  # another sync takes longer than `wait`: commit at least
        return _synced(memory, before, commit(memory, now, request.wanted), Exchange(_UNDER_WAY))
    if send or not exchanged.answer.ok:  # a fetch that went well says nothing of a push that didn't
        trouble = exchanged.answer.trouble
        words = f"the memory is saved here but does not reach its remote: {trouble}; `ctxrepo sync` says more"
        memory.set_remote_trouble(words if trouble else "")
    KeptOutFile(memory.state.held).note(exchanged.held, now, is_judged=lambda _: False)
    tell_all(memory)
    return result


def _renamed(memory: Memory, since: str, before: Registry) -> Iterator[str]:
    """A line for each project that got another folder since that commit, unless a command here gave it."""
    was = parse(decode(memory.objects.find(memory.objects.tree_of(since), REGISTRY) or b""))
    for identity, new in read_registry(memory).projects.items():
        former = [old for each in (before, was) if (old := each.folder_of(identity)) and old != new]
        done = memory.done_log.newest() if former and before.folder_of(identity) == new else ()
        if former and not any(operation.note.endswith(f" is {new}") for operation in done):
            yield f"the notes of {identity} are in {new}/ now, no longer in {former[0]}/"


def _come_back(objects: Objects, since: str, head: str | None) -> Iterator[str]:
    """A line for each note that a new merge has again, whichever machine made it: one side had removed the
    note or put it aside, and the other one edited or moved it."""
    for merge in islice(objects.new_commits(head, since) if head else (), _MOST_COMMITS):
        sides = objects.parents(merge)
        base = objects.tree_of(objects.merge_base(*sides)) if len(sides) == 2 else None
        for side in sides if base else ():
            for what, name, path in _back_after(objects, base, objects.tree_of(side), objects.tree_of(merge)):
                if objects.files(objects.tree_of(head), [path]):
                    place = "there again" if path == name else f"at {path} now"
                    yield f"{name} was {what} on one machine and changed on another: it is {place}"


def _back_after(
    objects: Objects, base: str | None, side: str | None, merged: str | None
) -> Iterator[tuple[str, str, str]]:
    """(what this side did, path in `base`, path by now) of notes that only the merged tree has in view."""
    come = [path for path, (old, _) in objects.diff(side, merged).items() if not old and is_note(path)]
    changed = objects.diff(base, side) if come else {}
    former, moved = (renamed(evidence_at(objects, tree)) if come else {} for tree in (merged, side))
    for path in come:
        for name, key in objects.files(base, [path, *former.get(path, ())]).items():
            names = {new for new, old in moved.items() if name in old}
            names |= {new for new, (_, now) in changed.items() if now == key}
            there = objects.files(side, [name, *names])
            if name not in there and all(map(is_aside, there)):
                yield "archived" if there else "removed", name, path


def _synced(memory: Memory, before: str | None, committed: CommitResult, exchanged: Exchange) -> SyncResult:
    last, kept_out = exchanged.committed or committed, KeptOutFile(memory.state.held).read()
    # A merge may have settled it: another machine moved what a hand had deleted here.
    held = [one for one in committed.held if one.path in {kept.path for kept in kept_out.by(one.rule)}]
    copies = (*committed.conflict_copies, *exchanged.conflict_copies)
    deleted = of_deletions(memory, few=True, since=before)
    told = (*exchanged.notices, *of_remote(memory), *of_obstacles(memory).values(), *deleted)
    return SyncResult(
        head=last.head,
        remote=exchanged.answer,
        received=exchanged.received,
        sent=exchanged.sent,
        branch=exchanged.branch,
        held=tuple(dict.fromkeys((*held, *exchanged.held, *last.held))),
        conflict_copies=copies,
        notices=told if copies else (*told, *of_conflicts(memory)),
        created=committed.created,
    )
