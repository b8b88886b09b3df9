"""One file that git itself is merging, merged by meaning; what loses goes where sync would put it."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.domain.merge import Aside, aside_file, merge_file
from ctxrepo.errors import CtxrepoError
from ctxrepo.storage.disk.foreign import Change, apply, read


def merge_in_place(root: Path, base: Path, ours: Path, theirs: Path, path: str) -> tuple[Aside, ...]:
    """Make the file `ours` the merged version of the memory file at `path`; returns what was put aside.

    `root` is the working tree, `base` may be empty. Nothing is changed when a version that lost can't be
    put aside: then CtxrepoError, and git leaves the file to a person.
    """
    versions = [read(file) for file in (base, ours, theirs)]
    if None in versions[1:]:
        raise CtxrepoError("git's versions of the file are gone")
    merged = merge_file(path, versions[0] or None, *versions[1:])
    if merged.aside:
        _put_aside(root, merged.aside)
    if merged.data != versions[1]:
        apply([Change(ours, versions[1], merged.data)])
    return merged.aside


def _put_aside(root: Path, asides: tuple[Aside, ...]) -> None:
    from ctxrepo.storage.worktree.worktree import Worktree  # most merges end without it, and a person waits

    if not (root / ".git").is_dir():
        raise CtxrepoError(f"two versions differ, and {root} is no clone where one could be put aside")
    # A scratch folder of its own: sync, which may run beside git, empties the other one.
    worktree = Worktree(root, root / ".git" / "ctxrepo" / "driver")
    files = dict(map(aside_file, asides))
    worktree.write_all({path: data for path, data in files.items() if worktree.read(path) != data})
