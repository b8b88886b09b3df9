"""Two trees merged over their base: first folders that were claimed twice, then file by file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ctxrepo.domain.merge.apart import kept_apart
from ctxrepo.domain.merge.aside import Aside, aside_file
from ctxrepo.domain.merge.claims import Content, Contents, Renames, told_apart
from ctxrepo.domain.merge.file import merge_file

Tree = Mapping[str, str]
"""path -> blob key, of the paths that differ between the base and at least one side."""


@dataclass(frozen=True)
class TreeMerge:
    """`changes` turns ours into the merged tree: path -> key taken from a side, new bytes, or None to
    remove it. `aside` is in it already, as files under conflicts/. `renames` are the project folders that
    had to make way: (old, new).
    """

    changes: Mapping[str, Content | None]
    aside: tuple[Aside, ...] = ()
    renames: Renames = ()


def merge_trees(base: Tree, ours: Tree, theirs: Tree, read: Callable[[str], bytes]) -> TreeMerge:
    """What has to change in `ours` so that it holds both sides; `read` gives the bytes of a key.

    The merged tree is the same whichever side is called ours.
    """

    def bytes_of(content: Content | None) -> bytes | None:
        return read(content) if isinstance(content, str) else content

    us, them, renames = told_apart(base, ours, theirs, bytes_of)
    merged, asides = _file_by_file(base, us, them, bytes_of)
    merged = kept_apart(merged | dict(map(aside_file, asides)))
    changes = {path: merged.get(path) for path in sorted(merged.keys() | ours.keys())}
    return TreeMerge({p: c for p, c in changes.items() if c != ours.get(p)}, tuple(asides), renames)


def _file_by_file(
    base: Tree, ours: Contents, theirs: Contents, bytes_of: Callable[[Content | None], bytes | None]
) -> tuple[dict[str, Content], list[Aside]]:
    merged: dict[str, Content] = {}
    asides: dict[Aside, None] = {}
    for path in sorted(base.keys() | ours.keys() | theirs.keys()):
        was, us, them = base.get(path), ours.get(path), theirs.get(path)
        content = us
        if us == was:
            content = them
        elif them not in (us, was):
            result = merge_file(path, bytes_of(was), bytes_of(us), bytes_of(them))
            sides = {bytes_of(side): side for side in (them, us)}
            content = sides.get(result.data, result.data)
            asides |= dict.fromkeys(result.aside)
        if content is not None:
            merged[path] = content
    return merged, list(asides)
