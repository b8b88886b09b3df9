"""What doctor looks at in git and in the clone."""

import re
import time
from collections.abc import Iterator

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import REGISTRY, shown
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
    unseen,
)
from ctxrepo.services.health.note_checks import check
from ctxrepo.services.locate.identify import read_registry
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

FIX = "`ctxrepo doctor --fix`"

_MANY = 200
"""Files of one kind that are listed one by one."""
_TRY_GIT = "`git config --list` outside the memory shows what it says to you."

_CHECK_SECONDS = 15.0
"""Seconds for looking through all objects."""


def check_git(memory: Memory) -> CheckOutcome:
    """Whether there is a git that is new enough and knows who commits."""
    try:
        words, who = memory.git.ask("version").strip(), memory.committer
    except RepositoryState:  # of which check_clone tells
        return CheckOutcome("git", "it could not be asked")
    except GitFailed as error:
        return CheckOutcome("git", "it could not be asked", [Finding(error.message, error.hint or _TRY_GIT)])
    found = re.search(r"(\d{1,9})\.(\d{1,9})", words)
    findings = []
    if found and (int(found[1]), int(found[2])) < OLDEST_GIT:
        findings.append(Finding(f"{words} is old", INSTALL_GIT, "warning"))
    if not who.name:
        findings.append(
            Finding("git doesn't know your name", "Set user.name and user.email; commits bear them.")
        )
    if not who.signs and memory.clone.wants_signatures(memory.env):
        findings.append(
            Finding(
                f"{memory.clone.git_dir / 'config'} asks for signed commits, and your own git does not",
                "Say so in your own: `git config --global commit.gpgsign true`, or by an includeIf.",
                "warning",
            )
        )
    return CheckOutcome("git", words + (f", commits are by {who.name}" if who.name else ""), findings)


def check_clone(memory: Memory) -> CheckOutcome:
    """Whether the clone is as we need it: on its branch, and harmless to who runs git there."""
    head, findings = memory.clone.checked_out() or "no branch", [*_clone(memory)]
    if problem := read_registry(memory).problem:
        findings.append(Finding(problem, f"Mend {memory.root / REGISTRY}."))
    return CheckOutcome("clone", f"{memory.root} on {head}", findings)


def check_objects(memory: Memory) -> CheckOutcome:
    """Whether everything in the git folder can be read, and nothing is missing."""
    return CheckOutcome("objects", "all can be read", [*_damage(memory)])


def check_notes(memory: Memory) -> CheckOutcome:
    """Whether every note that the memory holds is written on this machine, and what `check` finds in them."""
    findings = [*filter(None, [halfway(memory)]), *_unseen(memory)]
    # What is wrong with the registry has a line of its own.
    if in_notes := [one for one in check(memory) if one.path != REGISTRY]:
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
    lost = clone.lost_refs() if not clone.unfinished() else []
    yield from (f"{name} in {clone.git_dir} can't be read" for name in lost)
    if refs.index_is_garbage():
        yield f"{clone.git_dir / 'index'} is corrupt"
    if refs.shallow_is_garbage():
        yield f"{clone.git_dir / 'shallow'} is corrupt"
    spoiled: set[str] = set()
    for path, why in spoiled_objects(clone.git_dir, end):
        yield f"{path} {why}"
        spoiled.add(path.parent.name + path.name)
    yield from (f"{pack} has no index" for pack in packs_without_index(clone.git_dir))
    if "HEAD" not in lost:
        whole = Wholeness(memory.objects, spoiled, refs.shallow(), end)
        yield from _holes(memory, refs, whole)


def _holes(memory: Memory, refs: RefFiles, whole: Wholeness) -> Iterator[str]:
    clone = memory.clone
    for name in (clone.branch_ref, clone.upstream_ref):
        if (tip := refs.find(name)) and not whole.commit(tip):
            yield f"something in the history of {name} is missing"
    for name in (WT, WT_NEXT, FOLLOWED):
        if (tree := refs.find(name)) and not whole.tree(tree, with_files=name != FOLLOWED):
            yield f"something in {name} is missing"
            return
    if clone.is_on_branch() and (lost := emptied_files(memory, find_pending(memory, memory.head_tree))):
        yield f"{memory.root} was emptied: {counted(len(lost), 'file')} of the last commit gone"


def _clone(memory: Memory) -> Iterator[Finding]:
    try:
        require_ready(memory)
    except Damaged:
        pass  # told with all that is damaged
    except CtxrepoError as error:
        yield Finding(error.message, error.hint)
    try:
        found = list(dangers(memory.clone, memory.env))
        remote = other_remote(memory)
    except GitFailed as error:
        yield Finding(error.message, error.hint or f"Look at {memory.clone.git_dir / 'config'}.")
        return
    for danger in found:
        kept = (
            f"{FIX} takes it out and keeps a copy."
            if danger.is_removed
            else "Take it out unless it is yours."
        )
        yield Finding(
            f"{danger.file} {danger.what}", f"ctxrepo doesn't read it, your own git there does. {kept}"
        )
    if remote:
        yield remote


def _damage(memory: Memory) -> Iterator[Finding]:
    for lock in old_locks(memory.clone):
        yield Finding(
            f"a git that is gone left {lock}", f"Unless one is at work there, {FIX} moves it aside."
        )
    try:
        for what in damage(memory, time.monotonic() + _CHECK_SECONDS):
            yield Finding(what, f"{FIX} mends it; nothing is deleted.")
    except TimeoutError:
        yield Finding(
            f"not all objects were looked at in {_CHECK_SECONDS:.0f} s",
            "`git fsck` there looks at all.",
            "warning",
        )
    except CtxrepoError as error:
        yield Finding(error.message, error.hint)


def _unseen(memory: Memory) -> Iterator[Finding]:
    try:
        found = list(unseen(memory))
    except (GitFailed, BeyondBounds):  # which was told by those who looked before
        return
    for path, why in found[:_MANY]:
        yield Finding(f"{shown(path)} is in the memory and not written here: {why}", "Remove it with git.")
    if len(found) > _MANY:
        yield Finding(
            f"{len(found) - _MANY} more files are not written here", "`git ls-tree -r HEAD` has all."
        )
