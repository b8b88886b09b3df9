"""Builders: trees as path -> text, merged as a repository would merge them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ctxrepo.domain.merge.tree.trees import TreeMerge, merge_trees

Files = Mapping[str, str]


def merge(base: Files, ours: Files, theirs: Files) -> TreeMerge:
    """Merge trees as a diff would hand them in; a key is the bytes of a file in hex digits."""
    below, mine, other = (changed(side, base, ours, theirs) for side in (base, ours, theirs))
    return merge_trees(below, mine, other, read=bytes.fromhex, names_in=names_in(base))


def changed(side: Files, base: Files, ours: Files, theirs: Files) -> dict[str, str]:
    return {
        path: key(text)
        for path, text in side.items()
        if not base.get(path) == ours.get(path) == theirs.get(path)
    }


def key(text: str) -> str:
    return text.encode().hex()


def names_in(tree: Files) -> Callable[[str], dict[str, str | None]]:
    """What tells the names in a folder of the tree."""

    def names(folder: str) -> dict[str, str | None]:
        before = f"{folder}/" if folder else ""
        below = [path.removeprefix(before) for path in tree if path.startswith(before)]
        files = {name: key(tree[before + name]) for name in below if "/" not in name}
        return {**files, **{name.split("/")[0]: None for name in below if "/" in name}}

    return names


def applied(merged: TreeMerge, ours: Files) -> dict[str, str]:
    """Ours with the changes."""
    tree = dict(ours)
    for path, new in merged.changes.items():
        tree.pop(path, None)
        if new is not None:
            tree[path] = (bytes.fromhex(new) if isinstance(new, str) else new).decode()
    return tree


def merged_tree(base: Files, ours: Files, theirs: Files) -> dict[str, str]:
    """The merged tree, which must be the same from either side."""
    tree = applied(merge(base, ours, theirs), ours)
    assert tree == applied(merge(base, theirs, ours), theirs)
    return tree
