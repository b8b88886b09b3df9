"""Handoffs stand in a project's anchors file too, for the program that keeps it reads no other."""

from __future__ import annotations

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record
from ctxrepo.domain.guard.refusals import check_file, refuse
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.layout import COMPATIBLE, anchors_file, tapes_of
from ctxrepo.domain.tape.anchor import anchor_of, anchors_of, shared_line, to_anchors_file_line
from ctxrepo.errors import Refused
from ctxrepo.services.saving.write import Draft
from ctxrepo.services.settings.session_settings import keeps_anchors


def share(draft: Draft, folder: str) -> str:
    """Put the handoffs that this machine left for a project into its anchors file, those too that were left
    before there was one.

    The file is there once the program that keeps it ran for the project, and is made where that program is
    set up to use this memory. Each line that was put there says so on our own tape and is never put there
    again. What is wrong with the file keeps no anchor from being left: then none is put there, and why is
    returned, else ''.
    """
    try:
        shared = _shared(draft, folder)
        allow = draft.memory.settings.secrets.allow_secret
        changed = [path for path, text in shared.items() if text != draft.there(path)]
        refuse([found for path in changed for found in check_file(path, encode(shared[path]), allow)])
    except Refused as error:
        return f"{anchors_file(folder)} is left as it is, so {COMPATIBLE} doesn't know this anchor: {error}"
    for path, text in shared.items():
        draft.put(path, text)
    return ""


def _shared(draft: Draft, folder: str) -> dict[str, str]:
    """path -> text, as they are to be, of our tapes and the anchors file."""
    memory, theirs = draft.memory, anchors_file(folder)
    their_text = draft.text(theirs)
    if their_text is None and not keeps_anchors(memory.places, memory.env, memory.root):
        return {}
    known = {anchor.id for anchor in anchors_of(their_text or "")}
    shared: dict[str, str] = {}
    added: list[str] = []
    ours = f"{tapes_of(folder)}/{memory.host}-"
    found = {path for path in memory.worktree.scan(tapes_of(folder)).files if path.startswith(ours)}
    for path in sorted(found | {path for path in draft.after if path.startswith(ours)}):
        lines = (draft.text(path) or "").split("\n")
        for number, line in enumerate(lines):
            fields = record(line) or {}
            anchor = None if TOMBSTONE in fields else anchor_of(fields)
            if anchor is None or anchor.is_shared or anchor.type != "handoff":
                continue
            if anchor.id not in known:
                added.append(to_anchors_file_line(anchor))
            lines[number] = shared_line(fields)
        shared[path] = "\n".join(lines)
    if added:
        before = their_text or ""
        gap = "" if not before or before.endswith("\n") else "\n"
        shared[theirs] = before + gap + "".join(f"{line}\n" for line in added)
    return shared
