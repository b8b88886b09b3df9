"""A clone that a person left on another commit is on its branch again, with all they wrote.

What they checked out is what their edits were made from: each edit is merged from there onto the branch.
Nothing is checked out over a file. Killed anywhere, it is begun again by the next run: HEAD moves last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.records.save import Save
from ctxrepo.services.saving.commit import commit_locked
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import locked

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
        if tree := objects.tree_of(there):
            memory.user_index.note_switch(tree)
        else:  # on a branch without a commit all is staged, so that says nothing; the commit makes a new one
            Broken.at(clone.git_dir, now).take(clone.git_dir / "index")
        objects.point_head(clone.branch_ref)
        done = commit_locked(memory, now)
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
    """Say what each file on disk was made from: git has made them those of the commit `there`."""
    objects = memory.objects
    if there is None:
        memory.checkout.base_on(objects.store_files(_guessed(memory, home)))
        return
    tree = objects.tree_of(there)
    memory.checkout.note_switch(objects.tree_of(home), tree)
    written = {save.path for save in _commands(memory)}
    files = objects.files(tree, written)
    found = {path: objects.data(files[path]) if path in files else None for path in written}
    # A person may have committed on a branch of their own what a command had acknowledged for this one.
    before = {path: _before_commands(memory, path, data) for path, data in found.items()}
    memory.checkout.base_on(objects.store_files(before))


def _guessed(memory: Memory, home: str) -> dict[str, bytes | None]:
    """What files were made from on a branch without a commit: a version that the memory's branch has had.

    Any other file only adds to the branch's; nobody can say what was taken out of it.
    """
    objects, checkout = memory.objects, memory.checkout
    found: dict[str, bytes | None] = {}
    for path in checkout.differing(checkout.snapshot(), objects.tree_of(home)):
        before = _before_commands(memory, path, memory.worktree.read(path))
        is_known = before is not None and blob_id(before) in objects.recent_keys(home, path)
        found[path] = before if is_known else None
    return found


def _before_commands(memory: Memory, path: str, data: bytes | None) -> bytes | None:
    """A file without what commands wrote to it and no commit of ours has yet."""
    return _without(path, data, [save for save in _commands(memory) if save.path == path])


def _commands(memory: Memory) -> list[Save]:
    return [save for save in memory.journal.read() if save.is_command]


def _without(path: str, data: bytes | None, saves: Sequence[Save]) -> bytes | None:
    """A file without those of these saves that are in it."""
    for save in reversed(saves):
        if merge_file(path, save.base, save.after, data).data == data:
            data = merge_file(path, save.after, save.base, data).data
    return data
