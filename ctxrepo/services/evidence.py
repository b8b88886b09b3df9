"""evidence: deliberate records about entries are written beside the notes, and read back as marks."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sized
from datetime import datetime

from ctxrepo.domain.entry import entries_of
from ctxrepo.domain.evidence import Evidence, Kind, Marks, evidence_of, marks, to_line
from ctxrepo.domain.jsonl import with_room
from ctxrepo.domain.likeness import moved
from ctxrepo.domain.moment import month, stamp
from ctxrepo.domain.note import decode, encode
from ctxrepo.domain.paths import is_note
from ctxrepo.services.write import Draft
from ctxrepo.storage.memory import Memory

EVIDENCE = ".ctx/evidence/"


def evidence_path(host: str, now: datetime, there: Callable[[str], Sized | None]) -> str:
    """The machine's file of this month that has room; `there` gives a file as it is."""
    return with_room(f"{EVIDENCE}{host}-{month(now)}", there)


def record(draft: Draft, kind: Kind, entry: str, path: str, now: datetime, to: str = "") -> None:
    """Say something of an entry (`renamed`: of a note), as part of a write."""
    host = draft.memory.host
    said = Evidence(secrets.token_hex(8), stamp(now), kind, entry, path, to, host, draft.session)
    draft.append_line(evidence_path(host, now, draft.there), to_line(said))
    draft.spoken_of.add(path)


def evidence_files(memory: Memory, tree: str | None) -> dict[str, bytes]:
    """path -> bytes of every evidence file in a tree."""
    found = memory.objects.below(tree, EVIDENCE.rstrip("/"))
    return {p: memory.objects.data(k) for p, k in found.items() if ":" not in k}


def marks_of(memory: Memory, tree: str | None) -> Marks:
    """What all evidence in a tree amounts to."""
    return marks([e for data in evidence_files(memory, tree).values() for e in evidence_of(decode(data))])


def entries_named(files: Iterable[bytes]) -> set[str]:
    """The ids of the entries that evidence files speak of."""
    return _named(e for data in files for e in evidence_of(decode(data)))


def evidence_now(memory: Memory) -> list[Evidence]:
    """All that was said of entries, as the files have it now."""
    files = memory.worktree.scan(EVIDENCE.rstrip("/")).files
    return [e for path in sorted(files) for e in evidence_of(decode(memory.worktree.read(path) or b""))]


def named_in_evidence(memory: Memory) -> set[str]:
    """The ids of the entries of which something was said, as the files have it now."""
    return _named(evidence_now(memory))


def moved_evidence(
    memory: Memory, changes: Mapping[str, bytes | None], tree: str | None, now: datetime
) -> dict[str, bytes]:
    """The evidence file with a `moved` record for every entry that `changes` edit and evidence names.

    An id follows the text: without the record a pin would be lost with the first correction of a typo.
    """
    files = evidence_files(memory, tree)
    named = entries_named(files.values())
    if not named:
        return {}
    path = evidence_path(memory.host, now, lambda path: changes.get(path) or files.get(path))
    head = memory.objects.files(tree, changes)
    lines = []
    for note, after in changes.items():
        if is_note(note) and after is not None and note in head:
            before = entries_of(note, decode(memory.objects.data(head[note])))
            for old, new in moved(before, entries_of(note, decode(after))):
                if old.id in named:
                    said = Evidence(
                        secrets.token_hex(8), stamp(now), "moved", old.id, note, new.id, memory.host
                    )
                    lines.append(to_line(said) + "\n")
    if not lines:
        return {}
    known = changes.get(path) or files.get(path) or b""
    gap = b"" if not known or known.endswith(b"\n") else b"\n"
    return {path: known + gap + encode("".join(lines))}


def _named(evidence: Iterable[Evidence]) -> set[str]:
    return {name for e in evidence if e.kind != "renamed" for name in (e.entry, e.to) if name}
