"""Which machine each version of a conflict is from. The file that keeps what lost is the same whoever merged,
so it names nobody; the commits on both sides of the merge do."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice

from ctxrepo.domain.git.commit import writers_of
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import CONFLICTS
from ctxrepo.domain.records.conflict_copy import read_copy
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.history.conflict_copies import Conflict
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects

_MOST_COMMITS = 5_000
"""Commits that are looked through for those that brought the files."""

_MOST_OF_SIDE = 300
"""Commits of both sides that are looked through for whoever wrote a version."""

NOBODY = Origin("")
"""Where no commit tells."""


def origins_of_versions(memory: Memory, conflicts: Sequence[Conflict]) -> dict[str, tuple[Origin, Origin]]:
    """File -> where the version that was kept comes from and where the one that lost does; NOBODY for one of
    which no commit tells it."""
    objects, found = memory.objects, dict[str, tuple[Origin, Origin]]()
    left = {one.file for one in conflicts if one.since}
    commits = objects.recent(memory.head) if memory.head and left else iter(())
    for commit in islice(commits, _MOST_COMMITS):
        tree, *before = map(objects.tree_of, (commit, *objects.parents(commit)))
        if objects.key_at(tree, CONFLICTS) in [objects.key_at(one, CONFLICTS) for one in before]:
            continue
        for file in sorted(left):
            if objects.key_at(tree, file) and not any(objects.key_at(one, file) for one in before):
                found[file] = _origins(objects, commit, file)
        left -= found.keys()
        if not left:
            break
    return found


def _origins(objects: Objects, commit: str, file: str) -> tuple[Origin, Origin]:
    """Where the versions come from that this commit found apart."""
    copy = read_copy(file, objects.find(objects.tree_of(commit), file) or b"")
    if copy is None:
        return NOBODY, NOBODY

    @cache
    def lines_of(one: str) -> str:
        return _lines(decode_exactly(objects.find(objects.tree_of(one), copy.path) or b""))

    def origin(text: str) -> Origin:
        lines = _lines(text)
        for one in islice(_before(objects, commit), _MOST_OF_SIDE) if text else ():
            if lines in lines_of(one) and not any(lines in lines_of(was) for was in objects.parents(one)):
                return _writer(objects, one)
        return NOBODY

    other = origin(copy.other)
    if other is NOBODY and len(objects.parents(commit)) < 2:
        other = _writer(objects, commit)  # it was never committed: it met the branch on its way there
    return origin(copy.kept), other


def _before(objects: Objects, commit: str) -> Iterator[str]:
    """The commits on both sides of a merge; before any other commit those that led there."""
    match objects.parents(commit):
        case [ours, theirs]:
            return chain(objects.new_commits(ours, theirs), objects.new_commits(theirs, ours))
        case [parent]:
            return objects.recent(parent)
    return iter(())


def _lines(text: str) -> str:
    """Whole lines, as a merge compares them."""
    return "\n" + text.replace("\r\n", "\n").strip("\n") + "\n"


def _writer(objects: Objects, commit: str) -> Origin:
    writers = writers_of(objects.header_of(commit).message)
    return Origin(", ".join(writers.hosts), agent=", ".join(writers.agents))
