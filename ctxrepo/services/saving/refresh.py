"""Updates the cache to a commit, and to what waits on top of it, by the files that differ; and notes what is
wrong with the memory."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.guard.refusals import EXPLAINED, messages_of
from ctxrepo.domain.note.note import Note, decode_note
from ctxrepo.domain.project.layout import CHECKLIST, REGISTRY, is_note, scope_of, tape_folder, unsafe
from ctxrepo.services.faults.faults import (
    of_bounds,
    of_conflicts,
    of_notes,
    of_obstacles,
    of_proposals,
    of_settings,
    store_faults,
)
from ctxrepo.services.faults.past_deletions import of_deletions
from ctxrepo.services.locate.look import update_recorded_checkouts
from ctxrepo.services.reading.marks import evidence_files
from ctxrepo.services.reading.tape_files import told_handoff
from ctxrepo.services.saving.kept_here import KeptHere, filtered_at
from ctxrepo.storage.cache.cache import put_remarks, remark_of
from ctxrepo.storage.cache.entries import entry_count
from ctxrepo.storage.cache.layout import Fault, FaultKind, NewestHandoff
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.processes.lock import is_held, locked, pause
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.committed_records import KeptOutFile
from ctxrepo.storage.user.receipt import BlockFile
from ctxrepo.storage.worktree.scan import MAX_BYTES

MANY_NOTES = 50
"""More notes than this take too long to read for somebody in a hurry."""

FILL_LOCK_SECONDS = 300.0
"""Seconds to wait for another process that reads all notes into the cache."""

_POLL = 0.1
"""Seconds between two checks whether a worker has built the cache."""


def refresh(memory: Memory, head: str | None, tree: str | None = None) -> None:
    """Update the cache to commit `head`, or to the `tree` that is in view on top of it, and note what is
    wrong with the memory. To read many notes is left to the worker if the caller is in a hurry
    (`leaves_cache_to_worker`) or it is at it."""
    if head is None or memory.cache.head == head or not _is_left_to_worker(memory, head):
        build(memory, head, tree)
    tell_all(memory)


def build(memory: Memory, head: str | None, tree: str | None = None) -> None:
    """Update the cache to commit `head`, however many notes have to be read, or to the `tree` in view."""
    # A damaged cache is emptied at the first try, and filled at the second.
    for _ in range(2):
        if memory.cache.head != (head or "") or (tree and _shown(memory) != tree):
            known, new = memory.cache.tree or memory.cache.head, tree or memory.objects.tree_of(head)
            if known and memory.objects.has(known):
                _apply_differences(memory, head or "", new, memory.objects.diff(_shown(memory), new))
            else:
                _fill(memory, head or "", new)


def _shown(memory: Memory) -> str | None:
    """The tree that the cache shows."""
    return memory.cache.tree or memory.objects.tree_of(memory.cache.head or None)


def complete(memory: Memory, head: str | None) -> None:
    """Update the cache to commit `head` for a caller that asks it now, after a worker that is filling it."""
    while head is not None and _is_built_anew(memory):
        if memory.progress:
            memory.progress(f"building the cache: {memory.cache.ask(entry_count)} entries so far")
        pause(_POLL, _POLL)
    build(memory, head)


def _is_left_to_worker(memory: Memory, head: str) -> bool:
    if not (memory.leaves_cache_to_worker or _is_built_anew(memory)):
        return False
    objects, known = memory.objects, memory.cache.head
    if known and objects.has(known):
        return len(objects.diff(objects.tree_of(known), objects.tree_of(head))) > MANY_NOTES
    return len(objects.files(objects.tree_of(head), cone=memory.checkout.cone)) > MANY_NOTES


def _is_built_anew(memory: Memory) -> bool:
    return not memory.cache.head and is_held(memory.state.lock("work"))


def _fill(memory: Memory, head: str, tree: str | None) -> None:
    objects = memory.objects
    notes = notes_at(memory, tree)
    objects.need(notes.values())

    def progress(done: int) -> None:
        if memory.progress and len(notes) > MANY_NOTES:
            memory.progress(f"building the cache: {done} of {len(notes)} notes")

    is_kept = not memory.why_read_only  # else it is filled in memory, for this process alone
    with locked(memory.state.lock("fill"), timeout=FILL_LOCK_SECONDS) if is_kept else nullcontext():
        if head and memory.cache.head == head and _shown(memory) == tree:  # another process has filled it
            return
        if is_kept:
            update_recorded_checkouts(memory)
        tapes = {tape_folder(path) for path in objects.files(tree, cone=memory.checkout.cone)}
        handoffs = _handoffs(memory, tree, tapes | LocalTape(memory.state).projects())
        unread: dict[str, str] = {}
        read = _reader(memory, tree, notes, unread)
        memory.cache.fill(head, notes, read, evidence_files(memory, tree), progress, handoffs, tree or "")
        memory.cache.change(put_remarks, unread=unread)


def _apply_differences(
    memory: Memory, head: str, tree: str | None, differences: Mapping[str, tuple[Key | None, Key | None]]
) -> None:
    objects, cone = memory.objects, memory.checkout.cone
    if REGISTRY in differences and not memory.why_read_only:
        # Before the cache has this commit: after a kill in between nobody would do it.
        update_recorded_checkouts(memory)
    keys = {path: new for path, (_, new) in differences.items() if _is_read(path, cone)}
    objects.need(key for key in keys.values() if key)
    before = memory.cache.ask(remark_of, "unread")
    unread = {path: why for path, why in before.items() if path not in keys}
    read = _reader(memory, tree, {path: key for path, key in keys.items() if key}, unread)
    texts = {path: read(path) if key else None for path, key in keys.items()}
    notes = [Note(path, text) for path, text in sorted(texts.items()) if text is not None]
    removed = [path for path, text in texts.items() if text is None]
    folders = LocalTape(memory.state).projects() if REGISTRY in differences else ()
    checklists = (scope_of(path) for path in differences if path.endswith(f"/{CHECKLIST}"))
    handoffs = _handoffs(memory, tree, [*map(tape_folder, differences), *folders, *checklists])
    memory.cache.apply(head, notes, removed, evidence_files(memory, tree), handoffs, tree or "")
    if unread != before:
        memory.cache.change(put_remarks, unread=unread)


def _reader(
    memory: Memory, tree: str | None, keys: Mapping[str, Key], unread: dict[str, str]
) -> Callable[[str], str | None]:
    """What gives the text of each of these notes of a tree. Of one that a filter made something else of it is
    that on disk; those that aren't there it adds to `unread`."""
    filtered = filtered_at(memory, tree, keys)

    def read(path: str) -> str | None:
        if path not in filtered:
            return text_of(memory.objects, keys[path])
        if (data := memory.filtered_text(path, keys[path])) is None:
            unread[path] = filtered[path]
        return decode_note(data) if data else None

    return read


def notes_at(memory: Memory, tree: str | None) -> dict[str, Key]:
    """path -> key of the files of a tree that have the name of a note."""
    cone = memory.checkout.cone
    files = memory.objects.files(tree, cone=cone)
    return {path: key for path, key in files.items() if _is_read(path, cone)}


def _is_read(path: str, cone: Cone | None) -> bool:
    return is_note(path) and not unsafe(path) and (cone is None or cone.holds(path))


def text_of(objects: Objects, key: Key) -> str | None:
    """The text of a note; None for a link, and for a file that is too large for a note."""
    if ":" in key or objects.size(key) > MAX_BYTES:
        return None
    return decode_note(objects.data(key))


def _handoffs(memory: Memory, tree: str | None, folders: Iterable[str]) -> list[NewestHandoff]:
    return [told_handoff(memory, tree, folder) for folder in sorted({*folders} - {""})]


def tell_all(memory: Memory) -> None:
    """Tell sessions whatever is wrong with the memory."""
    store_faults(memory, faults(memory))


def faults(memory: Memory) -> list[Fault]:
    """What sessions must be told about the memory itself."""
    kept_out = KeptOutFile(memory.state.held).read()
    held = [file.refusal for file in kept_out.held]
    here = KeptHere(converted=memory.cache.ask(remark_of, "unread")).refusals()
    refusals = [*held, *(refusal for refusal in here if refusal not in held)]
    hiding = of_obstacles(memory)
    others = sorted(kept_out.skipped.keys() - hiding.keys())
    blocks = BlockFile(memory.state.blocks).read().known
    lines: dict[FaultKind, Iterable[str]] = {
        "settings": of_settings(memory),
        "bounds": of_bounds(memory),
        "refused": messages_of([refusal for refusal in refusals if refusal.rule not in EXPLAINED]),
        "held": messages_of([refusal for refusal in refusals if refusal.rule in EXPLAINED]),
        "hidden": hiding.values(),
        "skipped": [f"{path} is not part of the memory: it {kept_out.skipped[path]}" for path in others],
        "note": of_notes(memory),
        "conflict": of_conflicts(memory),
        "proposal": of_proposals(memory),
        "deletion": of_deletions(memory),
        "remote": filter(None, [memory.remote_trouble() if memory.has_remote else ""]),
        "block": [block.trouble for block in blocks if block.trouble],
    }
    return [Fault(kind, line) for kind, texts in lines.items() for line in texts]
