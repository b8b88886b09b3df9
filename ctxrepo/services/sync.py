"""sync: what this machine wrote and what the others wrote become one, here and on the remote.

Commit, fetch, merge in memory, push without force, and only then let branch and files follow. Never a
rebase, a reset or a checkout: a sync that is killed anywhere has changed nothing half-way.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from ctxrepo.domain.guard import Refusal, check_file
from ctxrepo.domain.merge import Aside
from ctxrepo.domain.remote import RemoteAnswer
from ctxrepo.errors import Busy
from ctxrepo.services.commit import Committed, bring, commit_locked
from ctxrepo.services.fetch import fetch, remote_of
from ctxrepo.services.merge import merge_commits
from ctxrepo.services.pending import Version
from ctxrepo.services.refresh import faults, refresh
from ctxrepo.storage.lock import locked
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects import Objects

SYNC_WAIT = 60.0
"""Seconds a sync waits for another one of this clone."""

OFFLINE_PATIENCE = 1.0
"""Seconds after which a dropped connection is not tried again: the next sync will."""

OK = RemoteAnswer("ok")


@dataclass(frozen=True)
class Synced:
    """`remote` is how the last conversation ended; `received` and `sent` count commits of this run.

    `held` is what the write guard kept from being committed or pushed; `aside` the versions that lost
    against another and are kept under conflicts/.
    """

    head: str | None
    remote: RemoteAnswer = OK
    received: int = 0
    sent: int = 0
    held: tuple[Refusal, ...] = ()
    aside: tuple[Aside, ...] = ()
    created: bool = False
    skipped: Mapping[str, str] = field(default_factory=dict)


def sync(
    memory: Memory,
    now: datetime,
    *,
    send: bool = True,
    versions: Sequence[Version] = (),
    fetched: RemoteAnswer | None = None,
) -> Synced:
    """Commit, receive and (with `send`) send. Without a remote it only commits.

    `fetched` is the answer of a fetch that was made just before, which is then not made again.

    The remote being away or refusing is an outcome in the result; errors are those of `commit`.
    """
    memory.clone.require_ready()
    with locked(memory.state.lock("sync"), SYNC_WAIT):
        with memory.writing():
            done = commit_locked(memory, now, versions)
        result = Synced(done.head, OK, 0, 0, done.held, done.aside, done.created, done.skipped)
        if memory.has_remote:
            result = _exchange(memory, now, send, fetched, result)
            if send or not result.remote.ok:  # a fetch that went well says nothing of a push that didn't
                memory.remember_remote(_trouble(result.remote))
            memory.cache.set_faults(faults(memory, result.held, result.skipped))
        return result


def _exchange(
    memory: Memory, now: datetime, send: bool, fetched: RemoteAnswer | None, result: Synced
) -> Synced:
    """Rounds with the remote until it agrees, refuses, or is not worth another try."""
    began = time.monotonic()
    for attempt in range(memory.settings.sync.retries + 1):
        is_last = attempt == memory.settings.sync.retries
        result = _round(memory, now, send, is_last, fetched or fetch(memory), result)
        fetched = None
        tired = result.remote.outcome == "offline" and time.monotonic() - began > OFFLINE_PATIENCE
        if not result.remote.may_pass or tired:
            break
        time.sleep(random.random() * min(2.0, 0.02 * 2**attempt))  # noqa: S311  # spreads load only
    return result


def _round(
    memory: Memory, now: datetime, send: bool, is_last: bool, fetched: RemoteAnswer, result: Synced
) -> Synced:
    """Merge what was fetched, push once, and let branch and files follow what came."""
    objects, clone = memory.objects, memory.clone
    if not fetched.ok:
        return replace(result, remote=fetched)
    objects.reopen()
    theirs = objects.ref(clone.upstream_ref)
    ours = objects.ref(clone.branch_ref)
    merged = merge_commits(memory, ours, theirs, now)
    if merged is None:
        return replace(result, remote=fetched)
    answer, sent = fetched, 0
    if send and merged.commit != theirs:
        held = _outgoing_secrets(memory, merged.commit, theirs)
        if held:
            first = held[0]
            told = f"a commit that was to be sent holds a secret at {first.at} ({first.fingerprint})"
            answer = RemoteAnswer("secret", told)
            result = replace(result, held=(*result.held, *held))
        else:
            answer = remote_of(memory).push(merged.commit)
            sent = len(list(objects.new_commits(merged.commit, theirs))) if answer.ok else 0
    if answer.outcome == "overtaken" and not is_last:  # the next round merges anew: no merge commit is kept
        return replace(result, remote=answer)
    received = len(list(objects.new_commits(theirs, ours))) if theirs else 0
    if answer.ok and sent:
        objects.set_ref(clone.upstream_ref, merged.commit)
    if answer.ok:
        _touch_fetched(memory)
    followed = _follow(memory, merged.commit, now) if theirs else None
    return replace(
        result,
        head=followed.head if followed else result.head,
        remote=answer,
        received=result.received + received,
        sent=result.sent + sent,
        held=_unique(result.held, followed.held if followed else ()),
        aside=(*result.aside, *merged.aside, *(followed.aside if followed else ())),
    )


def _follow(memory: Memory, merged: str, now: datetime) -> Committed | None:
    """Bring branch and files to `merged`, with whatever was written since it was made."""
    objects, clone = memory.objects, memory.clone
    with memory.writing():
        # What was written meanwhile is committed first, so that no file on disk is ahead of the branch.
        committed = commit_locked(memory, now)
        old = committed.head
        both = merge_commits(memory, old, merged, now)
        if both is None or both.commit == old:
            return committed
        seen = memory.checkout.look()
        if not objects.move_ref(clone.branch_ref, both.commit, old):
            raise Busy("the branch moved while we were merging", "Run the command again.")
        tree = objects.tree_of(both.commit)
        assert tree is not None
        # What was edited since the commit above stays as it is, for the next commit to merge.
        here = objects.files(objects.tree_of(old))
        edited = {p for p in here.keys() | seen.disk.keys() if seen.is_edited(p, here.get(p))}
        late = bring(memory, tree, seen, hold={r.path for r in committed.held} | edited)
        refresh(memory, both.commit, committed.held, committed.skipped)
        done = replace(committed, head=both.commit, aside=(*committed.aside, *both.aside))
        return commit_locked(memory, now, late) if late else done


def _outgoing_secrets(memory: Memory, commit: str, known: str | None) -> tuple[Refusal, ...]:
    """What the guard finds in commits that are to be sent: a person may have committed past it.

    What the remote has already is not held against them.
    """
    objects = memory.objects
    allow = memory.settings.secrets.allow_secret
    there = objects.files(objects.tree_of(known))
    found: list[Refusal] = []
    for new in objects.new_commits(commit, known):
        for path, key in _made_by(objects, new).items():
            if refused := _secrets(path, objects.data(key), allow):
                old = _secrets(path, objects.data(there[path]), allow) if path in there else []
                found += [r for r in refused if r.fingerprint not in {o.fingerprint for o in old}]
    return tuple(found)


def _made_by(objects: Objects, commit: str) -> dict[str, str]:
    """path -> key of the plain files that are in this commit and as such in none of its parents."""
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


_TROUBLE = {
    "auth": "git can't log in there",
    "refused": "the remote refused what was sent",
    "missing": "there is no such repository",
    "guard": "the clone's own configuration could run a program",
    "secret": "a commit holds what looks like a secret",
}


def _trouble(answer: RemoteAnswer) -> str:
    """What sessions are told when waiting won't help: our words, for the remote's could pose as orders."""
    why = _TROUBLE.get(answer.outcome, "")
    return (
        f"the memory is saved here but does not reach its remote: {why}; `ctxrepo sync` says more"
        if why
        else ""
    )


def _touch_fetched(memory: Memory) -> None:
    with suppress(OSError):
        memory.state.fetched.touch()


def _unique(one: tuple[Refusal, ...], other: tuple[Refusal, ...]) -> tuple[Refusal, ...]:
    return tuple(dict.fromkeys((*one, *other)))
