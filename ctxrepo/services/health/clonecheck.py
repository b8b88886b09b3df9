"""What doctor looks at in git and in the clone."""

import re
import time
from collections.abc import Iterator
from contextlib import suppress

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import REGISTRY, is_ignored, shown, unsafe
from ctxrepo.errors import BeyondBounds, CtxrepoError, Damaged, GitFailed, RepositoryState
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.finding import (
    CheckOutcome,
    Finding,
    Level,
    count_levels,
    halfway,
    is_failure,
    other_remote,
)
from ctxrepo.services.health.note_checks import check
from ctxrepo.services.locate.identify import registry_problem
from ctxrepo.services.reading.find import note_paths
from ctxrepo.services.saving.accept import emptied_files
from ctxrepo.services.saving.pending import find_pending
from ctxrepo.storage.clone.clone import require_our_format
from ctxrepo.storage.clone.housekeeping import old_locks
from ctxrepo.storage.clone.reffiles import FOLLOWED, WT, WT_NEXT, RefFiles
from ctxrepo.storage.disk.kinds import misplaced, require_in_place
from ctxrepo.storage.git.git import INSTALL_GIT, OLDEST_GIT
from ctxrepo.storage.isolated.dangers import dangers
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.objectfiles import packs_without_index, spoiled_objects
from ctxrepo.storage.rescue.salvage import Wholeness
from ctxrepo.storage.worktree.scan import MAX_BYTES

FIX = "`ctxrepo doctor --fix`"

_MANY = 200
"""Files of one kind that are listed one by one."""
_TRY_GIT = "`git config --list` outside the memory shows what it says to you."

_CHECK_SECONDS, _LIST_SECONDS = 15.0, 30.0
"""Seconds for looking through all objects, and for listing all files."""

_ODD = {"120000": "it is a symbolic link", "160000": "it is a repository of somebody else's"}


def check_git(memory: Memory) -> CheckOutcome:
    """Whether there is a git that is new enough and knows who commits."""
    try:
        words, who = memory.git.ask("version").strip(), memory.committer
    except RepositoryState:  # of which check_clone tells
        return CheckOutcome("git", "it could not be asked")
    except GitFailed as error:
        return CheckOutcome("git", "it could not be asked", [Finding(error.message, error.hint or _TRY_GIT)])
    match = re.search(r"(\d{1,9})\.(\d{1,9})", words)
    findings = []
    if match and (int(match[1]), int(match[2])) < OLDEST_GIT:
        findings.append(Finding(f"{words} is old", INSTALL_GIT, "warning"))
    if not who.name:
        remedy = "Set user.name and user.email; commits bear them."
        findings.append(Finding("git doesn't know your name", remedy))
    if not who.signs and memory.clone.wants_signatures(memory.env):
        problem = f"{memory.clone.git_dir / 'config'} asks for signed commits, and your own git does not"
        remedy = "Say so in your own: `git config --global commit.gpgsign true`, or by an includeIf."
        findings.append(Finding(problem, remedy, "warning"))
    return CheckOutcome("git", words + (f", commits are by {who.name}" if who.name else ""), findings)


def check_clone(memory: Memory) -> CheckOutcome:
    """Whether the clone is as we need it: on its branch, and harmless to who runs git there."""
    findings = []
    try:
        require_ready(memory)
    except Damaged:
        pass  # told with all that is damaged
    except CtxrepoError as error:
        findings.append(Finding(error.message, error.hint))
    try:
        dangers_here, remote = list(dangers(memory.clone, memory.env)), other_remote(memory)
    except GitFailed as error:
        dangers_here, hint = [], error.hint or f"Look at {memory.clone.git_dir / 'config'}."
        remote = Finding(error.message, hint)
    for danger in dangers_here:
        removed = f"{FIX} takes it out and keeps a copy."
        advice = removed if danger.is_removed else "Take it out unless it is yours."
        remedy = f"ctxrepo doesn't read it, your own git there does. {advice}"
        findings.append(Finding(f"{danger.file} {danger.what}", remedy))
    findings += filter(None, [remote])
    if problem := registry_problem(memory):
        findings.append(Finding(problem, f"Mend {memory.root / REGISTRY}."))
    return CheckOutcome("clone", f"{memory.root} on {memory.clone.checked_out() or 'no branch'}", findings)


def check_objects(memory: Memory) -> CheckOutcome:
    """Whether everything in the git folder can be read, and nothing is missing."""
    mended = f"Unless one is at work there, {FIX} moves it aside."
    findings = [Finding(f"a git that is gone left {lock}", mended) for lock in old_locks(memory.clone)]
    try:
        problems = damage(memory, time.monotonic() + _CHECK_SECONDS)
        findings.extend(Finding(what, f"{FIX} mends it; nothing is deleted.") for what in problems)
    except TimeoutError:
        problem = f"not all objects were looked at in {_CHECK_SECONDS:.0f} s"
        findings.append(Finding(problem, "`git fsck` there looks at all.", "warning"))
    except CtxrepoError as error:
        findings.append(Finding(error.message, error.hint))
    return CheckOutcome("objects", "all can be read", findings)


def check_notes(memory: Memory) -> CheckOutcome:
    """Whether every note that the memory holds is written on this machine, and what `check` finds in them."""
    findings = [*filter(None, [halfway(memory)])]
    with suppress(GitFailed, BeyondBounds):  # which was told by those who looked before
        away = [f"{shown(path)} is in the memory and not written here: {why}" for path, why in unseen(memory)]
        findings += [Finding(problem, "Remove it with git.") for problem in away[:_MANY]]
        if len(away) > _MANY:
            problem = f"{len(away) - _MANY} more files are not written here"
            findings.append(Finding(problem, "`git ls-tree -r HEAD` has all."))
    # What is wrong with the registry has a line of its own.
    if in_notes := [finding for finding in check(memory) if finding.path != REGISTRY]:
        level: Level = "error" if is_failure(in_notes) else "warning"
        words = f"`ctxrepo check` finds {count_levels(in_notes)} in them"
        findings.append(Finding(words, "It shows the places, and what helps.", level))
    return CheckOutcome("notes", f"{len(note_paths(memory))} on this machine", findings)


def damage(memory: Memory, end: float = float("inf")) -> Iterator[str]:
    """What is damaged in the git folder, a line for each thing; TimeoutError past monotonic `end`,
    RepositoryState where git's formats aren't ours."""
    require_our_format(memory.root)
    clone, refs = memory.clone, RefFiles(memory.clone.git_dir)
    misplacements = list(misplaced(clone.git_dir))
    yield from (item.words for item in misplacements if not item.is_for_a_person)
    if misplacements:
        require_in_place(memory.root)
        return  # nothing more can be asked
    lost_refs = clone.lost_refs() if not clone.unfinished() else []
    yield from (f"{name} in {clone.git_dir} can't be read" for name in lost_refs)
    if refs.index_is_garbage():
        yield f"{clone.git_dir / 'index'} is corrupt"
    if refs.shallow_is_garbage():
        yield f"{clone.git_dir / 'shallow'} is corrupt"
    spoiled: set[str] = set()
    for path, why in spoiled_objects(clone.git_dir, end):
        yield f"{path} {why}"
        spoiled.add(path.parent.name + path.name)
    yield from (f"{pack} has no index" for pack in packs_without_index(clone.git_dir))
    if "HEAD" in lost_refs:
        return
    whole = Wholeness(memory.objects, spoiled, refs.shallow(), end, clone.is_partial)
    for name in (clone.branch_ref, clone.upstream_ref):
        if (tip := refs.find(name)) and not whole.commit(tip):
            yield f"something in the history of {name} is missing"
    for name in (WT, WT_NEXT, FOLLOWED):
        if (tree := refs.find(name)) and not whole.tree(tree, with_files=name != FOLLOWED):
            yield f"something in {name} is missing"
            return
    if clone.is_on_branch() and (files := emptied_files(memory, find_pending(memory, memory.head_tree))):
        yield f"{memory.root} was emptied: {counted(len(files), 'file')} of the last commit gone"


def unseen(memory: Memory) -> Iterator[tuple[str, str]]:
    """(path, why) of every file of the newest commit that isn't written here. BeyondBounds where there are
    too many: git would list ten billion paths."""
    head = memory.head
    if head is None:
        return
    memory.objects.require_extent(head)
    # Of a partial clone git would fetch everything to tell its size.
    sizes = [] if memory.clone.is_partial else ["--long"]
    listing = memory.git.ask("ls-tree", "-r", "-z", *sizes, head, timeout=_LIST_SECONDS)
    cone = memory.checkout.cone
    for line in listing.split("\0")[:-1]:
        fields, path = line.split("\t", 1)
        mode, _, _, *size = fields.split()
        if (cone is None or cone.holds(path)) and (why := _why(path, mode, size)):
            yield path, why


def _why(path: str, mode: str, size: list[str]) -> str:
    if mode in _ODD:
        return _ODD[mode]
    if "\ufffd" in path:
        return "its name is not UTF-8"
    if reason := unsafe(path):
        return f"its path {reason}"
    if size and size[0].isdigit() and int(size[0]) > MAX_BYTES:
        return f"it is larger than {MAX_BYTES // 2**20} MiB"
    return "hidden and temporary files are nobody's notes" if is_ignored(path) else ""
