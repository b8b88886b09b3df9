"""merge: two commits become one in memory, by meaning; no ref is moved and no file is touched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ctxrepo.domain.commit import merge_message
from ctxrepo.domain.merge import Aside
from ctxrepo.domain.merge.tree import merge_trees
from ctxrepo.domain.origin import Origin
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class MergedCommits:
    """`commit` holds both sides; `aside` names the versions that lost and are kept under conflicts/."""

    commit: str
    aside: tuple[Aside, ...] = ()


@dataclass(frozen=True)
class MergedTree:
    """`paths` are those that the other side had changed."""

    tree: str
    aside: tuple[Aside, ...]
    paths: tuple[str, ...]


def merge_commits(
    memory: Memory, ours: str | None, theirs: str | None, now: datetime
) -> MergedCommits | None:
    """Both histories in one commit; the one that already holds the other is returned as it is.

    Histories without a common ancestor are merged over an empty base: nothing of either is lost. None
    when there is no commit at all.
    """
    objects = memory.objects
    if ours is None or theirs is None:
        only = ours or theirs
        return MergedCommits(only) if only else None
    if objects.contains(ours, theirs):
        return MergedCommits(ours)
    if objects.contains(theirs, ours):
        return MergedCommits(theirs)
    return merge_over(memory, objects.merge_base(ours, theirs), ours, theirs, now)


def merge_over(memory: Memory, base: str | None, ours: str, theirs: str, now: datetime) -> MergedCommits:
    """Both in one commit, compared with `base` whatever their histories say."""
    merged = merged_tree(memory, base, ours, theirs)
    said = merge_message(merged.paths, Origin(memory.host))
    return MergedCommits(memory.make_commit(merged.tree, [ours, theirs], said, now), merged.aside)


def merged_tree(memory: Memory, base: str | None, ours: str, theirs: str) -> MergedTree:
    """What two commits amount to, compared with `base`."""
    objects = memory.objects
    was, ours_tree, theirs_tree = (objects.tree_of(commit) for commit in (base, ours, theirs))
    by_us, by_them = objects.diff(was, ours_tree), objects.diff(was, theirs_tree)
    sides: tuple[dict[str, str], dict[str, str], dict[str, str]] = ({}, {}, {})
    for path in by_us.keys() | by_them.keys():
        before = (by_us.get(path) or by_them[path])[0]
        keys = before, by_us.get(path, (before, before))[1], by_them.get(path, (before, before))[1]
        for side, key in zip(sides, keys, strict=True):
            if key is not None:
                side[path] = key
    merged = merge_trees(*sides, read=objects.data)
    changes = {p: objects.store(k) if isinstance(k, bytes) else k for p, k in merged.changes.items()}
    return MergedTree(objects.edit(ours_tree, changes), merged.aside, tuple(sorted(by_them)))
