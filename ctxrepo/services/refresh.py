"""refresh: the cache is brought to a commit, looking only at what differs from the one it reflects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxrepo.domain.deletions import told
from ctxrepo.domain.guard import Refusal
from ctxrepo.domain.note import Note, decode
from ctxrepo.domain.paths import is_note, unsafe
from ctxrepo.domain.registry import REGISTRY_FILE
from ctxrepo.services.evidence import marks_of
from ctxrepo.services.project import relink
from ctxrepo.services.tape import handoff_text, newest_handoff, tape_folder
from ctxrepo.storage.lock import is_held
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.pause import pause
from ctxrepo.storage.scan import MAX_BYTES

CONFLICTS = "conflicts"

MANY_NOTES = 50
"""So many take longer to be read than somebody in a hurry shall wait."""

_GLANCE = 0.1
"""Seconds between two looks whether a worker has built the cache."""

_BATCH = 500
"""Notes that are read into the cache while others wait to write to it."""


def refresh(
    memory: Memory, head: str | None, held: Sequence[Refusal] = (), skipped: Mapping[str, str] | None = None
) -> None:
    """Bring the cache to commit `head` and note what is wrong with the memory.

    With an empty or foreign cache everything is read anew. To read many notes is the worker's to do, which
    lets nobody wait.
    """
    cache = memory.cache
    if head is not None and cache.head != head and _is_the_workers(memory, head):
        return
    build(memory, head)
    cache.set_faults(faults(memory, held, skipped or {}))


def build(memory: Memory, head: str | None) -> None:
    """Bring the cache to commit `head`, however much there is to read."""
    # A second time when the cache turns out to be damaged, and was emptied for it.
    for _ in range(2):
        if head is not None and memory.cache.head != head:
            _bring(memory, head)


def complete(memory: Memory, head: str | None) -> None:
    """Bring the cache to commit `head` for somebody who asks it now, waiting for a worker that is at it."""
    while head is not None and _is_built_anew(memory):
        if memory.progress:
            memory.progress(f"waiting for the notes to be read: {memory.cache.entry_count} entries so far")
        pause(_GLANCE, _GLANCE)
    build(memory, head)


def _is_the_workers(memory: Memory, head: str) -> bool:
    return (memory.is_hurried or _is_built_anew(memory)) and _changes_many(memory, head)


def _is_built_anew(memory: Memory) -> bool:
    return not memory.cache.head and is_held(memory.state.lock("work"))


def _changes_many(memory: Memory, head: str) -> bool:
    objects, known = memory.objects, memory.cache.head
    if known and objects.has(known):
        return len(objects.diff(objects.tree_of(known), objects.tree_of(head))) > MANY_NOTES
    return len(objects.files(objects.tree_of(head), cone=memory.checkout.cone)) > MANY_NOTES


def _bring(memory: Memory, head: str) -> None:
    cache, objects = memory.cache, memory.objects
    old = cache.head if cache.head and objects.has(cache.head) else None
    if old is None:
        cache.clear()
    tree = objects.tree_of(head)
    differences = objects.diff(objects.tree_of(old), tree)
    cone = memory.checkout.cone
    notes = {
        path: new
        for path, (_, new) in differences.items()
        if is_note(path) and not unsafe(path) and (cone is None or cone.holds(path))
    }
    objects.need(key for key in notes.values() if key)
    read = {p: key for p, key in notes.items() if key and ":" not in key and objects.size(key) <= MAX_BYTES}
    marks = marks_of(memory, tree)
    *batches, last = _batches(sorted(read)) if old is None else [sorted(read)]
    for number, paths in enumerate(batches):  # of one that is made anew nobody has to see the whole at once
        if memory.progress:
            memory.progress(f"reading notes: {number * _BATCH} of {len(read)}")
        cache.apply("", [Note(p, decode(objects.data(read[p]))) for p in paths], (), marks)
    changed = [Note(p, decode(objects.data(read[p]))) for p in last]
    cache.apply(head, changed, removed=[p for p in notes if p not in read], marks=marks)
    for folder in {folder for p in differences if (folder := tape_folder(p))}:
        _set_handoff(memory, tree, folder)
    if REGISTRY_FILE in differences:
        relink(memory)


def _batches(paths: list[str]) -> list[list[str]]:
    return [paths[n : n + _BATCH] for n in range(0, len(paths), _BATCH)] or [[]]


def _set_handoff(memory: Memory, tree: str | None, folder: str) -> None:
    newest = newest_handoff(memory, tree, folder)
    # Without any the project of this folder has moved on, or its tape was deleted.
    name, ts, text = (newest.name, newest.timestamp, handoff_text(newest)) if newest else ("", "", "")
    memory.cache.set_handoff(folder, name, ts, text)


def faults(memory: Memory, held: Sequence[Refusal], skipped: Mapping[str, str]) -> list[str]:
    """What a session must be told about the memory itself, one line each."""
    lines = told(held)
    lines += [f"{path} is not part of the memory: it {reason}" for path, reason in sorted(skipped.items())]
    aside = memory.objects.below(_tree(memory), CONFLICTS)
    if aside:
        lines.append(
            f"{len(aside)} version{'s' if len(aside) > 1 else ''} kept aside, for two machines changed the "
            f"same thing: `ctxrepo conflicts list` shows {'them' if len(aside) > 1 else 'it'}"
        )
    if memory.has_remote and (trouble := memory.remote_trouble()):
        lines.append(trouble)
    return lines


def _tree(memory: Memory) -> str | None:
    return memory.objects.tree_of(memory.objects.ref(memory.clone.branch_ref))
