"""The merge driver: merges one file of a `git merge` by meaning; what loses becomes a conflict copy."""

from contextlib import suppress
from pathlib import Path

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.errors import CtxrepoError
from ctxrepo.storage.disk.foreign import Change, apply, read


def merge_in_place(root: Path, base: Path, ours: Path, theirs: Path, path: str) -> tuple[ConflictCopy, ...]:
    """Make the file `ours` the merged version of the memory file at `path`, in the working tree `root`;
    returns the conflict copies. `base` may be empty. CtxrepoError, and no change, when a copy can't be
    written: git then leaves the file to a person."""
    versions = [read(file) for file in (base, ours, theirs)]
    if None in versions[1:]:
        raise CtxrepoError("git's versions of the file are gone")
    merged = merge_file(path, versions[0] or None, *versions[1:], evidence=lambda: _evidence(root))
    if merged.conflict_copies:
        _write_copies(root, merged.conflict_copies)
    if merged.data != versions[1]:
        apply([Change(ours, versions[1], merged.data)])
    return merged.conflict_copies


def _evidence(root: Path) -> list[Evidence]:
    """What is said of entries at all branches that the clone knows, of which git merges two: it doesn't tell
    a driver which. None where that can't be read."""
    # Most merges end without these, and a person waits.
    from ctxrepo.services.reading.marks import evidence_at
    from ctxrepo.storage.clone.clone import Clone
    from ctxrepo.storage.clone.reffiles import RefFiles, text_of
    from ctxrepo.storage.isolated.owngit import OwnGit
    from ctxrepo.storage.objects.store import Objects

    clone = Clone(root, "main")
    refs = RefFiles(clone.git_dir)
    fetched = [line[:40] for line in text_of(clone.git_dir / "FETCH_HEAD").splitlines()]
    with suppress(CtxrepoError):
        objects = Objects(OwnGit(clone.own_dir / "driver.git", clone))
        tips = [
            tip for tip in {refs.resolve("HEAD"), *refs.all().values(), *fetched} if tip and objects.has(tip)
        ]
        return evidence_at(objects, *(objects.tree_of(tip) for tip in tips if objects.is_commit(tip)))
    return []


def _write_copies(root: Path, copies: tuple[ConflictCopy, ...]) -> None:
    from ctxrepo.storage.worktree.worktree import Worktree  # most merges end without it, and a person waits

    if not (root / ".git").is_dir():
        raise CtxrepoError(f"two versions differ, and {root} is no clone where one could be put aside")
    # A scratch folder of its own: sync, which may run beside git, empties the other one.
    worktree = Worktree(root, root / ".git" / "ctxrepo" / "driver")
    files = dict(map(copy_as_file, copies))
    worktree.write_all({path: data for path, data in files.items() if worktree.read(path) != data})
