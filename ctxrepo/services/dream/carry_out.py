"""The steps of a dream are carried out in one draft: one commit, which one `undo` takes back."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from ctxrepo.domain.dream.losses import LiveEntries, objections
from ctxrepo.domain.dream.steps import DreamStep
from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import Entry, entries_of, normalised
from ctxrepo.domain.note.note import Note, bump_updated
from ctxrepo.domain.project.layout import archived
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.decision import Effect
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.notes.changing import Whole, rewritten
from ctxrepo.services.notes.placing import forget_entry, move_entry
from ctxrepo.services.notes.remember import remember_in
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.find import NamedScope
from ctxrepo.services.saving.evidence import record
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.cache.entries import entries_of_scopes, notes_of_scopes
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.memory import Memory


def live_entries(memory: Memory, folder: str) -> LiveEntries:
    """The entries of a scope that sessions may be given. The cache must be up to date: call `commit`."""
    listed = {note.path for note in memory.cache.ask(notes_of_scopes, [folder]) if note.is_listed}
    rows = memory.cache.ask(entries_of_scopes, [folder])
    rows = [row for row in rows if row.entry.path in listed and not row.is_struck]
    live = {row.entry.id: row.entry for row in rows}
    enforced = {name for name, evidence in memory.cache.ask(entry_evidence, live).items() if evidence.rule}
    return LiveEntries(live, enforced.union(row.entry.id for row in rows if row.is_pinned))


StepEffects = Sequence[tuple[DreamStep, Sequence[Effect]]]
"""Each step, and what it did to entries."""


def carry_out(draft: Draft, scope: NamedScope, steps: Sequence[DreamStep], now: datetime) -> StepEffects:
    """Carry out all steps; Refused, and nothing is drafted, where an entry isn't what it was when they were
    proposed, or there is an objection by now."""
    here = live_entries(draft.memory, scope.folder)
    if reasons := objections(steps, here):
        raise Refused(f"this can't be done any more: {reasons[0]}", "Decline it, and dream again.")
    for step in steps:
        for name, was in zip(step.entries, step.was, strict=True):
            if normalised(here.by_id[name].text) != normalised(was):
                raise Refused(f"^{name} was changed since that was proposed", "Decline it, and dream again.")
    work = _Work(draft, scope, here.by_id, now)
    return [(step, [*work.run(step)]) for step in steps]


def sides(step_effects: StepEffects) -> tuple[str, str]:
    """What holds before and after all steps, each below what is said of it, for a difference to be drawn."""
    before, after = list[str](), list[str]()
    for step, effects in step_effects:
        before += [step.words, *(effect.was for effect in effects if effect.was)]
        after += [step.words, *(effect.now for effect in effects if effect.now)]
    return "\n".join(before), "\n".join(after)


@dataclass(frozen=True)
class _Work:
    draft: Draft
    scope: NamedScope
    live: Mapping[str, Entry]
    now: datetime

    def run(self, step: DreamStep) -> Iterator[Effect]:
        match step.deed:
            case "remember":
                yield from self._remember(step)
            case "edit" | "merge":
                yield from self._rewrite(step)
            case "supersede":
                old, new = map(self._standing, step.entries)
                record(self.draft, "superseded", old.id, old.path, self.now, to=new.id)
                yield Effect(old.path, old.text, "")
            case "move" | "archive":
                yield from self._move(step)
            case "forget":
                entry = self._standing(step.entries[0])
                forget_entry(self.draft, entry, self.now)
                yield Effect(entry.path, entry.text, "")

    def _remember(self, step: DreamStep) -> Iterator[Effect]:
        note = Target(path=step.note) if step.note else None
        fact = Fact(step.text, note=note, category=step.category)
        result = remember_in(self.draft, fact, self.scope, self.now)
        if not result.existing:
            yield Effect(result.at.partition("#")[0], "", step.text)

    def _rewrite(self, step: DreamStep) -> Iterator[Effect]:
        """The first entry has the text from now on, and the others go. Ids of equal entries depend on how
        many stand before them, so whoever has the id of one that went is left alone."""
        first, *others = (self._standing(name) for name in step.entries)
        above = sum(entry.path == first.path and entry.first_line < first.first_line for entry in others)
        number = [entry.first_line for entry in self._entries(first.path)].index(first.first_line) - above
        for entry in sorted((first, *others), key=lambda entry: -entry.first_line):
            text = self.draft.text(entry.path) or ""
            is_first = entry == first
            text = rewritten(text, entry, Whole(step.text)) if is_first else compose.replace(text, entry, "")
            self.draft.put(entry.path, bump_updated(text, day(self.now)))
        new = self._entries(first.path)[number]
        if new.id != first.id:
            record(self.draft, "moved", first.id, first.path, self.now, to=new.id)
        if new.text != first.text:
            yield Effect(first.path, first.text, new.text)
        for entry in others:
            if entry.id not in {neighbour.id for neighbour in self._entries(entry.path)}:
                record(self.draft, "superseded", entry.id, entry.path, self.now, to=new.id)
            yield Effect(entry.path, entry.text, "")

    def _move(self, step: DreamStep) -> Iterator[Effect]:
        entry = self._standing(step.entries[0])
        to = archived(entry.path) if step.deed == "archive" else f"{self.scope.folder}/{step.note}"
        self.draft.require_kept({entry.path: to})
        move_entry(self.draft, Note(entry.path, self.draft.text(entry.path) or ""), entry, to, self.now)
        yield Effect(entry.path, entry.text, "")
        yield Effect(to, "", entry.text)

    def _standing(self, name: str) -> Entry:
        """The entry where it stands in the draft by now."""
        path = self.live[name].path
        return next(entry for entry in self._entries(path) if entry.id == name)

    def _entries(self, path: str) -> list[Entry]:
        return entries_of(path, self.draft.text(path) or "")
