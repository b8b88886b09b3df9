"""What reviewers left of a review, for a merge with what was written here since (ADR 13).

A file that they took out whole is merged as one of which nothing is left. Taken for gone, it would come back
with all that was declined, because an edit wins over a deletion."""

from collections.abc import Collection

from ctxrepo.domain.guard.takeback import emptied
from ctxrepo.domain.note.note import decode_exactly, encode, units_of
from ctxrepo.domain.project.layout import REGISTRY, is_note
from ctxrepo.domain.project.registry import parse, with_project
from ctxrepo.services.saving.kept_here import filtered_at
from ctxrepo.storage.clone.clone import LAST_TIP
from ctxrepo.storage.memory import Memory


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
    found = {path: objects.data_or_empty(key) for path, key in objects.files(tree, places).items()}
    tree = objects.edit(tree, {path: None for path, data in found.items() if not units_of(path, data)})
    trees = objects.tree_of(ours), tree
    before, text = (decode_exactly(objects.find(one, REGISTRY) or b"") for one in trees)
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
    gone = {path for path, (key, now) in changes.items() if key and ":" not in key and not now}
    gone &= objects.diff(was, here).keys() if gone else set()
    sent = objects.diff(objects.tree_of(shared_base(memory, tip, left)), was) if gone else {}
    return sorted(path for path in gone if path in sent and (is_note(path) or path.endswith(".jsonl")))


def shared_base(memory: Memory, tip: str, left: str) -> str | None:
    """The shared commit from which the tip was made; where `left` goes on from it, the last one we saw."""
    objects = memory.objects
    last = objects.ref(LAST_TIP) if objects.contains(left, tip) else left
    return objects.merge_base(tip, last) if last else tip


def _nothing_of(path: str, data: bytes) -> bytes:
    return encode(emptied(decode_exactly(data))) if is_note(path) else b""
