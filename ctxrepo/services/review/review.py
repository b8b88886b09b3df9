"""Work that waits on a branch of its own until people have looked at it, and what they left of it.

The tip that was pushed is remembered: it is the base from which is told, once the review is over, what the
reviewers struck out and what was written here since."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import count

from ctxrepo.domain.git.commit import merge_message
from ctxrepo.domain.guard.takeback import emptied
from ctxrepo.domain.note.entry import entries_of, moved, normalised
from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.note.note import decode, decode_exactly, encode, units_of
from ctxrepo.domain.project.layout import REGISTRY, is_conflict_copy, is_note
from ctxrepo.domain.project.registry import parse, with_project
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.reading.marks import note_versions, standing_heirs
from ctxrepo.services.review.open_review import Review, own_branches
from ctxrepo.services.saving.kept_here import filtered_at
from ctxrepo.services.saving.merge import MergedTree, MergeResult, merged_tree
from ctxrepo.storage.clone.clone import LAST_TIP
from ctxrepo.storage.clone.reffiles import DECLINED, DISMISSED, OPEN
from ctxrepo.storage.memory import Memory

_DATES = ("updated:", "created:")

_LEFT_OUT = "review: what was left out"
"""The message of a commit that keeps what reviewers left out. Its tree is what was sent; its parents are the
reviewed result, our branch at that time, and the commit that the work started from, if that is neither. It
stays here and is never sent."""


def is_over(memory: Memory, review: Review, theirs: str | None) -> bool:
    """Whether the branch is gone, or main holds all of it: by its history, or, squashed, by what it says."""
    objects = memory.objects
    if theirs is None:
        return False
    if objects.contains(theirs, review.tip):
        return True
    is_gone = objects.ref(memory.clone.tracking_ref(review.branch)) is None
    return is_gone or not any(missing(memory, review.tip, theirs, objects.merge_base(review.tip, theirs)))


def merged_after_review(memory: Memory, review: Review, ours: str, theirs: str, now: datetime) -> MergeResult:
    """Where we go on after a review: from `theirs`, with what was written here since the push. A history that
    main holds is merged; else our commits stay behind, for with them what was struck out would be sent
    again."""
    objects = memory.objects
    if objects.contains(theirs, review.tip):
        return merge_with_left(memory, review, ours, theirs, now)
    merged = _merged_with_left(memory, review, ours, theirs)
    if objects.tree_of(theirs) == merged.tree:
        return MergeResult(theirs, merged.conflict_copies)
    message = merge_message(merged.paths, Origin(memory.host))
    return MergeResult(memory.make_commit(merged.tree, [theirs], message, now), merged.conflict_copies)


def merge_with_left(memory: Memory, review: Review, ours: str, left: str, now: datetime) -> MergeResult:
    """A merge commit of `ours` and what reviewers left of what was sent."""
    merged = _merged_with_left(memory, review, ours, left)
    message = merge_message(merged.paths, Origin(memory.host))
    return MergeResult(memory.make_commit(merged.tree, [ours, left], message, now), merged.conflict_copies)


def _merged_with_left(memory: Memory, review: Review, ours: str, left: str) -> MergedTree:
    was, here, there = map(memory.objects.tree_of, (review.tip, ours, left))
    merged = merged_tree(memory, was, here, there)
    taken = [path for path in taken_out(memory, review.tip, ours, left) if path not in merged.moves]
    if not taken:
        return merged
    there, paths = as_emptied(memory, review.tip, left, taken)
    merged = merged_tree(memory, was, here, there)
    places = {merged.moves.get(path, path) for path in paths}
    return replace(merged, tree=with_what_is_new(memory, ours, left, merged.tree, places))


def is_merged_as_usual(memory: Memory, review: Review, ours: str, theirs: str) -> bool:
    """Whether main holds what was sent, and no file that reviewers took out was changed here since."""
    is_there = memory.objects.contains(theirs, review.tip)
    return is_there and not taken_out(memory, review.tip, ours, theirs)


def close(memory: Memory, review: Review, ours: str, left: str, now: datetime) -> bool:
    """Put away what people took out of a review, which is not in `left`; whether entries are in it. Call it
    before the branch moves: a kill in between must not lose what was declined."""
    objects = memory.objects
    base = shared_base(memory, review.tip, left)
    if not any(missing(memory, review.tip, left, base)):
        return False
    if not any(objects.parents(tip)[:2] == [left, ours] for tip in objects.refs(DECLINED).values()):
        parents = list(dict.fromkeys((left, ours, *filter(None, [base]))))
        commit = memory.make_commit(objects.tree_of(review.tip) or "", parents, f"{_LEFT_OUT}\n", now)
        name = f"{DECLINED}{now:%Y%m%d}"
        names = (name if n == 1 else f"{name}-{n}" for n in count(1))
        old_names = _declined_names(memory)
        objects.set_ref(next(n for n in names if n.removeprefix(DECLINED) not in old_names), commit)
    return bool(_struck_out(memory, review.tip, left, base))


def proposed_again(memory: Memory, review: Review, ours: str, left: str) -> Iterator[str]:
    """A line for each entry that reviewers struck out and that was edited or moved here meanwhile; where
    `left` goes on from what was sent, the merge tells that."""
    objects = memory.objects
    if objects.contains(left, review.tip):
        return
    struck_entries = _struck_out(memory, review.tip, left, shared_base(memory, review.tip, left))
    sides = note_versions(objects, *map(objects.tree_of, (review.tip, left)))
    for old, new in sorted(standing_heirs(objects, objects.tree_of(ours), *sides).items()):
        if (old.path, normalised(old.text)) in struck_entries:
            yield (
                f"an entry of {old.path} was struck out by reviewers and changed here: it is ^{new.id} in "
                f"{new.path} now, and is sent for review again"
            )


def forget(memory: Memory, review: Review) -> None:
    """End the review; the branch has been moved already."""
    memory.objects.drop_ref(OPEN + review.branch)


def pushed(memory: Memory, branch: str, tip: str) -> None:
    """Remember what was sent for review."""
    memory.objects.set_ref(OPEN + branch, tip)
    memory.objects.set_ref(memory.clone.tracking_ref(branch), tip)


def new_branches(memory: Memory, now: datetime) -> Iterator[str]:
    """Branches for a new review: `ctxrepo/<host>/<yyyymmdd>`, numbered from the second of a day on; the first
    that the remote takes is the one."""
    first = f"{own_branches(memory)}/{now:%Y%m%d}"
    old_names = _declined_names(memory)
    existing = memory.objects.refs(memory.clone.tracking_ref(own_branches(memory)) + "/")
    names = (first if n == 1 else f"{first}-{n}" for n in count(1))
    for name in names:
        if memory.clone.tracking_ref(name) not in existing and name.rpartition("/")[2] not in old_names:
            yield name


def struck(memory: Memory, commit: str, here: str | None) -> list[tuple[str, str]]:
    """(path, entry) of what people struck out of what was sent, of which `close` made `commit`, and that
    isn't `here`; without heads of notes and what ctxrepo notes."""
    objects = memory.objects
    left, *others = objects.parents(commit)
    base = others[1] if len(others) > 1 else left
    now = Counter(missing(memory, commit, here, base, _entries))
    return list((_struck_out(memory, commit, left, base) & now).elements())


def _struck_out(memory: Memory, tip: str, left: str, base: str | None) -> Counter[tuple[str, str]]:
    """(path, entry) of what `left` doesn't have of `tip`, but for what people only worded otherwise, or put
    into another note: what can still be found isn't deleted."""
    objects = memory.objects
    struck_entries = Counter(missing(memory, tip, left, base, _entries))
    came, trees = Counter[str](), (objects.tree_of(commit) for commit in (tip, left))
    for path, sides in objects.diff(*trees).items() if struck_entries else ():
        before, after = (objects.file_or_none(key) or b"" for key in sides)
        came += _entries(path, after) - _entries(path, before)
    for place, number in list(struck_entries.items()):
        struck_entries[place] -= (stays := min(number, came[place[1]]))
        came[place[1]] -= stays
    struck_entries = +struck_entries
    for path in {path for path, _ in struck_entries}:
        keys = (objects.files(objects.tree_of(commit), [path]).get(path) for commit in (tip, left))
        was, now = (entries_of(path, decode(objects.file_or_none(key) or b"")) for key in keys)
        for old, _ in moved(was, now):
            struck_entries.pop((path, normalised(old.text)), None)
    return struck_entries


def missing(
    memory: Memory,
    tip: str,
    theirs: str | None,
    base: str | None,
    says: Callable[[str, bytes], Counter[str]] | None = None,
) -> Iterator[tuple[str, str]]:
    """(path, text) of what `tip` changed since `base`, and `theirs` hasn't, as far as `says` counts it; else
    all but what every merge decides again."""
    objects = memory.objects
    there = objects.tree_of(theirs)

    def units_at(path: str, key: str | None) -> Counter[str]:
        data = objects.file_or_none(key) or b""
        if says:
            return says(path, data)
        head = split(decode(data))[0].splitlines()[1:-1] if is_note(path) else []
        return units_of(path, data) + Counter(line for line in head if not line.startswith(_DATES))

    for path, (was, now) in objects.diff(objects.tree_of(base), objects.tree_of(tip)).items():
        before, after = units_at(path, was), units_at(path, now)
        known = units_at(path, objects.files(there, [path]).get(path))
        yield from ((path, text) for text in (after - before - known).elements())
        yield from ((path, f"(removed) {text}") for text in ((before - after) & known).elements())


def _entries(path: str, data: bytes) -> Counter[str]:
    return units_of(path, data) if is_note(path) and not is_conflict_copy(path) else Counter()


def _declined_names(memory: Memory) -> set[str]:
    """The names that declined work has had: a branch of that name is not sent a second time."""
    return {ref.rpartition("/")[2] for prefix in (DECLINED, DISMISSED) for ref in memory.objects.refs(prefix)}


def as_emptied(memory: Memory, tip: str, left: str, paths: Collection[str]) -> tuple[str, set[str]]:
    """What is `left`, as a tree, with these files of the tip as if nothing were left of them; their paths."""
    objects = memory.objects
    was = objects.tree_of(tip)
    filtered = filtered_at(memory, was, paths)
    files = {path: key for path, key in objects.files(was, paths).items() if path not in filtered}
    rests = {path: _nothing_of(path, objects.data_or_empty(key)) for path, key in files.items()}
    return objects.edit(objects.tree_of(left), objects.store_files(rests)), {*rests}


def with_what_is_new(memory: Memory, ours: str, left: str, tree: str, places: Collection[str]) -> str:
    """A merged tree without those files at `places` that have nothing new; and with each project of ours
    registered whose folder reviewers took out, and that has one again."""
    objects = memory.objects
    contents = {path: objects.data_or_empty(key) for path, key in objects.files(tree, places).items()}
    tree = objects.edit(tree, {path: None for path, data in contents.items() if not units_of(path, data)})
    trees = objects.tree_of(ours), tree
    before, text = (decode_exactly(objects.find(side, REGISTRY) or b"") for side in trees)
    known = parse(text).projects
    back = objects.names_in(tree, "").keys() - objects.names_in(objects.tree_of(left), "").keys()
    for identity, folder in parse(before).projects.items():
        if folder in back and identity not in known and folder not in known.values():
            text = with_project(text, identity, folder)
    return objects.edit(tree, objects.store_files({REGISTRY: encode(text)}))


def taken_out(memory: Memory, tip: str, ours: str, left: str) -> list[str]:
    """The notes and lists that are gone from what is `left`, of which something was sent for review, and that
    were changed in `ours` since."""
    objects = memory.objects
    was, here, there = (objects.tree_of(commit) for commit in (tip, ours, left))
    changes = objects.diff(was, there)
    paths = {path for path, (key, now) in changes.items() if key and ":" not in key and not now}
    paths &= objects.diff(was, here).keys() if paths else set()
    sent = objects.diff(objects.tree_of(shared_base(memory, tip, left)), was) if paths else {}
    return sorted(path for path in paths if path in sent and (is_note(path) or path.endswith(".jsonl")))


def shared_base(memory: Memory, tip: str, left: str) -> str | None:
    """The shared commit from which the tip was made; where `left` goes on from it, the last one we saw."""
    objects = memory.objects
    last = objects.ref(LAST_TIP) if objects.contains(left, tip) else left
    return objects.merge_base(tip, last) if last else tip


def _nothing_of(path: str, data: bytes) -> bytes:
    return encode(emptied(decode_exactly(data))) if is_note(path) else b""
