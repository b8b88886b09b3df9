"""Takes in what commands in a sandbox handed over (ADR 82).

Where the memory can't be written, a draft goes into a folder that the agent's sandbox leaves open, as saves
like those of the journal. Outside, hooks wake the worker, and it or the next command makes drafts of them:
each is merged into what is there by now, and passes the same guard."""

import errno
from collections.abc import Sequence
from datetime import UTC, datetime

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.guard.handover import why_not_taken
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import decode, decode_exactly, encoded
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.save import Save
from ctxrepo.errors import CtxrepoError, Refused
from ctxrepo.services.reading.find import path_by_now
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import WRITE_WAIT, Memory
from ctxrepo.storage.processes.lock import locked

_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)

_OLDEST = 30 * 86_400.0
"""Seconds for which an operation has the moment that it says; an older one has that of now."""


def take_in(memory: Memory, now: datetime) -> None:
    """Write what was handed over, one operation after the other, as if its command did. What may not be
    handed over, or the guard refuses, is put aside for `doctor` to tell of. Nothing where nothing can be
    written."""
    if memory.why_read_only or not memory.handover.names():
        return
    # Of two who take in at once the later one would write again what the first has just written.
    with locked(memory.state.lock("handover"), WRITE_WAIT):
        for name, saves in memory.handover.take():
            paths = (path_by_now(memory, save.path) for save in saves if save.base)
            if not all(map(memory.worktree.exists, paths)):
                commit(memory, now, signs=False)  # which tells where a hand has moved its note
            if why := why_not_taken(saves) or _write(memory, saves, now):
                memory.handover.refuse(name, why)
            else:
                memory.handover.remove(name)


def _write(memory: Memory, saves: Sequence[Save], now: datetime) -> str:
    """Write the saves of one operation as its command did; why they were refused, or ''."""
    first = saves[0]
    at = seconds_of(first.at)
    moment = datetime.fromtimestamp(at, UTC) if at and 0 < now.timestamp() - at < _OLDEST else now
    try:
        with drafting(memory, first.op, first.by, moment) as draft:
            draft.saying = first.note
            for save in saves:
                _put(draft, save)
    except Refused as error:
        return error.message
    except CtxrepoError:
        raise  # it waits until that is over
    except Exception as error:  # whatever somebody made up must not keep all else from being saved
        if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
            raise
        return f"it can't be written: {error}"
    return ""


def _put(draft: Draft, save: Save) -> None:
    """Merge a save into the file as it is by now; of two changes of one thing the other goes aside."""
    path = path_by_now(draft.memory, save.path)
    merged = merge_file(path, save.base, encoded(draft.text(path)), save.after)
    if merged.data is not None:
        draft.put(path, _with_one_value(save, decode_exactly(merged.data)))
    for path, data in map(copy_as_file, merged.conflict_copies):
        draft.put(path, decode_exactly(data))


def _with_one_value(save: Save, text: str) -> str:
    """The note without values of keys that this save gives another value, and that it didn't know."""
    base, after = (entries_of(save.path, decode(side or b"")) for side in (save.base, save.after))
    known = {entry.text for entry in (*base, *after)}
    keys = {e.key.casefold() for e in after if e.key and e.text not in {entry.text for entry in base}}
    for entry in reversed(entries_of(save.path, text) if is_note(save.path) else ()):
        if entry.key and entry.key.casefold() in keys and entry.text not in known:
            text = compose.replace(text, entry, "")
    return text
