"""The repairs of `doctor --fix`: whatever needs no decision of a person, and the way back to the branch."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime

from ctxrepo.domain.git.oid import blob_id, blob_id_of
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import REGISTRY, is_note, moved_path, scope_of
from ctxrepo.domain.project.registry import parse
from ctxrepo.domain.records.save import TOOL, Save
from ctxrepo.errors import GitFailed, RepositoryState
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.faults import put_aside
from ctxrepo.services.reading.marks import stated_keys
from ctxrepo.services.rescue.repair import repair
from ctxrepo.services.saving.accept import deleted_by_tools, lost_files
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.pending import find_pending, fold_all
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.clone.clone import LAST_TIP, foreign_format
from ctxrepo.storage.clone.housekeeping import old_locks
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.isolated.dangers import remove_dangers
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import discard, is_sound
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.worktree.worktree import FileUpdate


def mend(memory: Memory, now: datetime) -> Iterator[str]:
    """Carry out every repair that needs no decision, with a line about each; what is moved away goes below
    `.git/ctxrepo/broken`."""
    if foreign_format(memory.clone.git_dir):
        return  # doctor says how it is converted; whatever we wrote there would do harm
    broken = Broken.at(memory.clone.git_dir, now)
    if not is_sound(memory.state.cache):
        discard(memory.state.cache)
        yield "the cache was damaged and is rebuilt"
    with memory.writing():
        for lock in old_locks(memory.clone):
            broken.take(lock)
            yield f"moved {lock.name} aside, which a git that no longer runs had left"
        with suppress(GitFailed):  # a configuration that can't be read; doctor tells what helps
            for danger in remove_dangers(memory.clone, memory.env, broken):
                what = f"{danger.key} out of {danger.file}" if danger.key else f"{danger.file} away"
                yield f"took {what}; the original is in {broken.folder}"
    with suppress(RepositoryState):  # whose files these are is for a person to say; doctor tells
        repaired = repair(memory, now)
        yield from repaired.done
        if repaired.done:
            yield f"the damaged files are in {repaired.aside or broken.folder}"
        yield from switch_back(memory, now)
        require_ready(memory)
        yield from _files(memory, now)
    # Last: until then the worker may have met what is mended only now.
    yield from (f"moved the errors of hooks and worker to {file}" for file in put_aside(memory))


def _files(memory: Memory, now: datetime) -> Iterator[str]:
    with memory.writing(), memory.building():
        if lost := lost_files(memory):
            _forget_deletions_by_tools(memory, lost)
            standing = _keys(memory)
            done = _put_back_saves(memory, lost, standing)
            done |= _put_back_unreplaced(memory, lost - done, standing)
            # A file without a base is no deletion: what the last commit says comes back to it.
            memory.checkout.base_on(dict.fromkeys(lost - done))
    if lost:
        commit(memory, now)
        were = "1 file that was gone" if len(lost) == 1 else f"{len(lost)} files that were gone"
        yield f"{were} from {memory.root}, or had lost most of it, back again"


def _forget_deletions_by_tools(memory: Memory, lost: Collection[str]) -> None:
    """Take saves of agents that deleted too much out of the journal, the newest first, or the next commit
    would find them there again. What else they wrote is in the file, or in the saves before."""
    saves = [save for save in memory.journal.read() if save.op == TOOL and save.path in lost]
    while saves and (deleted := deleted_by_tools(memory, lost)):
        last = {save.path: save for save in saves if save.path in deleted}
        if not last:
            return
        memory.journal.take_out(save.place for save in last.values())
        saves = [save for save in saves if save not in last.values()]


_Keys = Mapping[str, Collection[str]]
"""Folder of a scope -> keys under which commands stated what stands in its files, in small letters."""


def _keys(memory: Memory) -> _Keys:
    """The keys of what is on disk: a fact that came back under one of them would stand beside its heir."""
    stated = stated_keys(memory)
    standing: dict[str, set[str]] = {scope: set() for scope in stated}
    for path in (path for path in memory.worktree.scan("").files if is_note(path)):
        if scope_of(path) in stated:
            entries = entries_of(path, decode(memory.worktree.read(path) or b""))
            standing[scope_of(path)] |= {entry.key.casefold() for entry in entries}
    return {scope: keys & stated[scope] for scope, keys in standing.items()}


def _unreplaced(path: str, data: bytes | None, standing: _Keys) -> bytes | None:
    """A note without its entries of which another stands."""
    keys = standing.get(scope_of(path)) if is_note(path) else None
    return data if data is None or not keys else compose.without_keys(path, data, keys)


def _put_back_unreplaced(memory: Memory, lost: Collection[str], standing: _Keys) -> set[str]:
    """Bring back into those of these files, of whose entries another stands, what else the last commit says;
    returns them."""
    done = set()
    for path, key in memory.objects.files(memory.head_tree, lost).items():
        committed = memory.objects.data_or_empty(key)
        rest = _unreplaced(path, committed, standing)
        if rest != committed:
            data = memory.worktree.read(path)
            update = FileUpdate(blob_id_of(data), merge_file(path, None, data, rest).data if data else rest)
            if not memory.worktree.update_unchanged({path: update}):
                memory.checkout.base_on({path: key})
                done.add(path)
    return done


def _put_back_saves(memory: Memory, lost: Collection[str], standing: _Keys) -> set[str]:
    """Bring back into these files what saves had made of them that wait for a commit, but for entries of
    which another stands; returns those that have it: what these edited or took out isn't to come back."""
    done = set()
    pending = find_pending(memory, memory.head_tree, lost)
    paths = {save.path for save in pending.saves if save.after is not None}
    for file in fold_all(memory, pending):
        if file.path in paths.intersection(lost, pending.on_disk):
            data = pending.on_disk[file.path]
            merged = merge_file(file.path, None, data, _unreplaced(file.path, file.saved, standing))
            update = FileUpdate(blob_id_of(data), merged.data)
            if not memory.worktree.update_unchanged({file.path: update}) and not file.before_removal:
                done.add(file.path)
    return done


_LOCK_WAIT = 60.0
"""Seconds to wait for a sync of this clone that is under way."""

_LEFT = "left-"
"""How the branch begins that keeps commits which were on none."""


def switch_back(memory: Memory, now: datetime) -> Iterator[str]:
    """Bring the clone back to its branch, with a line about each step; nothing where it is there, or a person
    is merging."""
    clone = memory.clone
    if clone.unfinished() or clone.is_on_branch():
        return
    with locked(memory.state.lock("sync"), _LOCK_WAIT), memory.writing():
        objects = memory.objects
        objects.reopen()
        where, tip = clone.checked_out(), objects.ref("HEAD")
        if (home := objects.ref(clone.branch_ref)) is None:
            candidates = (memory.cache.head, objects.ref(clone.upstream_ref))
            home = next((commit for commit in candidates if commit and objects.has(commit)), tip)
            if home is None:
                return  # no commit anywhere
            objects.set_ref(clone.branch_ref, home)
            yield f"{clone.branch} was gone and is at {home[:12]} again"
        lines = _keep(memory, where, tip, home)
        _base_files(memory, home, tip)
        _follow_renames(memory, home, tip)
        if tree := objects.tree_of(tip):
            memory.user_index.note_switch(tree)
        else:  # on a branch without a commit all is staged, so that says nothing; the commit makes a new one
            Broken.at(clone.git_dir, now).take(clone.git_dir / "index")
        objects.point_head(clone.branch_ref)
        last, tracked = objects.ref(LAST_TIP), objects.ref(clone.upstream_ref)
        if last and tracked and not objects.contains(tracked, last):
            objects.set_ref(LAST_TIP, tracked)  # it was another branch's
    committed = commit(memory, now)
    yield f"{memory.root} was on {where or 'no branch'} and is on {clone.branch} again"
    if committed.created and committed.head:
        yield f"what was written meanwhile is on {clone.branch} now, in {committed.head[:12]}"
    yield from lines


def _keep(memory: Memory, where: str, checked_out: str | None, home: str) -> list[str]:
    """Keep a branch on the person's own commits; returns a line about them, if there are any."""
    objects, branch = memory.objects, memory.clone.branch
    if checked_out is None or objects.contains(home, checked_out):
        return []
    count = len(list(objects.new_commits(checked_out, home)))
    if not where:
        tips = (*objects.refs("refs/heads/").values(), *objects.refs("refs/remotes/").values())
        if any(objects.contains(tip, checked_out) for tip in tips):
            return []
        where = f"{_LEFT}{checked_out[:12]}"
        objects.set_ref(f"refs/heads/{where}", checked_out)
    commits = "1 commit" if count == 1 else f"{count} commits"
    return [f"{commits} that {branch} doesn't have: kept on the branch {where}"]


def _base_files(memory: Memory, home: str, tip: str | None) -> None:
    """Record which version each file on disk is based on: git checked out the commit `there`."""
    objects = memory.objects
    if tip is None:
        memory.checkout.base_on(objects.store_files(_guessed(memory, home)))
        return
    tree = objects.tree_of(tip)
    memory.checkout.note_switch(objects.tree_of(home), tree)
    paths = {save.path for save in _commands(memory)}
    files = objects.files(tree, paths)
    contents = {path: objects.data(files[path]) if path in files else None for path in paths}
    # A person may have committed on a branch of their own what a command had acknowledged for this one.
    before = {path: _before_commands(memory, path, data) for path, data in contents.items()}
    memory.checkout.base_on(objects.store_files(before))


def _follow_renames(memory: Memory, home: str, tip: str | None) -> None:
    """Take what was written to a project's folder of the commit `tip` to the folder that it has in `home`."""
    objects, tree = memory.objects, memory.objects.tree_of(home)
    there, here = (parse(decode(objects.find(t, REGISTRY) or b"")) for t in (objects.tree_of(tip), tree))
    folders = {old: here.folder_of(project) for project, old in there.projects.items()}
    pending = find_pending(memory, tree)
    to = {
        path: place
        for path in pending.grounds
        for old, new in folders.items()
        if new not in ("", old)
        and (place := moved_path(path, old, new))
        and not memory.worktree.exists(place)
    }
    if not to:
        return
    bases = objects.files(objects.ref(WT), to)
    memory.journal.move(to)
    memory.worktree.write_all({to[p]: data for p, data in pending.on_disk.items() if p in to and data})
    memory.checkout.base_on({place: bases.get(path) for path, place in to.items()} | dict.fromkeys(to))
    memory.worktree.update_unchanged(
        {path: FileUpdate(blob_id_of(pending.on_disk.get(path)), None) for path in to}
    )


def _guessed(memory: Memory, home: str) -> dict[str, bytes | None]:
    """What files were made from on a branch without a commit: a version that the memory's branch has had. Any
    other file only adds; nobody can say what was taken out of it."""
    objects, checkout = memory.objects, memory.checkout
    guesses: dict[str, bytes | None] = {}
    for path in checkout.differing(checkout.snapshot(), objects.tree_of(home)):
        before = _before_commands(memory, path, memory.worktree.read(path))
        is_known = before is not None and blob_id(before) in objects.recent_keys(home, path)
        guesses[path] = before if is_known else None
    return guesses


def _before_commands(memory: Memory, path: str, data: bytes | None) -> bytes | None:
    """A file without what commands wrote to it and no commit of ours has yet."""
    for save in reversed([save for save in _commands(memory) if save.path == path]):
        if merge_file(path, save.base, save.after, data).data == data:
            data = merge_file(path, save.after, save.base, data).data
    return data


def _commands(memory: Memory) -> list[Save]:
    return [save for save in memory.journal.read() if save.is_command]
