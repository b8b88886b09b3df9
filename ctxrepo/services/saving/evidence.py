"""What is said of entries is written down in the drafts of commands."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.formats.jsonl import TOMBSTONE, in_parts, render
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.note.entry import entries_of, reworded
from ctxrepo.domain.project.layout import EVIDENCE
from ctxrepo.domain.records.evidence import Evidence, Kind, evidence_of, to_line
from ctxrepo.services.reading.marks import evidence_path, moment_after, newest_moment
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.disk.private import random_name


def record(
    draft: Draft, kind: Kind, entry: str, path: str, now: datetime, to: str = "", key: str = ""
) -> None:
    """Add a record about an entry (`renamed`: about a note) to a draft."""
    record_all(draft, [replace(made(draft, kind, entry, path, now, to), key=key)], now)


def made(draft: Draft, kind: Kind, entry: str, path: str, now: datetime, to: str = "") -> Evidence:
    """The record that whoever writes this draft makes about an entry."""
    return Evidence(random_name(), stamp(now), kind, entry, path, to, draft.memory.host, draft.session)


def record_all(draft: Draft, records: Iterable[Evidence], now: datetime) -> None:
    """Add records to a draft, many in one go: each addition copies the file. They are later than every record
    there is, also of a machine whose clock is ahead: what they answer never comes after them."""
    lines: list[str] = []
    least = moment_after(newest_moment(draft.memory), now)
    for one in (one for one in records if not draft.ignores(one.path)):
        lines.append(to_line(replace(one, ts=max(one.ts, least))))
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
