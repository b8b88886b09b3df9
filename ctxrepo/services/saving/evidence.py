"""What is said of entries is written down in the drafts of commands."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from ctxrepo.domain.formats.jsonl import TOMBSTONE, in_parts, render
from ctxrepo.domain.formats.moment import day, stamp
from ctxrepo.domain.note.entry import Entry, entries_of, normalised, reworded
from ctxrepo.domain.project.layout import EVIDENCE, is_aside, is_note, scope_of, shown
from ctxrepo.domain.records.evidence import Evidence, Kind, evidence_of, to_line
from ctxrepo.services.reading.find import entries_of_key
from ctxrepo.services.reading.marks import evidence_path, marks_now, moment_after, newest_moment, stated_keys
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.disk.private import random_name

_WIDTH = 80
"""Of an entry that is named in a message so many characters are shown."""


def record(draft: Draft, kind: Kind, entry: str, path: str, now: datetime, to: str = "") -> None:
    """Add a record about an entry (`renamed`: about a note) to a draft."""
    record_all(draft, [new_record(draft, kind, entry, path, now, to)], now)


def new_record(draft: Draft, kind: Kind, entry: str, path: str, now: datetime, to: str = "") -> Evidence:
    """The record that whoever writes this draft makes about an entry."""
    new = Evidence(random_name(), stamp(now), kind, entry, path, to, draft.memory.host, draft.session)
    return replace(new, agent=draft.agent)


def record_all(draft: Draft, records: Iterable[Evidence], now: datetime) -> None:
    """Add records to a draft, many in one go: each addition copies the file. They are later than every record
    there is, also of a machine whose clock is ahead: what they answer never comes after them."""
    lines: list[str] = []
    least = moment_after(newest_moment(draft.memory), now)
    for new in (new for new in records if not draft.ignores(new.path)):
        lines.append(to_line(replace(new, ts=max(new.ts, least))))
        draft.spoken_of.add(new.path)
    for part in in_parts(lines):
        draft.append_line(evidence_path(draft.memory.host, now, draft.there), part)


def is_repeat(evidence: Iterable[Evidence], entry: str, draft: Draft, now: datetime) -> bool:
    """Whether who writes the draft said the same before: an agent in this session, a person on this day."""
    statements = (r for r in evidence if r.entry == entry and r.kind in ("stated", "reinforced"))
    before = [r for r in statements if r.session == draft.session and r.host == draft.memory.host]
    return bool(before) if draft.session else any(r.ts.startswith(day(now)) for r in before)


def record_edits(draft: Draft, path: str, before: str, now: datetime) -> None:
    """Record which entries of a note the draft gave another text: a merge with another edit of one of them
    couldn't tell it from its neighbours by likeness (ADR 72)."""
    for old, new in reworded(entries_of(path, before), entries_of(path, draft.there(path) or "")):
        record(draft, "moved", old.id, path, now, new.id)


def settle_keys(
    draft: Draft, now: datetime, entries: Iterable[Entry] = (), *, comes_first: bool
) -> tuple[str, ...]:
    """Of each key that commands gave have one value hold: of the `entries` to which a draft gives a key's
    value (by default those that it brings to a scope) and those that have their keys there, these are
    superseded, or with `comes_first` the others. A line about each."""
    memory, lines = draft.memory, []
    new_entries = [*entries] or [
        entry
        for path, text in draft.after.items()
        if text and is_note(path) and not is_aside(path)
        for entry in _additions(path, draft.before.get(path), text)
    ]
    their_keys = {entry.key.casefold() for entry in new_entries if entry.key}
    keys = stated_keys(memory, their_keys) if their_keys else {}
    keyed = [entry for entry in new_entries if entry.key.casefold() in keys.get(scope_of(entry.path), ())]
    rivals = [(new, old) for new in keyed for old in _with_key(draft, new)]
    struck = marks_now(memory, (old.id for _, old in rivals)).struck if rivals else ()
    for new, old in rivals:
        if old.id not in struck and normalised(old.text) != normalised(new.text):
            loser, winner = (old, new) if comes_first else (new, old)
            loss = new_record(draft, "superseded", loser.id, loser.path, now, to=winner.id)
            record_all(draft, [replace(loss, ts=_after_draft(draft, now))], now)
            old_text, new_text = (shown(normalised(entry.text), _WIDTH) for entry in (loser, winner))
            lines.append(
                f"* `{old_text}` is superseded: `{new_text}` holds, ^{winner.id} at {winner.at}; "
                f"`ctxrepo restore ^{loser.id}` has it hold again"
            )
    return tuple(lines)


def _after_draft(draft: Draft, now: datetime) -> str:
    """A moment after all that a draft records: an entry gets its id before it is superseded."""
    text = draft.there(evidence_path(draft.memory.host, now, draft.there)) or ""
    newest = max((earlier.ts for earlier in evidence_of(text)), default="")
    return moment_after(newest, now - timedelta(milliseconds=1)) or stamp(now)


def _additions(path: str, before: str | None, after: str) -> list[Entry]:
    was = {entry.id for entry in entries_of(path, before or "")}
    return [entry for entry in entries_of(path, after) if entry.id not in was]


def _with_key(draft: Draft, new: Entry) -> list[Entry]:
    """The entries of the scope with the key of a new one that stand there already, and go on to."""
    entries = entries_of_key(draft.memory, scope_of(new.path), new.key)
    stay = {path: {e.id for e in entries_of(path, text or "")} for path, text in draft.after.items()}
    others = (e for e in entries if e.id != new.id and not is_aside(e.path))
    return [entry for entry in others if entry.id in stay.get(entry.path, {entry.id})]


def unforget(draft: Draft, entries: Collection[str]) -> None:
    """Take back that these entries were forgotten; earlier records about them hold again."""
    for path in sorted(draft.memory.worktree.scan(EVIDENCE).files):
        for record in evidence_of(draft.text(path) or ""):
            if record.kind == "forgotten" and record.entry in entries and record.id:
                draft.append_line(path, render({"id": record.id, TOMBSTONE: True}))
