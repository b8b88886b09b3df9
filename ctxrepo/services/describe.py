"""describe: what a commit is about, entry by entry, for its message."""

from __future__ import annotations

from collections.abc import Mapping

from ctxrepo.domain.commit import Changed
from ctxrepo.domain.entry import entries_of, normalised
from ctxrepo.domain.jsonl import records, text_of
from ctxrepo.domain.likeness import moved
from ctxrepo.domain.merge import CONFLICTS
from ctxrepo.domain.note import decode
from ctxrepo.domain.paths import is_note
from ctxrepo.services.tape import tape_folder
from ctxrepo.storage.memory import Memory


def describe(memory: Memory, changes: Mapping[str, bytes | None], head: Mapping[str, str]) -> list[Changed]:
    """One Changed a file, notes first, bookkeeping (registry, evidence, versions kept aside) last."""
    found = []
    for path, after in changes.items():
        before = memory.objects.data(head[path]) if path in head else None
        verb = "remove" if after is None else "edit" if path in head else "add"
        lines = tuple(lines_of_change(path, before, after))
        if lines and (folder := tape_folder(path)):
            # A tape is called after machine and month, which says nothing; its newest anchor does.
            path, verb = f"TAPE/{folder}/{lines[-1]}", "anchor"
        found.append(Changed(path, verb, lines))
    # An anchor that stands on pi-memory-md's tape as well is one all the same.
    return sorted(dict.fromkeys(found), key=lambda c: (not is_note(c.path), _is_bookkeeping(c.path), c.path))


def _is_bookkeeping(path: str) -> bool:
    return path.startswith((".", CONFLICTS)) or "/" not in path


def lines_of_change(path: str, before: bytes | None, after: bytes | None) -> list[str]:
    """A line an entry, `+ ` added, `~ ` edited, `- ` removed; the names of new anchors of a tape."""
    if path.startswith("TAPE/"):
        known = {text_of(r, "id") for r in records(decode(before or b""))}
        new = [r for r in records(decode(after or b"")) if text_of(r, "id") not in known]
        return [name for r in new if (name := text_of(r, "name"))]
    if not is_note(path):
        return []
    old, new_entries = entries_of(path, decode(before or b"")), entries_of(path, decode(after or b""))
    pairs = list(moved(old, new_entries))
    edited = {b.id for _, b in pairs}
    was_said = {e.id: " ".join(e.text.split()) for e in old}
    lines = [
        f"{'~' if e.id in edited else '+'} {normalised(e.text)}" for e in new_entries if e.id not in was_said
    ]
    # A box that was ticked is no part of what an item says, and the only news of it.
    now = [(was_said.get(e.id), " ".join(e.text.split())) for e in new_entries if e.id in was_said]
    lines += [f"~ {said.lstrip('-*+ ')}" for was, said in now if was != said]
    kept = {e.id for e in new_entries} | {a.id for a, _ in pairs}
    return lines + [f"- {normalised(e.text)}" for e in old if e.id not in kept]
