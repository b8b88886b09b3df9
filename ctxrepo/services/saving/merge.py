"""Merges two commits by meaning, in memory: no ref is moved and no file is touched (ADR 6)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial

from ctxrepo.domain.git.commit import merge_message
from ctxrepo.domain.merge.tree.trees import merge_trees
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.save import Origin
from ctxrepo.lazy import dataclass
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.services.saving.kept_here import filtered_at
from ctxrepo.services.saving.moved_by_hand import with_moved_evidence
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Author

MAX_DEPTH = 3
"""How many crossed merges in a row are merged to find a base; in a hundred crossed merges a greater depth
never changed the result."""

MAX_BASES = 8
"""How many common ancestors are merged into a base; what only a further one has may be undone."""

_NOBODY = Author("ctxrepo", "base@ctxrepo.invalid")
_LONG_AGO = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class MergeResult:
    """`commit` holds both sides, and the `conflict_copies` as files under conflicts/."""

    commit: str
    conflict_copies: tuple[ConflictCopy, ...] = ()


@dataclass(frozen=True)
class MergedTree:
    """`paths` are the paths that `theirs` changed; `moves` the notes that a side has elsewhere."""

    tree: str
    conflict_copies: tuple[ConflictCopy, ...]
    paths: tuple[str, ...]
    moves: Mapping[str, str]


def merge_commits(memory: Memory, ours: str | None, theirs: str | None, now: datetime) -> MergeResult | None:
    """A commit that holds both histories, or one of the two that holds the other; None when there is none.
    Without a common ancestor they are merged over an empty base, so that nothing is lost."""
    objects = memory.objects
    if ours is None or theirs is None:
        only = ours or theirs
        return MergeResult(only) if only else None
    if objects.contains(ours, theirs):
        return MergeResult(ours)
    if objects.contains(theirs, ours):
        return MergeResult(theirs)
    return merge_over(memory, _base(memory, ours, theirs, MAX_DEPTH), ours, theirs, now)


def merge_over(memory: Memory, base: str | None, ours: str, theirs: str, now: datetime) -> MergeResult:
    """A merge commit of both over `base`, which need not be their common ancestor."""
    merged = merged_tree(memory, *map(memory.objects.tree_of, (base, ours, theirs)))
    message = merge_message(merged.paths, Origin(memory.host))
    return MergeResult(memory.make_commit(merged.tree, [ours, theirs], message, now), merged.conflict_copies)


def merged_tree(memory: Memory, base: str | None, ours: str | None, theirs: str | None) -> MergedTree:
    """The merge of two trees over the tree `base`, with what is recorded of entries whose notes moved."""
    merged = merge_of(memory, base, ours, theirs)
    sides = ours, theirs
    return replace(merged, tree=with_moved_evidence(memory.objects, merged.moves, sides, merged.tree))


def _base(memory: Memory, ours: str, theirs: str, depth: int) -> str | None:
    """The base commit for a merge of two; the same on every machine. Where merges crossed there are several
    best common ancestors, and none knows what the others removed: these are merged first, into a commit that
    no ref points at."""
    objects = memory.objects
    bases = objects.merge_bases(ours, theirs)
    if not bases:
        return None
    base = bases[0]
    for next_base in bases[1:MAX_BASES] if depth else ():
        trees = objects.tree_of(base), objects.tree_of(next_base)
        tree = trees[0]
        if trees[0] != trees[1]:
            below = objects.tree_of(_base(memory, base, next_base, depth - 1))
            tree = merge_of(memory, below, *trees).tree
        assert tree is not None
        base = objects.commit(tree, [base, next_base], "a base of merges that crossed", _NOBODY, _LONG_AGO)
    return base


def merge_of(
    memory: Memory, base: str | None, ours: str | None, theirs: str | None, *, keeps_names: bool = False
) -> MergedTree:
    """The merge of two trees over the tree `base`. What a filter made of a note is no text: of two versions
    one is taken whole. With `keeps_names` no name of ours makes way."""
    objects = memory.objects
    by_us, by_them = objects.diff(base, ours), objects.diff(base, theirs)
    sides: list[dict[str, str]] = [{}, {}, {}]
    for path in by_us.keys() | by_them.keys():
        was = (by_us.get(path) or by_them[path])[0]
        keys = was, by_us.get(path, (was, was))[1], by_them.get(path, (was, was))[1]
        for side, key in zip(sides, keys, strict=True):
            if key is not None:
                side[path] = key
    both = by_us.keys() & by_them.keys()
    objects.need(key for side in sides for path, key in side.items() if path in both)
    filtered = {path for tree in (ours, theirs) for path in filtered_at(memory, tree, both)}
    base_files, our_files, their_files = (objects.passed_through(side, filtered) for side in sides)
    merged = merge_trees(
        base_files,
        our_files,
        their_files,
        read=objects.data_or_empty,
        names_in=partial(objects.names_in, base),
        evidence=cache(lambda: evidence_at(objects, ours, theirs)),
        keeps_names=keeps_names,
    )
    new_keys = objects.store_files({p: new for p, new in merged.changes.items() if isinstance(new, bytes)})
    known = {p: key for p, key in merged.changes.items() if not isinstance(key, bytes)}
    moves = {old: new for old, new in merged.moves.items() if is_note(old) and is_note(new)}
    tree = objects.edit(ours, known | new_keys)
    return MergedTree(tree, merged.conflict_copies, tuple(sorted(by_them)), moves)
