"""Where a note is by now that this machine wrote to, while another one moved it out of its project."""

from collections.abc import Iterator, Mapping
from itertools import islice, permutations

from ctxrepo.domain.git.commit import writers_of
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import REGISTRY, is_conflict_copy, is_note, scope_of
from ctxrepo.domain.project.registry import parse
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.reading.marks import entries_gone, entries_in, note_versions
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects

_MOST_COMMITS = 500
"""So many new commits are looked at, the newest."""


def moved_away(memory: Memory, since: str) -> Iterator[str]:
    """A line for each note that this machine wrote to while another one moved it to another project, or to a
    folder of none, and that a merge since a commit has there: what was written was acknowledged as kept in
    this project, and no session of it is given that."""
    objects, head = memory.objects, memory.head
    for merge in islice(objects.new_commits(head, since) if head else (), _MOST_COMMITS):
        sides = objects.parents(merge)
        base = objects.tree_of(objects.merge_base(*sides)) if len(sides) == 2 else None
        for mine, other in permutations(sides) if base else ():
            went = _places(objects, base, objects.tree_of(mine), objects.tree_of(merge))
            is_ours = bool(went) and memory.host in _hosts(objects, mine, other)
            there = objects.files(memory.head_tree, went.values()) if is_ours else ()
            for old, new in sorted((old, new) for old, new in went.items() if new in there):
                known = {*read_registry(memory).projects.values(), memory.global_folder}
                of_none = "" if scope_of(new) in known else ", in a folder of no project"
                yield f"{old} was written to here and moved on another machine: it is {new} now{of_none}"


def _hosts(objects: Objects, mine: str, other: str) -> set[str]:
    """The machines that made the commits which one side of a merge has alone."""
    commits = islice(objects.new_commits(mine, other), _MOST_COMMITS)
    return {host for one in commits for host in writers_of(objects.header_of(one).message).hosts}


def _places(objects: Objects, base: str | None, side: str | None, merged: str | None) -> dict[str, str]:
    """path -> path in the merged tree of the notes that this side wrote to, and that another project has
    there, or none, though it isn't just that the folder of their project has another name."""
    changed, differing = objects.diff(base, side), objects.diff(side, merged)
    both = {path for path in changed.keys() & differing.keys() if is_note(path) and changed[path][0]}
    was, now = note_versions(objects, base, side) if both else ({}, {})
    written = entries_gone(*({path: files.get(path) for path in both} for files in (now, was)))
    if not written:
        return {}
    standing = entries_in(note_versions(objects, side, merged)[1])
    there = {normalised(one.text): one.path for one in standing if not is_conflict_copy(one.path)}
    there |= {normalised(one.text): one.path for one in standing if one.path in both}
    places = {one.path: there[said] for one in written if (said := normalised(one.text)) in there}
    former, present = (_owners(objects, tree) for tree in (side, merged))
    return {
        old: new
        for old, new in places.items()
        if former.get(scope_of(old), scope_of(old)) != present.get(scope_of(new), scope_of(new))
    }


def _owners(objects: Objects, tree: str | None) -> Mapping[str, str]:
    """Folder -> its project, as the registry of a tree says."""
    projects = parse(decode(objects.find(tree, REGISTRY) or b"")).projects
    return {folder: project for project, folder in projects.items()}
