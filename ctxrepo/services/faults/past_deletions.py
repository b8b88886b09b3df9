"""What was deleted by hand lately, on whatever machine, until it is taken back."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from ctxrepo.domain.git.commit import writers_of
from ctxrepo.domain.guard.deletions import DeletionSummary, named_in_summary
from ctxrepo.domain.note.note import units_of
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.own_files import age
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key

_A_DAY = 86_400.0

_MOST_COMMITS = 200
"""Commits of a day that are looked at, the newest: more than are made in most."""

_Change = tuple[Key | None, Key | None]


def of_deletions(memory: Memory, *, few: bool = False, since: str | None = None) -> list[str]:
    """A line about each deletion by hand of the last day that wasn't taken back, the oldest first; also of
    older ones that the branch has `since` a commit, and of a `few` entries only for who asks for them."""
    lines: list[str] = []
    with suppress(CtxrepoError):  # a damaged clone, of which others tell
        for line in _lines(memory, few, since):
            lines.insert(0, line)
    return lines


def _lines(memory: Memory, few: bool, since: str | None) -> Iterator[str]:
    objects, head, later = memory.objects, memory.head, list[str]()
    new = set(objects.new_commits(head, since)) if head and since else ()
    for commit in islice(objects.recent(head), _MOST_COMMITS) if head else ():
        header = objects.header_of(commit)
        if age(header.when.timestamp()) >= _A_DAY and commit not in new:
            return
        trailer = next(iter(writers_of(header.message).deleted), "")
        if (summary := DeletionSummary.parse(trailer)) and (few or not summary.is_few):
            parent = next(iter(objects.parents(commit)), None)
            changed = objects.diff(objects.tree_of(parent), objects.tree_of(commit))
            is_true = summary.path in map(named_in_summary, changed)
            is_undone = any(operation.undoes == commit for operation in memory.done_log.newest())
            if is_true and not is_undone and not _came_back(objects, commit, changed, later):
                yield summary.line(commit)
        later.append(commit)


def _came_back(objects: Objects, commit: str, changed: dict[str, _Change], later: Sequence[str]) -> bool:
    """Whether each file had again what it lost in the commit, if only for a while: what went after that went
    otherwise."""
    after = {commit}
    for one in reversed(later):
        if not after.isdisjoint(objects.parents(one)):
            after.add(one)
    trees = [objects.files(objects.tree_of(one), changed) for one in after]
    return all(
        any(not _lacks(objects, path, change, key) for key in {files.get(path) for files in trees})
        for path, change in changed.items()
    )


def _lacks(objects: Objects, path: str, change: _Change, now: Key | None) -> bool:
    """Whether a file lacks `now` what it lost in a change."""
    had, kept, has = (units_of(path, objects.data_or_empty(key) if key else None) for key in (*change, now))
    return bool(had - kept - has) or (now is None and not had)
