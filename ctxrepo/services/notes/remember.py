"""One fact becomes an entry of a note."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import Entry, added, entries_of, normalised
from ctxrepo.domain.note.note import bump_updated
from ctxrepo.domain.project.layout import MEMORY, is_archived, is_note, scope_of
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.evidence import Kind, Marks, marks
from ctxrepo.domain.records.save import Origin
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.code_at_hand import CodeAtHand
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.remarks import Arrival, RememberResult
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.find import (
    NamedScope,
    destination_of,
    entries_of_key,
    path_by_now,
    scope_named,
    spelt,
    topic_if_there,
)
from ctxrepo.services.reading.marks import marks_now
from ctxrepo.services.reading.targets import entry_named
from ctxrepo.services.saving.evidence import is_repeat, new_record, record_all
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.cache.layout import is_pinned
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class EntryPlan:
    """A fact with the scope that it is for, the line that it becomes, and the entry that it supersedes."""

    fact: Fact
    scope: NamedScope
    line: str
    superseded: Entry | None


def remember(
    memory: Memory, fact: Fact, project: Project | None, origin: Origin, now: datetime
) -> RememberResult:
    """Write `fact`; when this returns it survives a power cut. If the note has the same entry (in MEMORY.md
    under the heading Notes), that one is returned: it holds again if it was superseded, and is pinned if that
    was asked or its predecessor was."""
    return remember_all(memory, [fact], project, origin, now)[0]


def remember_all(
    memory: Memory,
    facts: Sequence[Fact],
    project: Project | None,
    origin: Origin,
    now: datetime,
    code: CodeAtHand | None = None,
) -> list[RememberResult]:
    """`remember` for several facts in one write: all of them are kept, or none. Of `code`, the checkout that
    the session works in, is recorded what a fact about it is based on."""
    plans = [plan_entry(memory, fact, project) for fact in facts]
    with drafting(memory, "remember", origin, now) as draft:
        first, *others = [normalised(plan.line) for plan in plans]
        draft.saying = f"{first} and {len(others)} more" if others else first
        return [_Writer(draft, plan, now, code).write() for plan in plans]


def remember_in(
    draft: Draft, fact: Fact, scope: NamedScope, now: datetime, explicit_id: str = ""
) -> RememberResult:
    """`remember` in this scope as a part of a larger write; `explicit_id` is for a fact with an id."""
    return _Writer(draft, _plan(draft.memory, fact, scope, explicit_id), now, code=None).write()


def plan_entry(memory: Memory, fact: Fact, project: Project | None) -> EntryPlan:
    """What becomes of a fact in the scope that it names; UsageError or NotFound where it can't be
    remembered."""
    fact = replace(fact, note=destination_of(memory, fact.note, project)) if fact.note else fact
    return _plan(memory, fact, scope_named(memory, fact.scope_name, project))


def _plan(memory: Memory, fact: Fact, scope: NamedScope, explicit_id: str = "") -> EntryPlan:
    line = line_of(fact, explicit_id or random_name(6))
    superseded = entry_named(memory, fact.supersedes, scope.project) if fact.supersedes else None
    return EntryPlan(fact, scope, line, superseded)


def line_of(fact: Fact, explicit_id: str) -> str:
    """The bullet that a fact becomes."""
    own_id = explicit_id if fact.with_id else ""
    return compose.bullet(fact.text, category=fact.category, tags=fact.tags, key=fact.key, explicit_id=own_id)


@dataclass(frozen=True)
class _Writer:
    draft: Draft
    plan: EntryPlan
    now: datetime
    code: CodeAtHand | None

    def write(self) -> RememberResult:
        path, title = self._place()
        keyed = self._entries_with_key(path)
        old = keyed[0] if keyed else None
        before = None if old else self.draft.text(path)
        others = keyed[:1] or [e for e in entries_of(path, before or "") if not title or title in e.heading]
        same = next((e for e in others if normalised(e.text) == normalised(self.plan.line)), None)
        entry = same or (self._replace(old) if old else self._add(path, title, before))
        result = self._confirm(entry) if same else self._record(entry, old)
        plan, today = self.plan, day(self.now)
        arrival = Arrival(self.draft, plan.fact, plan.scope, plan.superseded, entry, before, keyed, today)
        return arrival.with_remarks(result)

    def _place(self) -> tuple[str, str]:
        """The note to which the fact is added, and the heading there below which it stands, '' for any."""
        folder, fact = self.plan.scope.folder, self.plan.fact
        if fact.note is not None and fact.note.path:
            path = spelt(self.draft.memory, f"{folder}/{fact.note.path}")
            new_path = path_by_now(self.draft.memory, path)  # an agent may still know it by its old name
            return path if is_archived(new_path) or path == f"{folder}/{MEMORY}" else new_path, ""
        if fact.category:
            path = f"{folder}/topics/{fact.category.lower()}.md"
            return topic_if_there(path, self.draft.there), ""
        return f"{folder}/{MEMORY}", "Notes"

    def _entries_with_key(self, path: str) -> list[Entry]:
        """The entries of the scope with the fact's key. Of those that two machines added the first is
        replaced, and the person is told of the others."""
        folder, key = self.plan.scope.folder, self.plan.fact.key
        if not key:
            return []
        drafted = (p for p in self.draft.after if p.startswith(f"{folder}/") and is_note(p))
        paths = dict.fromkeys((path, *drafted))
        candidates = (entry for p in paths for entry in entries_of(p, self.draft.text(p) or ""))
        entries = [entry for entry in candidates if entry.key.casefold() == key.casefold()]
        entries += [e for e in entries_of_key(self.draft.memory, folder, key) if e.path not in paths]
        entries.sort(key=lambda entry: entry.key != key)  # the very spelling comes first
        firsts = {entry.id: entry for entry in reversed(entries)}
        entries = [entry for entry in entries if firsts[entry.id] is entry]
        if len(entries) > 1:  # replace an entry that holds, not a superseded one
            struck = marks_now(self.draft.memory, (entry.id for entry in entries)).struck
            entries = [entry for entry in entries if entry.id not in struck] or entries[:1]
        return entries

    def _add(self, path: str, title: str, before: str | None) -> Entry:
        """The entry at the end of the note with the text `before`, which is made for None."""
        if before is None:
            category = self.plan.fact.category.lower()
            before = compose.new_note(path, day(self.now), [category] if category else [])
        new_text = bump_updated(compose.append(before, self.plan.line, title), day(self.now))
        self.draft.put(path, new_text)
        return added(entries_of(path, before), entries_of(path, new_text))

    def _replace(self, old: Entry) -> Entry:
        """The entry in the place of one with its key."""
        text = self.draft.text(old.path) or ""
        new_text = bump_updated(compose.replace(text, old, self.plan.line), day(self.now))
        self.draft.put(old.path, new_text)
        return next(e for e in entries_of(old.path, new_text) if e.first_line == old.first_line)

    def _confirm(self, entry: Entry) -> RememberResult:
        """The result for an entry that exists; if it was superseded, it holds again from now on, and if a
        hand has deleted it, and that is held back, the file has it again."""
        self.draft.put_back(entry)
        # Don't ask the cache: what was superseded a moment ago isn't committed yet.
        evidence = evidence_in_view(self.draft.memory).about([entry.id])
        marks_before, history = marks(evidence), by_entry(evidence).get(entry.id)
        count = 0
        if entry.id in marks_before.struck:
            self._evidence("stated", entry)
        elif self.plan.fact.holds or not is_repeat(evidence, entry.id, self.draft, self.now):
            self._evidence("reinforced", entry)
            count = history.reinforced + 1 if history else 1
        result = self._supersede(entry)
        if pins := (self.plan.fact.pin or result.pinned) and not is_pinned(entry, marks_before):
            self._evidence("pinned", entry)
        return replace(result, existing=True, reinforced=count, pinned=pins)

    def _record(self, entry: Entry, old: Entry | None) -> RememberResult:
        """The result for an entry that was written, in the place of `old` or as a further one."""
        self.draft.register(self.plan.scope.project)
        result = self._supersede(entry, old)
        self._evidence("stated", entry)
        if pins := self.plan.fact.pin or result.pinned:
            self._evidence("pinned", entry)
        return replace(result, pinned=pins)

    def _supersede(self, entry: Entry, old: Entry | None = None) -> RememberResult:
        """Record that `entry` supersedes `old` and what the fact names; it is `pinned` if one of them was."""
        olds = {each.id: each for each in (old, self.plan.superseded) if each and each.id != entry.id}
        marks_before = marks_now(self.draft.memory, olds) if olds else Marks()
        for each in olds.values():
            self._evidence("superseded", each, to=entry.id)
        texts = tuple(normalised(each.text) for each in olds.values())
        pinned = any(is_pinned(each, marks_before) for each in olds.values())
        return RememberResult(
            entry.id, entry.at, scope_of(entry.at), replaced=tuple(olds), was=texts, pinned=pinned
        )

    def _evidence(self, kind: Kind, entry: Entry, to: str = "") -> None:
        fact, line = self.plan.fact, self.plan.line
        record = new_record(self.draft, kind, entry.id, entry.path, self.now, to)
        if kind == "stated" or (kind == "reinforced" and fact.holds):
            code, cites = self.code.of(entry.path, line, fact.holds) if self.code else ("", ())
            record = replace(record, key=fact.key, code=code, cites=cites, holds=tuple(fact.holds))
        record_all(self.draft, [record], self.now)
