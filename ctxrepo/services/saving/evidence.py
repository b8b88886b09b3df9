"""What is said of entries is written down, in the drafts of commands and in commits."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.formats.jsonl import TOMBSTONE, in_parts, render, with_room
from ctxrepo.domain.formats.moment import month, stamp
from ctxrepo.domain.note.entry import Entry, entries_of, moved, reworded
from ctxrepo.domain.note.note import decode, encode
from ctxrepo.domain.project.layout import EVIDENCE, is_evidence, is_note
from ctxrepo.domain.records.evidence import Evidence, Kind, evidence_of, latest_successors, to_line
from ctxrepo.services.reading.marks import evidence_files, evidence_in, named_by
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory


def evidence_path(host: str, now: datetime, there: Callable[[str], Sized | None]) -> str:
    """This machine's evidence file of the month that has room; `there` gives the content of a file."""
    return with_room(f"{EVIDENCE}/{host}-{month(now)}", there)


def record(
    draft: Draft, kind: Kind, entry: str, path: str, now: datetime, to: str = "", key: str = ""
) -> None:
    """Add a record about an entry (`renamed`: about a note) to a draft."""
    record_all(draft, [replace(made(draft, kind, entry, path, now, to), key=key)], now)


def made(draft: Draft, kind: Kind, entry: str, path: str, now: datetime, to: str = "") -> Evidence:
    """The record that whoever writes this draft makes about an entry."""
    return Evidence(random_name(), stamp(now), kind, entry, path, to, draft.memory.host, draft.session)


def record_all(draft: Draft, records: Iterable[Evidence], now: datetime) -> None:
    """Add records to a draft, many in one go: each addition copies the file."""
    lines: list[str] = []
    for one in (one for one in records if not draft.ignores(one.path)):
        lines.append(to_line(one))
        draft.spoken_of.add(one.path)
    for some in in_parts(lines):
        draft.append_line(evidence_path(draft.memory.host, now, draft.there), some)


def record_edits(draft: Draft, path: str, before: str, now: datetime) -> None:
    """Record which entries of a note the draft gave another text: a merge with another edit of one of them
    couldn't tell it from its neighbours by likeness (ADR 72)."""
    for old, new in reworded(entries_of(path, before), entries_of(path, draft.there(path) or "")):
        record(draft, "moved", old.id, path, now, new.id)


def unforget(draft: Draft, entries: Collection[str]) -> None:
    """Take back that these entries were forgotten; earlier records about them hold again."""
    for path in sorted(draft.memory.worktree.scan(EVIDENCE).files):
        for said in evidence_of(draft.text(path) or ""):
            if said.kind == "forgotten" and said.entry in entries and said.id:
                draft.append_line(path, render({"id": said.id, TOMBSTONE: True}))


def moved_evidence(
    memory: Memory, changes: Mapping[str, bytes | None], tree: str | None, now: datetime
) -> dict[str, bytes]:
    """The evidence file with a `moved` record for every entry that `changes` edit and that evidence names:
    else correcting a typo would lose a pin. Commands have already recorded what they moved, forgot or
    replaced."""
    committed = evidence_files(memory, tree)
    changed = {p: data for p, data in changes.items() if data is not None and is_evidence(p)}
    files = committed | changed
    named = named_by(evidence_in(files))
    if not named:
        return {}
    known = {e.id for e in evidence_in({path: committed[path] for path in changed if path in committed})}
    since = [e for e in evidence_in(changed) if e.id not in known]
    heir = latest_successors(since)
    stated = {(e.path, e.entry) for e in since if e.kind == "stated"}
    told = {e.entry for e in since if e.kind in ("moved", "forgotten")}
    head = memory.objects.files(tree, changes)
    lines = []
    for note, after in changes.items():
        if is_note(note) and after is not None and note in head:
            before = entries_of(note, decode(memory.objects.data_or_empty(head[note])))
            young = {entry for path, entry in stated if path == note}
            for old, new in _moved_scopes(before, entries_of(note, decode(after)), heir, young):
                if old in named and old not in told:
                    made = Evidence(random_name(), stamp(now), "moved", old, note, new, memory.host)
                    lines.append(to_line(made) + "\n")
    if not lines:
        return {}
    path = evidence_path(memory.host, now, files.get)
    text = files.get(path) or b""
    gap = b"" if not text or text.endswith(b"\n") else b"\n"
    return {path: text + gap + encode("".join(lines))}


def _moved_scopes(
    before: list[Entry], after: list[Entry], heir: Mapping[str, str], young: Collection[str]
) -> Iterator[tuple[str, str]]:
    """(old id, new id) of the entries of a note that were edited. The old id is the replacement's (one of
    `young`) where an entry was replaced since the last commit, and its replacement edited."""
    there = {entry.id for entry in after}
    for old, new in moved(before, after):
        stands = heir.get(old.id, old.id)
        if stands != new.id:
            yield stands if stands in young and stands not in there else old.id, new.id
