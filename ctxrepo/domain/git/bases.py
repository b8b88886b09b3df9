"""What each file on disk is based on, worked out again when the record of it or the newest commits are
lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def bases_of_same_head(
    disk: Mapping[str, str], head: Mapping[str, str], base: Mapping[str, str], has: Callable[[str], bool]
) -> dict[str, str]:
    """path -> id, where the record is damaged and the branch is not.

    A file without a base is merged with the branch's as a stranger: nothing of either is lost. A file that
    is not on disk has none, so that its absence is no deletion.
    """
    found: dict[str, str] = {}
    for path, here in disk.items():
        known = base.get(path)
        if here == head.get(path):
            found[path] = here
        elif known is not None and has(known):
            found[path] = known
    return found


def bases_of_older_head(
    disk: Mapping[str, str],
    head: Mapping[str, str],
    base: Mapping[str, str],
    following: Mapping[str, str],
    *,
    disk_is_newer: bool,
) -> dict[str, str]:
    """path -> id, where the branch went back because its newest commits are lost.

    `disk_is_newer` says that the files had followed those: what they hold beyond `head` counts as edits of
    it. Where that isn't sure (a checkout was under way, the history is another machine's) a file that
    differs has no base.
    """
    found: dict[str, str] = {}
    for path in disk.keys() & head.keys():
        here, there, known = disk[path], head[path], base.get(path)
        had_followed = disk_is_newer and here == known == following.get(path)
        if there in (here, known) or had_followed:
            found[path] = there
    return found
