"""A project keeps its notes when its folder gets another name without a command, by `mv` or `git mv`."""

from collections.abc import Iterator, Mapping
from itertools import islice

from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import REGISTRY, anchors_file, moved_path, scope_of, tapes_of
from ctxrepo.domain.project.registry import is_folder_name, parse, with_project
from ctxrepo.storage.memory import Memory

_MOST_COMMITS = 50
"""In so many commits a folder is looked for that has gone."""


def moved_projects(
    memory: Memory, changes: Mapping[str, bytes | None], head: str | None
) -> dict[str, bytes | None]:
    """What a commit of `changes` on top of `head` adds for projects whose folders were renamed by hand: the
    registry with their new names, and their tapes below these. The new folder is one that no project has,
    and holds, under the same names, most of the files that the old one held."""
    if head is None:
        return {}
    objects = memory.objects
    tree = objects.tree_of(head)
    data = changes[REGISTRY] if REGISTRY in changes else objects.find(tree, REGISTRY)
    text = decode_exactly(data or b"")
    projects = parse(text).projects
    top = objects.items(tree)
    emptied = {scope_of(path) for path, new in changes.items() if new is None}
    if not any(folder in emptied or folder not in top for folder in projects.values()):
        return {}
    after = objects.edit(tree, objects.store_files(changes))
    names = objects.names_in(after, "")
    unclaimed = {name for name, key in names.items() if key is None and is_folder_name(name)}
    unclaimed -= {*projects.values(), memory.global_folder}
    more: dict[str, bytes | None] = {}
    for identity, old in projects.items():
        if old not in names and (new := _new_name(memory, head, after, old, unclaimed)):
            unclaimed.discard(new)
            text = with_project(text, identity, new)
            more[REGISTRY] = encode(text)
            for path in (*objects.below(after, tapes_of(old)), anchors_file(old)):
                if (tape := objects.find(after, path)) is not None:
                    more |= {path: None, moved_path(path, old, new): tape}
    return more


def _new_name(memory: Memory, head: str, after: str, old: str, unclaimed: set[str]) -> str:
    """The one of the folders `unclaimed` that holds what the folder `old` held; '' if none does."""
    before = next(_files_of(memory, head, old), None) if unclaimed else None
    if not before:
        return ""
    shared = {
        name: sum(moved_path(path, old, name) in files for path in before)
        for name in sorted(unclaimed)
        if (files := memory.objects.below(after, name))
    }
    best = max(shared, key=lambda name: shared[name], default="")
    return best if best and 2 * shared[best] > len(before) else ""


def _files_of(memory: Memory, head: str, folder: str) -> Iterator[Mapping[str, object]]:
    """The files of a folder in the newest commits that have it."""
    for commit in islice(memory.objects.recent(head), _MOST_COMMITS):
        if files := memory.objects.below(memory.objects.tree_of(commit), folder):
            yield files
