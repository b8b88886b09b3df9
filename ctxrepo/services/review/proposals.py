"""Proposals are tried, and accepted or declined, each in one write. The verdict takes the place of the line
that waited, in its file, so that machines which decide the same proposal meet there (ADR 89)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.dream.steps import read_steps
from ctxrepo.domain.formats.moment import day, stamp
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import Entry, added, entries_of, normalised
from ctxrepo.domain.note.note import Note, bump_updated, decode_exactly, encoded
from ctxrepo.domain.project.layout import REGISTRY, is_note, note_path
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.decision import Effect, ItemToDecide
from ctxrepo.domain.records.proposal import ACCEPT, DECLINE, InboxLine, Proposal, Verdict, decided
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import CtxrepoError, NotFound, Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.dream.carry_out import StepEffects, carry_out, sides
from ctxrepo.services.inbox.staging import require_person, scope_of_proposal, waiting
from ctxrepo.services.notes.changing import Whole, rewritten
from ctxrepo.services.notes.placing import forget_entry, forget_note
from ctxrepo.services.notes.remarks import RememberResult
from ctxrepo.services.notes.remember import line_of, remember_in
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.find import NamedScope, find_entry, path_by_now, undeleted
from ctxrepo.services.saving.describe import entry_pairs
from ctxrepo.services.saving.evidence import record, record_edits
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory

_SAID = 100
"""Characters of a proposal that a commit has."""


@dataclass(frozen=True)
class Acceptance:
    """What an accepted proposal became: `at` is its place now, `id` the id of the entry, '' for a whole note
    and for what is gone. `effects` are what that did to entries, nothing where the fact was known already.
    `remembered` is what `remember` has to say of a fact."""

    at: str
    id: str = ""
    effects: Sequence[Effect] = ()
    remembered: RememberResult | None = None
    steps: StepEffects = ()
    """Of a dream: what each step did."""


def accept(memory: Memory, name: str, origin: Origin, now: datetime, text: str = "") -> Acceptance:
    """Do what a proposal says, with another `text` where one is given. Refused, and it waits on, where that
    can't be done any more."""
    with drafting(memory, ACCEPT, origin, now) as draft:
        line = _find(draft, name)
        _require_person(memory, line, origin)
        proposal = line.proposal
        if proposal is None:
            raise Refused(
                f"proposal {name} can't be read", f"`ctxrepo inbox decline {name}` takes it off the list."
            )
        draft.saying = (normalised(text) or proposal.words)[:_SAID]
        acceptance = _Accepting(draft, proposal, scope_of_proposal(memory, proposal), now).run(text)
        _decide(draft, line, Verdict(name, stamp(now), "accepted", *_who(origin), entry=acceptance.id))
    return acceptance


def looked_at(memory: Memory, item: ItemToDecide, now: datetime) -> ItemToDecide:
    """The item as it would be decided now: of a proposal with what accepting it would replace and make, or
    why that can't be done. It takes too long for each of a list."""
    lines = (line for line in waiting(memory) if item.kind == "proposal" and line.name == item.name)
    proposal = next((line.proposal for line in lines), None)
    return _tried(memory, proposal, item, now).masked() if proposal else item


def _tried(memory: Memory, proposal: Proposal, item: ItemToDecide, now: datetime) -> ItemToDecide:
    """It is done in a draft that nobody acknowledges."""
    draft = Draft(memory, held=undeleted(memory))
    try:
        acceptance = _Accepting(draft, proposal, scope_of_proposal(memory, proposal), now).run("")
    except CtxrepoError as error:
        choices = tuple(choice for choice in item.choices if choice.verb != "accept")
        return replace(item, obstacle=f"{error.message}. {error.hint}".rstrip(), choices=choices)
    if not acceptance.effects:
        known = f"{item.why}; it is in memory already: ^{acceptance.id} at {acceptance.at}"
        return replace(item, why=known, before=item.after)
    if proposal.verb == "tidy":
        was, becomes = sides(acceptance.steps)
        return replace(item, before=was, after=becomes)
    pairs = [(effect.was, effect.now) for effect in acceptance.effects]
    if proposal.verb == "note":
        pairs = [(draft.before[acceptance.at] or "", draft.after[acceptance.at] or "")]
    was, becomes = ("\n".join(filter(None, side)) for side in zip(*pairs, strict=True))
    return replace(item, before=was or None, after=becomes or None)


def decline(memory: Memory, name: str, origin: Origin, now: datetime, reason: str = "") -> None:
    """Take a proposal off the list; the history keeps what it said, and the verdict who declined it."""
    with drafting(memory, DECLINE, origin, now) as draft:
        line = _find(draft, name)
        _require_person(memory, line, origin)
        draft.saying = line.words[:_SAID]
        _decide(draft, line, Verdict(name, stamp(now), "declined", *_who(origin), reason=reason.strip()))


def _require_person(memory: Memory, line: InboxLine, origin: Origin) -> None:
    if line.proposal:
        folder = scope_of_proposal(memory, line.proposal).folder
        require_person(memory, origin.agent, [folder], line.name)


def _who(origin: Origin) -> tuple[str, str, str]:
    return origin.host, origin.agent, origin.session


def _find(draft: Draft, name: str) -> InboxLine:
    inbox_line = next((line for line in waiting(draft.memory) if line.name == name), None)
    if inbox_line is None:
        raise NotFound(f"no proposal {name} waits", "`ctxrepo inbox` lists what does.")
    return inbox_line


def _decide(draft: Draft, line: InboxLine, verdict: Verdict) -> None:
    draft.put(line.file, decided(draft.text(line.file) or "", line, verdict))


@dataclass(frozen=True)
class _Accepting:
    draft: Draft
    proposal: Proposal
    scope: NamedScope
    now: datetime

    def run(self, text: str) -> Acceptance:
        match self.proposal.verb:
            case "remember":
                return self._remember(text)
            case "add":
                return self._add(text)
            case "edit":
                return self._edit(text or self.proposal.text)
            case "forget":
                self._require_none(text)
                return self._forget()
            case "note":
                self._require_none(text)
                return self._note()
            case "tidy":
                self._require_none(text)
                steps = carry_out(self.draft, self.scope, read_steps(self.proposal.text), self.now)
                effects = [effect for _, of_step in steps for effect in of_step]
                return Acceptance(self.scope.folder, effects=effects, steps=steps)

    def _require_none(self, text: str) -> None:
        if text:
            raise UsageError(
                "only the text of an entry can be edited here", "Accept it as it is, and edit the note then."
            )

    def _remember(self, text: str) -> Acceptance:
        """As the command does. An edited text is put in the place of the proposed one: machines that edit it
        in two ways have edited one entry, and one version of it stays."""
        proposal, superseded = self.proposal, self._superseded()
        fact = Fact(
            proposal.text,
            note=Target(path=note_path(proposal.note)) if proposal.note else None,
            category=proposal.category,
            tags=proposal.tags,
            key=proposal.key,
            supersedes=Target(entry_id=superseded.id) if superseded else None,
            with_id=proposal.with_id,
            pin=proposal.pin,
            holds=proposal.holds,
        )
        result = remember_in(self.draft, fact, self.scope, self.now, proposal.id)
        path = result.at.partition("#")[0]
        if text.strip() and text.strip() != proposal.text.strip():
            entry = self._reworded(path, result.id, line_of(replace(fact, text=text), proposal.id))
            result = replace(result, id=entry.id, at=entry.at, existing=False)
        texts = {e.id: e.text for p, text in self.draft.before.items() for e in entries_of(p, text or "")}
        texts |= {superseded.id: superseded.text} if superseded else {}
        was = "\n".join(texts[name] for name in result.replaced)
        entry = next(e for e in entries_of(path, self.draft.text(path) or "") if e.id == result.id)
        effects = () if result.existing and not was else (Effect(path, was, entry.text),)
        return Acceptance(result.at, result.id, effects, result)

    def _superseded(self) -> Entry | None:
        """The entry that is to be superseded, as it is now; Refused where it doesn't say what it did."""
        proposal = self.proposal
        if not proposal.supersedes:
            return None
        _, entry = self._target(proposal.supersedes)
        self._require_unchanged(entry.id, entry.text, proposal.was or entry.text)
        return entry

    def _reworded(self, path: str, entry_id: str, line: str) -> Entry:
        text = self.draft.text(path) or ""
        old = next(entry for entry in entries_of(path, text) if entry.id == entry_id)
        new_text = compose.replace(text, old, line)
        self.draft.put(path, new_text)
        new = next(entry for entry in entries_of(path, new_text) if entry.first_line == old.first_line)
        if new.id != old.id:
            record(self.draft, "moved", old.id, path, self.now, new.id)
        return new

    def _add(self, text: str) -> Acceptance:
        path = path_by_now(self.draft.memory, self._path)
        before = self.draft.text(path)
        before = compose.new_note(path, day(self.now)) if before is None else before
        known = entries_of(path, before)
        same = [entry for entry in known if normalised(entry.text) == normalised(self.proposal.text)]
        if not same:
            new_text = compose.append(before, self.proposal.text, self.proposal.heading)
            self.draft.put(path, bump_updated(new_text, day(self.now)))
            self.draft.register(self.scope.project)
        entry = same[0] if same else added(known, entries_of(path, self.draft.text(path) or ""))
        record(self.draft, "stated", entry.id, path, self.now)
        if text.strip() and text.strip() != entry.text:
            entry = self._reworded(path, entry.id, compose.in_place_of(entry, text.strip()))
            same = []
        return Acceptance(entry.at, entry.id, () if same else (Effect(path, "", entry.text),))

    def _edit(self, text: str) -> Acceptance:
        path, before, entry = self._standing()
        self.draft.put(path, bump_updated(rewritten(before, entry, Whole(text)), day(self.now)))
        record_edits(self.draft, path, before, self.now)
        after = entries_of(path, self.draft.text(path) or "")
        new = next(candidate for candidate in after if candidate.first_line == entry.first_line)
        return Acceptance(new.at, new.id, (Effect(path, entry.text, new.text),))

    def _forget(self) -> Acceptance:
        path, _, entry = self._standing()
        forget_entry(self.draft, entry, self.now)
        return Acceptance(entry.at, effects=(Effect(path, entry.text, ""),))

    def _standing(self) -> tuple[str, str, Entry]:
        """The note that has the entry, its text, and the entry; Refused where it isn't what it was."""
        note, entry = self._target(self.proposal.entry)
        self._require_unchanged(entry.id, entry.text, self.proposal.was)
        text = self.draft.text(note.path) or ""
        entries = entries_of(note.path, text)
        return note.path, text, next(candidate for candidate in entries if candidate.id == entry.id)

    def _target(self, name: str) -> tuple[Note, Entry]:
        """The entry that the proposal is about, wherever a command has moved it; Refused where it is gone."""
        try:
            return find_entry(self.draft.memory, name, self.scope.project, follows=True)
        except NotFound as error:
            raise Refused(
                f"the entry that {self.proposal.id} would change is gone", f"{error.hint} {self._off}"
            ) from error

    def _require_unchanged(self, name: str, text: str, was: str) -> None:
        if normalised(text) != normalised(was):
            hint = f"`ctxrepo read ^{name}` shows it. {self._off}"
            raise Refused(f"^{name} was changed since {self.proposal.id} was proposed", hint)

    @property
    def _off(self) -> str:
        return f"`ctxrepo inbox decline {self.proposal.id}` takes it off the list."

    def _note(self) -> Acceptance:
        """The change of a whole note, merged with what the note says by now; Refused where nothing of it is
        left to do, or it would remove what was written since."""
        path, draft = path_by_now(self.draft.memory, self._path), self.draft
        was, new, here = self.proposal.was or None, self.proposal.text or None, draft.text(path)
        if here is None and was is not None:
            raise Refused(f"{path}, which {self.proposal.id} would change, is gone", self._off)
        if new is None and here is not None:
            if entry_pairs(entries_of(path, was or ""), entries_of(path, here)):
                hint = f"`ctxrepo read {path}` shows it. {self._off}"
                raise Refused(f"{path} was changed since {self.proposal.id} was proposed", hint)
            forget_note(draft, Note(path, here), self.now)
            return Acceptance(path, effects=effects_on(path, here, ""))
        merged = merge_file(path, encoded(was), encoded(new), encoded(here))
        after = decode_exactly(merged.data or b"")
        if after == here:
            raise Refused(f"{path} has nothing left that {self.proposal.id} would change", self._off)
        draft.put(path, after)
        for copy, data in map(copy_as_file, merged.conflict_copies):
            draft.put(copy, decode_exactly(data))
        draft.register(self.scope.project)
        if is_note(path):
            record_edits(draft, path, here or "", self.now)
        return Acceptance(path, effects=effects_on(path, here or "", after))

    @property
    def _path(self) -> str:
        if self.scope.folder == REGISTRY:
            return REGISTRY
        path = f"{self.scope.folder}/{note_path(self.proposal.note)}"
        if not is_note(path):
            raise Refused(f"{self.proposal.id} names no note", "Decline it.")
        return path


def effects_on(path: str, before: str, after: str) -> tuple[Effect, ...]:
    """What a change of a note does to its entries."""
    pairs = entry_pairs(entries_of(path, before), entries_of(path, after)) if is_note(path) else []
    effects = [Effect(path, was.text if was else "", now.text if now else "") for was, now in pairs]
    return tuple(effects) or (Effect(path, "", ""),)
