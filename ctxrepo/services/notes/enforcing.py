"""Rules beside entries that agents are held to: written down for all machines, and approved on each."""

import re
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime

from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.project.layout import scope_of, shown
from ctxrepo.domain.project.target import Target, ids_meant
from ctxrepo.domain.records.enforced_rule import FORMS, PATTERN, EnforcedRule, rule_of
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.evidence import fate
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused, Unreadable, UsageError
from ctxrepo.hooks.known.enforced import Approval, approvals, approve, end_approval
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project, read_registry
from ctxrepo.services.notes.confirming import require_standing
from ctxrepo.services.notes.requests import EnforceRequest
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.targets import entry_named
from ctxrepo.services.saving.evidence import new_record, record_all
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Enforcement:
    """An entry and its rule, '' for none any more; whether that is approved on this machine as both stand;
    and the rule that is `held` here, '' for none: where it isn't approved as it stands, it is as it was
    approved. The place `at` of an entry that is gone is ''."""

    id: str = field(metadata=ENTRY_ID)
    at: str
    text: str
    rule: str
    is_approved: bool
    held: str = ""


def enforce(
    memory: Memory, request: EnforceRequest, project: Project | None, origin: Origin, now: datetime
) -> Enforcement:
    """Write the rule down, and approve it here if a person asks; without a rule approve the one that is
    there. UsageError for what is no rule, Refused where an agent approves, replaces or takes one away."""
    try:
        entry = entry_named(memory, request.target, project)
    except NotFound:
        approval = _approval_named(memory, request.target) if request.off and not origin.agent else None
        if approval is None:
            raise
        _end(memory, approval)
        return Enforcement(approval.entry, "", approval.text, "", is_approved=False)
    evidence = evidence_in_view(memory).about([entry.id])
    known = by_entry(evidence).get(entry.id)
    had = known.rule if known else ""
    text = "" if request.off else request.rule or had
    rule = _rule(text) if text else None
    if origin.agent and (had or not rule):
        raise Refused(f"{origin.agent} may propose a rule where there is none, and no more", _BY_A_PERSON)
    if not (rule or request.off):
        raise UsageError(f"^{entry.id} has no rule", f"Give one: {FORMS}.")
    if rule:
        require_standing(entry, evidence)
    line = rule.line if rule else ""
    if line != had:
        with drafting(memory, "enforce", origin, now) as draft:
            draft.saying = line or f"no more: {had}"
            record = new_record(draft, "enforced", entry.id, entry.path, now)
            record_all(draft, [replace(record, rule=line)], now)
    if not origin.agent:
        _hold(memory, entry, rule)
    return _enforcement(entry, line, _by_entry(memory).get(entry.id))


_BY_A_PERSON = "A person does that, in a terminal of their own."


def enforcements(memory: Memory) -> Sequence[Enforcement]:
    """All entries in view that have a rule, in the order of their places; then those of which a rule holds
    here that are gone. The cache must be up to date."""
    rules = {known.entry: known.rule for known in memory.cache.ask(entry_evidence).values() if known.rule}
    approved = _by_entry(memory)
    cached = filter(None, (memory.cache.ask(entry_by_id, name) for name in rules.keys() | approved.keys()))
    entries = {
        row.entry.id: row.entry
        for row in sorted(cached, key=lambda row: (row.entry.path, row.entry.first_line))
        if row.entry.id in approved or not (row.is_struck or row.is_expired)
    }
    orphans = [approval for name, approval in approved.items() if name not in entries]
    return [
        *(_enforcement(entry, rules.get(name, ""), approved.get(name)) for name, entry in entries.items()),
        *(
            Enforcement(approval.entry, "", approval.text, "", is_approved=False, held=approval.rule.line)
            for approval in orphans
        ),
    ]


def _enforcement(entry: Entry, line: str, approval: Approval | None) -> Enforcement:
    text = normalised(entry.text)
    held = approval.rule.line if approval else ""
    is_approved = approval is not None and (approval.rule.line, approval.text) == (line, text)
    return Enforcement(entry.id, entry.at, text, line, is_approved, held)


def _by_entry(memory: Memory) -> dict[str, Approval]:
    """The id that an entry has by now -> what is approved beside it here."""
    approved = approvals(str(memory.state.root))
    evidence = evidence_in_view(memory).about(approved) if approved else ()
    fates = {name: fate(evidence, name) for name in approved}
    return {new if kind == "moved" else name: approved[name] for name, (kind, new) in fates.items()}


def _approval_named(memory: Memory, target: Target) -> Approval | None:
    """The one approval beside an entry whose id begins so; the entry may be gone."""
    approved = {approval.entry: approval for approval in approvals(str(memory.state.root)).values()}
    ids = ids_meant(target.entry_id or target.word, approved)
    return approved[ids[0]] if len(ids) == 1 else None


def _hold(memory: Memory, entry: Entry, rule: EnforcedRule | None) -> None:
    """Hold agents to this rule beside an entry here, and to no other; to none at all for None."""
    before, text = _by_entry(memory).get(entry.id), normalised(entry.text)
    if before and (rule is None or before.entry != entry.id):
        _end(memory, before)
    if rule and not (before and (before.entry, before.rule.line, before.text) == (entry.id, rule.line, text)):
        approval = Approval(entry.id, _owner(memory, scope_of(entry.path)), rule, text)
        _require_written(memory, approve(str(memory.state.root), approval))


def _end(memory: Memory, approval: Approval) -> None:
    _require_written(memory, end_approval(str(memory.state.root), approval.entry))


def _owner(memory: Memory, folder: str) -> str:
    """Whose sessions an entry in this folder is for, as Approval has it."""
    if folder == memory.global_folder:
        return ""
    return next((name for name, its in read_registry(memory).projects.items() if its == folder), folder)


def _require_written(memory: Memory, is_written: bool) -> None:
    if not is_written:
        raise Unreadable(f"{memory.state.root} can't be written", "Look whether the disk is full.")


def _rule(text: str) -> EnforcedRule:
    rule = rule_of(text)
    if rule is None:
        raise UsageError(f"{shown(text, 80)} is no rule", f"A rule is: {FORMS}.")
    try:
        re.compile(rule.text if rule.trigger == PATTERN else "")
    except re.error as error:
        raise UsageError(
            f"{shown(rule.text, 80)} is no regular expression: {error}", f"A rule is: {FORMS}."
        ) from error
    return rule
