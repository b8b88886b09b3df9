"""Merges two trees over their base: project folders, then moved files, then each file, then clashing
names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ctxrepo.domain.merge.tree.clashes import Versions, kept_apart
from ctxrepo.domain.merge.tree.contents import Blobs, Content, Contents
from ctxrepo.domain.merge.tree.moves import file_versions
from ctxrepo.domain.merge.tree.project_folders import Renames, with_own_folders
from ctxrepo.domain.merge.tree.surroundings import NamesIn, Surroundings, nothing_else
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.lazy import dataclass

Tree = Mapping[str, str]
"""path -> blob key, of the paths that differ between the base and at least one side."""


@dataclass(frozen=True)
class TreeMerge:
    """`changes` turns ours into the merged tree: path -> key taken from a side, new bytes, or None to
    remove it. `conflict_copies` are in it already, as files under conflicts/. `renames` are the project
    folders that had to make way: (old, new).
    """

    changes: Mapping[str, Content | None]
    conflict_copies: tuple[ConflictCopy, ...] = ()
    renames: Renames = ()


def merge_trees(
    base: Tree, ours: Tree, theirs: Tree, read: Callable[[str], bytes], names_in: NamesIn = nothing_else
) -> TreeMerge:
    """The changes that make `ours` hold both sides; `read` gives the bytes of a key.

    `names_in` gives the paths that differ nowhere; it is asked only where a new name could clash with one.
    The merged tree is the same whichever side is called ours.
    """
    blobs = Blobs(read)
    around = Surroundings(names_in, base.keys() | ours.keys() | theirs.keys())
    claimed = with_own_folders(base, ours, theirs, blobs, around.names)
    was, us, them = claimed.base, claimed.ours, claimed.theirs
    met = around.files_like((us.keys() | them.keys()) - was.keys())
    versions = Versions({**met, **was}, {**met, **us}, {**met, **them}, around)
    merged, copies = _file_by_file(versions, blobs)
    copies |= dict.fromkeys(claimed.conflict_copies)
    merged = _placed(merged, copies, versions, blobs)
    before = {**ours, **met}
    changes = {path: merged.get(path) for path in sorted(merged.keys() | before.keys())}
    changes = {path: content for path, content in changes.items() if content != before.get(path)}
    return TreeMerge(changes, tuple(copies), claimed.renames)


def _file_by_file(versions: Versions, blobs: Blobs) -> tuple[dict[str, Content], dict[ConflictCopy, None]]:
    merged: dict[str, Content] = {}
    copies: dict[ConflictCopy, None] = {}
    for item in file_versions(versions.base, versions.ours, versions.theirs, blobs):
        content, lost = blobs.merge(item.path, item.was, item.us, item.them)
        copies |= dict.fromkeys(lost)
        if content is not None:
            both, lost = blobs.merge(item.path, None, merged.get(item.path), content)
            merged[item.path] = content if both is None else both
            copies |= dict.fromkeys(lost)
    return merged, copies


def _placed(
    merged: Contents, copies: dict[ConflictCopy, None], versions: Versions, blobs: Blobs
) -> dict[str, Content]:
    """`merged` and its conflict copies, each file under a name of its own; what is lost by that is added to
    `copies`."""
    placed, lost = kept_apart({**merged, **dict(map(copy_as_file, copies))}, versions, blobs)
    while new := dict.fromkeys(copy for copy in lost if copy not in copies):
        copies |= new
        placed, lost = kept_apart({**placed, **dict(map(copy_as_file, new))}, versions, blobs)
    return placed
