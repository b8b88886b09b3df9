"""Whether whoever wrote the memory's notes to this machine was ended before all were there."""

from __future__ import annotations

from ctxrepo.services.faults.finding import Finding
from ctxrepo.storage.clone.reffiles import WT, WT_NEXT
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import is_held


def halfway(memory: Memory) -> Finding | None:
    """What was left half-way, and what ends it; None where nothing was, and while somebody is at it.

    Nothing is lost by it, and the next commit goes on there; but until then notes seem to be missing.
    """
    refs, clone = memory.refs, memory.clone
    written, following = refs.resolve(WT), refs.resolve(WT_NEXT)
    there = refs.resolve(clone.branch_ref) or refs.resolve(clone.upstream_ref)
    if there is None or (written is not None and written == following) or is_held(memory.state.lock("write")):
        return None
    if written is None:
        return Finding(
            "`ctxrepo init` was interrupted before all notes were written here",
            "Run `ctxrepo init` again to finish it.",
        )
    return Finding(
        "not all notes that came are written here: that was interrupted", "`ctxrepo sync` ends it."
    )
