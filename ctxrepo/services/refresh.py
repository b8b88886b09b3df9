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
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.scan import MAX_BYTES

CONFLICTS = "conflicts"

MANY_NOTES = 100
"""So many take longer to be read than somebody in a hurry shall wait."""


def refresh(
    memory: Memory, head: str | None, held: Sequence[Refusal] = (), skipped: Mapping[str, str] | None = None
) -> None:
    """Bring the cache to commit `head` and note what is wrong with the memory.

    With an empty or foreign cache everything is read anew.
    """
    cache = memory.cache
    if memory.is_hurried and not cache.head and head is not None and _has_many_notes(memory, head):
        return
    # A second time when the cache turns out to be damaged, and was emptied for it.
    for _ in range(2):
        if head is not None and cache.head != head:
            _bring(memory, head)
    cache.set_faults(faults(memory, held, skipped or {}))


def _has_many_notes(memory: Memory, head: str) -> bool:
    files = memory.objects.files(memory.objects.tree_of(head), cone=memory.checkout.cone)
    return len(files) > MANY_NOTES


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
    cache.apply(
        head,
        changed=[Note(p, decode(objects.data(key))) for p, key in read.items()],
        removed=[p for p in notes if p not in read],
        marks=marks_of(memory, tree),
    )
    for folder in {folder for p in differences if (folder := tape_folder(p))}:
        _set_handoff(memory, tree, folder)
    if REGISTRY_FILE in differences:
        relink(memory)


def _set_handoff(memory: Memory, tree: str | None, folder: str) -> None:
    newest = newest_handoff(memory, tree, folder)
    if newest is not None:
        memory.cache.set_handoff(folder, newest.name, newest.timestamp, handoff_text(newest))


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
