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
    base = objects.tree_of(objects.merge_base(ours, theirs))
    ours_tree, theirs_tree = objects.tree_of(ours), objects.tree_of(theirs)
    by_us, by_them = objects.diff(base, ours_tree), objects.diff(base, theirs_tree)
    sides: tuple[dict[str, str], dict[str, str], dict[str, str]] = ({}, {}, {})
    for path in by_us.keys() | by_them.keys():
        was = (by_us.get(path) or by_them[path])[0]
        keys = was, by_us.get(path, (was, was))[1], by_them.get(path, (was, was))[1]
        for side, key in zip(sides, keys, strict=True):
            if key is not None:
                side[path] = key
    merged = merge_trees(*sides, read=objects.data)
    changes = {p: objects.store(k) if isinstance(k, bytes) else k for p, k in merged.changes.items()}
    tree = objects.edit(ours_tree, changes)
    said = merge_message(sorted(p for p in by_them), Origin(memory.host))
    return MergedCommits(memory.make_commit(tree, [ours, theirs], said, now), merged.aside)
