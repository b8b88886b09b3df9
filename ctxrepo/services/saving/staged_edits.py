"""What an agent's own tools did to notes where it may only propose: that becomes proposals, and the files go
back (ADR 89).

In this order: the proposals are on the disk and in the journal, then the files go back, then the agent's
saves leave the journal. A run that was killed in between is done again; its proposals have the same ids."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.formats.jsonl import with_room
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.oid import blob_id_of
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.merge.fold import without
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import INBOX, REGISTRY
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.proposal import STAGE, with_proposals
from ctxrepo.domain.records.save import TOOL, Save
from ctxrepo.errors import Busy
from ctxrepo.services.inbox.staging import is_staged, proposals_of, staged_paths
from ctxrepo.services.saving.pending import Pending, based_saves, find_pending
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.worktree.worktree import FileUpdate

_ROUNDS = 5
"""How often a file is put back when somebody has just written to it."""


def stage_edits(memory: Memory, now: datetime) -> None:
    """Turn what agents' tools wrote to notes, where their writes are staged, into proposals. A hand's edit of
    the file stays in it. The write lock is held."""
    saves = [save for save in memory.journal.read() if save.op == TOOL and _is_staged(memory, save)]
    if not saves:
        return
    places = {save.place for save in saves}
    pending = find_pending(memory, memory.head_tree, {save.path for save in saves})
    for path in sorted({save.path for save in saves if save.path in pending.on_disk}):
        _stage_file(memory, pending, path, places, now)


def _is_staged(memory: Memory, save: Save) -> bool:
    """Whether it waits: of notes, and of the file that says whose writes do."""
    if save.path == REGISTRY:
        return is_staged(memory, save.by.agent, REGISTRY)
    return bool(staged_paths(memory, save.by.agent, [save.path]))


def _stage_file(memory: Memory, pending: Pending, path: str, places: set[str], now: datetime) -> None:
    mine = [save for save in pending.saves if save.path == path]
    based, on_disk = based_saves(memory, mine), pending.on_disk[path]
    for _ in range(_ROUNDS):
        back = without(path, pending.grounds[path], based, on_disk, places)
        if not _propose(memory, list(_in_one(back.left_out)), now):
            return  # it is held back as it is, like any other note with a secret
        memory.worktree.write_all(dict(map(copy_as_file, back.conflict_copies)))
        if not memory.worktree.update_unchanged({path: FileUpdate(blob_id_of(on_disk), back.data)}):
            memory.journal.take_out([save.place for save in mine if save.place in places])
            return
        on_disk = memory.worktree.read_saved(path)
    raise Busy(
        f"{path} is being written all the time", "What was written to it waits; run the command again."
    )


def _in_one(saves: Sequence[Save]) -> Iterator[Save]:
    """The saves, those of one session that follow each other as one: nobody wants to decide on each step."""
    before: Save | None = None
    for save in saves:
        if before is not None and before.author == save.author and before.after == save.base:
            before = replace(save, base=before.base)
        else:
            if before is not None:
                yield before
            before = save
    if before is not None:
        yield before


def _propose(memory: Memory, saves: Sequence[Save], now: datetime) -> bool:
    """Write these changes into the inbox, where they survive a power cut; False where the guard refuses
    one."""
    read = memory.worktree.read
    path = with_room(f"{INBOX}/{memory.host}", read)
    for save in saves:
        before = read(path)
        text = decode_exactly(before or b"")
        after = encode(with_proposals(text, [*proposals_of(memory, save)]))
        if after == (before or b""):
            continue
        if check_file(path, after, memory.settings.secrets.allow_secret):
            return False
        memory.worktree.write(path, after)
        by = replace(save.by, host=memory.host)
        memory.journal.add([Save(path, before, after, STAGE, by, at=stamp(now), id=save.id, note=save.path)])
    return True
