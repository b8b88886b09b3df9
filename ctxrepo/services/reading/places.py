"""Where notes of an earlier commit are by now, by what was recorded and by what they say."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain, islice

from ctxrepo.domain.merge.tree.moves import moves_between
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import REGISTRY, moved_path, scope_of
from ctxrepo.domain.project.registry import Registry, parse
from ctxrepo.domain.records.evidence import moved_on
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.storage.objects.store import Objects

_MOST_COMMITS = 500
"""Of so many commits, the newest, the registries are read."""


def places_by_now(objects: Objects, paths: Collection[str], before: str | None, after: str) -> dict[str, str]:
    """path -> where its file is in the commit `after`, of those of these files of the commit `before` that
    moved in between: by what was recorded since, whatever the folder of their project was called then, or
    else by what the files say."""
    old_tree, tree = objects.tree_of(before), objects.tree_of(after)
    there = objects.files(old_tree, paths)
    if not there:
        return {}
    folders = folders_by_now(objects, before, after)
    known = {*evidence_at(objects, old_tree)}
    since = (record for record in evidence_at(objects, tree) if record not in known)
    now = {path: below(folders, path) for path in there}
    records = [
        replace(record, path=below(folders, record.path), to=below(folders, record.to)) for record in since
    ]
    by_now = moved_on(records, now.values())
    places = {path: by_now[name] for path, name in now.items()}
    present = objects.files(tree, {*there, *places.values()})
    moves = {path: place for path, place in places.items() if place != path and place in present}
    if lost := there.keys() - moves.keys() - present.keys():
        differing = objects.diff(old_tree, tree)
        gone = {path: objects.data_or_empty(there[path]) for path in lost}
        come = {
            path: objects.data_or_empty(key)
            for path, (was, key) in differing.items()
            if key and not was and path not in moves.values()
        }
        moves |= moves_between(gone, come)
    return moves


def folders_by_now(objects: Objects, before: str | None, after: str) -> dict[str, str]:
    """Each name that the folder of a project had since `before` -> the one that it has in `after`."""
    commits = reversed([*islice(objects.new_commits(after, before), _MOST_COMMITS)])
    trees = dict.fromkeys(map(objects.tree_of, chain([before], commits)))
    files = dict.fromkeys(objects.key_at(str(tree), REGISTRY) for tree in trees if tree)
    now = _registry(objects, objects.tree_of(after))
    folders: dict[str, str] = {}
    for key in filter(None, files):
        for identity, folder in parse(decode(objects.data_or_empty(key))).projects.items():
            folders.setdefault(folder, now.folder_of(identity) or folder)
    return folders


def _registry(objects: Objects, tree: str | None) -> Registry:
    return parse(decode(objects.find(tree, REGISTRY) or b""))


def below(folders: Mapping[str, str], path: str) -> str:
    """The path below the folder that its project has by now."""
    folder = scope_of(path)
    return moved_path(path, folder, folders.get(folder, folder)) or path
