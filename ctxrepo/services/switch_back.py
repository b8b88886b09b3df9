"""switch_back: a clone that a person left on another commit is on its branch again, with all they wrote.

What they checked out is what their edits were made from: each edit is merged from there onto the branch.
Nothing is checked out over a file. Killed anywhere, it is begun again by the next run: HEAD moves last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note import encode
from ctxrepo.services.commit import Wanted, commit_locked
from ctxrepo.services.spooled import spooled_versions
from ctxrepo.storage.lock import locked
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.writelog import Write

_LOCK_WAIT = 60.0
"""Seconds to wait for a sync of this clone that is under way."""

_LEFT = "left-"
"""How the branch begins that keeps commits which were on none."""


def switch_back(memory: Memory, now: datetime) -> Iterator[str]:
    """Do it, a line for each deed; nothing when the clone is on its branch or a person is amid a merge."""
    clone = memory.clone
    if clone.unfinished() or clone.is_on_branch():
        return
    with locked(memory.state.lock("sync"), _LOCK_WAIT), memory.writing():
        objects = memory.objects
        objects.reopen()
        where, there = clone.checked_out(), objects.ref("HEAD")
        if (home := objects.ref(clone.branch_ref)) is None:
            home = _last_known(memory) or there
            if home is None:
                return  # no commit anywhere
            objects.set_ref(clone.branch_ref, home)
            yield f"{clone.branch} was gone and is at {home[:12]} again"
        kept = _keep(memory, where, there, home)
        _base_files(memory, home, there)
        memory.user_index.note_switch(objects.tree_of(there))
        objects.point_head(clone.branch_ref)
        done = commit_locked(memory, now, Wanted(spooled_versions(memory)))
    yield f"{memory.root} was on {where or 'no branch'} and is on {clone.branch} again"
    if done.created and done.head:
        yield f"what was written meanwhile is on {clone.branch} now, in {done.head[:12]}"
    yield from kept


def _last_known(memory: Memory) -> str | None:
    """The newest commit that we know the branch to have been at."""
    objects = memory.objects
    known = (memory.cache.head, objects.ref(memory.clone.upstream_ref))
    return next((commit for commit in known if commit and objects.has(commit)), None)


def _keep(memory: Memory, where: str, there: str | None, home: str) -> list[str]:
    """See to it that commits of the person's own stay where they are found; what is to be said of them."""
    objects, branch = memory.objects, memory.clone.branch
    if there is None or objects.contains(home, there):
        return []
    count = len(list(objects.new_commits(there, home)))
    if not where:
        tips = (*objects.refs("refs/heads/").values(), *objects.refs("refs/remotes/").values())
        if any(objects.contains(tip, there) for tip in tips):
            return []
        where = f"{_LEFT}{there[:12]}"
        objects.set_ref(f"refs/heads/{where}", there)
    commits = "1 commit" if count == 1 else f"{count} commits"
    return [f"{commits} that {branch} doesn't have: kept on the branch {where}"]


def _base_files(memory: Memory, home: str, there: str | None) -> None:
    """Say what each file on disk was made from: git has made them those of the commit `there`.

    On a branch without a commit nobody can say what was removed, so nothing counts as that.
    """
    checkout, objects = memory.checkout, memory.objects
    if there is None:
        seen = checkout.look()
        gone = (path for path, (oid, _) in checkout.differing(seen, seen.base).items() if oid is None)
        checkout.base_on(dict.fromkeys(gone))
        return
    tree = objects.tree_of(there)
    checkout.note_switch(objects.tree_of(home), tree)
    checkout.base_on(_before_commands(memory, tree))


def _before_commands(memory: Memory, tree: str | None) -> dict[str, bytes | None]:
    """The files of a tree without what commands wrote that wait for a commit: a person may have committed
    it on a branch of their own, and it was acknowledged for this one."""
    found: dict[str, bytes | None] = {}
    writes = memory.writes.read()
    for path in {write.path for write in writes}:
        key = memory.objects.files(tree, [path]).get(path)
        data = None if key is None else memory.objects.data(key)
        before = _without(path, data, [write for write in writes if write.path == path])
        if before != data:
            found[path] = before
    return found


def _without(path: str, data: bytes | None, writes: Sequence[Write]) -> bytes | None:
    """A file without those of these writes that are in it."""
    for write in reversed(writes):
        before, after = (None if text is None else encode(text) for text in (write.before, write.after))
        if merge_file(path, before, after, data).data == data:
            data = merge_file(path, after, before, data).data
    return data
