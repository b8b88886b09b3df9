"""Handoffs stand on pi-memory-md's tape too, for it reads that file and no other."""

from __future__ import annotations

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record
from ctxrepo.domain.project.layout import pi_tape, tapes_of
from ctxrepo.domain.tape.anchor import anchor_of, anchors_of, on_pi, to_pi_line
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.user.pimemory import keeps_tape


def share(draft: Draft, folder: str) -> None:
    """Put the handoffs that this machine left for a project on pi-memory-md's tape, those too that were left
    before there was one.

    Its tape is there once that program ran for the project, and is made where it is set up to use this
    memory. Each line that was put there says so on our own tape and is never put there again.
    """
    memory, theirs = draft.memory, pi_tape(folder)
    if draft.text(theirs) is None and not keeps_tape(memory.places, memory.env, memory.root):
        return
    known = {anchor.id for anchor in anchors_of(draft.text(theirs) or "")}
    ours = f"{tapes_of(folder)}/{memory.host}-"
    found = {path for path in memory.worktree.scan(tapes_of(folder)).files if path.startswith(ours)}
    for path in sorted(found | {path for path in draft.after if path.startswith(ours)}):
        lines = (draft.text(path) or "").split("\n")
        for number, line in enumerate(lines):
            fields = record(line) or {}
            anchor = None if TOMBSTONE in fields else anchor_of(fields)
            if anchor is None or anchor.is_on_pi or anchor.type != "handoff":
                continue
            if anchor.id not in known:
                draft.append_line(theirs, to_pi_line(anchor))
            lines[number] = on_pi(fields)
        draft.put(path, "\n".join(lines))
