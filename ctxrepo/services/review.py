"""review: work that waits on a branch of its own until people have looked at it, and what they left of it.

The tip that was pushed is remembered: it is the base from which is told, once the review is over, what the
reviewers struck out and what was written here since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from ctxrepo.domain.commit import merge_message
from ctxrepo.domain.frontmatter import split
from ctxrepo.domain.note import decode
from ctxrepo.domain.origin import Origin
from ctxrepo.domain.paths import is_note
from ctxrepo.domain.said import said
from ctxrepo.services.merge import MergedCommits, merged_tree
from ctxrepo.storage.memory import Memory

OPEN = "refs/ctxrepo/review/"
DECLINED = "refs/ctxrepo/declined/"

_DATES = ("updated:", "created:")


@dataclass(frozen=True)
class Review:
    """A branch that was pushed for review, and its tip as we pushed it."""

    branch: str
    tip: str


@dataclass(frozen=True)
class Declined:
    """What reviewers struck out: kept under a local ref, and never sent again."""

    ref: str
    commit: str
    date: str


def open_review(memory: Memory) -> Review | None:
    """The review that was under way when we last looked."""
    found = memory.objects.refs(OPEN)
    return next((Review(name.removeprefix(OPEN), tip) for name, tip in sorted(found.items())), None)


def own_branches(memory: Memory) -> str:
    """The folder of this machine's review branches on the remote, which `fetch` brings as well."""
    return f"ctxrepo/{memory.host}"


def is_over(memory: Memory, review: Review, theirs: str | None) -> bool:
    """Whether the branch is gone, or main holds all of it: by its history, or, squashed, by what it says."""
    objects = memory.objects
    if theirs is None:
        return False
    if objects.contains(theirs, review.tip):
        return True
    is_gone = objects.ref(memory.clone.tracking_ref(review.branch)) is None
    return is_gone or not any(_missing(memory, review.tip, theirs))


def settled(memory: Memory, review: Review, ours: str, theirs: str, now: datetime) -> MergedCommits:
    """Where we go on once a review is over: from `theirs`, with what was written here since it was pushed.

    A history that main holds is merged as any other. Else our commits stay behind: with them what was
    struck out would be sent again.
    """
    objects = memory.objects
    merged = merged_tree(memory, review.tip, ours, theirs)
    if objects.tree_of(theirs) == merged.tree:
        return MergedCommits(theirs, merged.aside)
    said = merge_message(merged.paths, Origin(memory.host))
    return MergedCommits(memory.make_commit(merged.tree, [theirs], said, now), merged.aside)


def close(memory: Memory, review: Review, ours: str, theirs: str, now: datetime) -> bool:
    """Put away what main doesn't hold of a review that is over; returns whether there was anything.

    To be called before the branch moves: a kill in between must not lose what was declined.
    """
    if memory.objects.contains(theirs, review.tip) or not any(_missing(memory, review.tip, theirs)):
        return False
    name = f"{DECLINED}{now:%Y%m%d}"
    taken = memory.objects.refs(DECLINED)
    if review.tip not in taken.values():
        names = (name if n == 1 else f"{name}-{n}" for n in count(1))
        memory.objects.set_ref(next(name for name in names if name not in taken), ours)
    return True


def forget(memory: Memory, review: Review) -> None:
    """The review is over, and the branch stands where it shall."""
    memory.objects.drop_ref(OPEN + review.branch)


def pushed(memory: Memory, branch: str, tip: str) -> None:
    """Remember what was sent for review."""
    memory.objects.set_ref(OPEN + branch, tip)
    memory.objects.set_ref(memory.clone.tracking_ref(branch), tip)


def new_branches(memory: Memory, now: datetime) -> Iterator[str]:
    """Branches for a new review: `ctxrepo/<host>/<yyyymmdd>`, with a number when the day has had one.

    The remote may have some of which we don't know: the first that it takes is the one.
    """
    first = f"{own_branches(memory)}/{now:%Y%m%d}"
    used = {ref.rpartition("/")[2] for ref in memory.objects.refs(DECLINED)}
    there = memory.objects.refs(memory.clone.tracking_ref(own_branches(memory)) + "/")
    names = (first if n == 1 else f"{first}-{n}" for n in count(1))
    for name in names:
        if memory.clone.tracking_ref(name) not in there and name.rpartition("/")[2] not in used:
            yield name


def declined(memory: Memory) -> list[Declined]:
    """What was struck out in reviews so far, oldest first."""
    found = memory.objects.refs(DECLINED)
    return [Declined(ref, commit, ref.removeprefix(DECLINED)[:8]) for ref, commit in sorted(found.items())]


def declined_entries(memory: Memory, one: Declined) -> list[str]:
    """What main holds no more, or never did, of something declined: `path: text`, an entry each."""
    theirs = memory.objects.ref(memory.clone.upstream_ref)
    return [f"{path}: {text}" for path, text in _missing(memory, one.commit, theirs)]


def _missing(memory: Memory, tip: str, theirs: str | None) -> Iterator[tuple[str, str]]:
    """(path, text) of what `tip` changed in the history it shares with `theirs`, and `theirs` hasn't."""
    objects = memory.objects
    base = objects.merge_base(tip, theirs) if theirs else None
    there = objects.tree_of(theirs)
    for path, (was, now) in objects.diff(objects.tree_of(base), objects.tree_of(tip)).items():
        before, after = _said(memory, path, was), _said(memory, path, now)
        known = _said(memory, path, objects.files(there, [path]).get(path))
        yield from ((path, text) for text in (after - before - known).elements())
        yield from ((path, f"(removed) {text}") for text in ((before - after) & known).elements())


def _said(memory: Memory, path: str, key: str | None) -> Counter[str]:
    """What a file says, without what every merge decides anew."""
    if key is None or ":" in key:
        return Counter()
    data = memory.objects.data(key)
    head = split(decode(data))[0].splitlines()[1:-1] if is_note(path) else []
    return said(path, data) + Counter(line for line in head if not line.startswith(_DATES))
