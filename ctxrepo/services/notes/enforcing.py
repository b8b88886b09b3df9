"""Rules beside entries that agents are held to: written down for all machines, and approved on each."""

import re
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime

from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.enforced_rule import FORMS, PATTERN, rule_of
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused, Unreadable, UsageError
from ctxrepo.hooks.known.enforced import approval, approvals, set_approval
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.confirming import require_standing
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.targets import entry_named
from ctxrepo.services.saving.evidence import new_record, record_all
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class EnforceRequest:
    """A rule for an entry; without one, the rule that the entry has is approved on this machine."""

    target: Target
    rule: str = ""
    """When it bears and what is done, e.g. 'block command kubectl apply'."""
    off: bool = False
    """Hold nobody to it any more."""


@dataclass(frozen=True)
class Enforcement:
    """An entry, its rule, '' for none any more, and whether that holds on this machine."""

    id: str = field(metadata=ENTRY_ID)
    at: str
    text: str
    rule: str
    is_approved: bool


def enforce(
    memory: Memory, request: EnforceRequest, project: Project | None, origin: Origin, now: datetime
) -> Enforcement:
    """Write the rule down, and approve it here if a person asks; without a rule approve the one that is
    there. UsageError for what is no rule, Refused where an agent approves, replaces or takes one away."""
    entry = entry_named(memory, request.target, project)
    evidence = evidence_in_view(memory).about([entry.id])
    known = by_entry(evidence).get(entry.id)
    had = known.rule if known else ""
    wanted = "" if request.off else request.rule or had
    line = _line(wanted) if wanted else ""
    if origin.agent and (had or not line):
        raise Refused(f"{origin.agent} may propose a rule where there is none, and no more", _BY_A_PERSON)
    if not (line or request.off):
        raise UsageError(f"^{entry.id} has no rule", f"Give one: {FORMS}.")
    require_standing(entry, evidence)
    if line != had:
        with drafting(memory, "enforce", origin, now) as draft:
            draft.saying = line or f"no more: {had}"
            record = new_record(draft, "enforced", entry.id, entry.path, now)
            record_all(draft, [replace(record, rule=line)], now)
    if not origin.agent:
        _approve(memory, entry, line or had, is_on=bool(line))
    return _enforcement(memory, entry, line)


_BY_A_PERSON = "A person does that, in a terminal of their own."


def enforcements(memory: Memory) -> Sequence[Enforcement]:
    """All entries in view that have a rule, in the order of their places. The cache must be up to date."""
    rules = {one.entry: one.rule for one in memory.cache.ask(entry_evidence).values() if one.rule}
    entries = (memory.cache.ask(entry_by_id, name) for name in rules)
    standing = (one.entry for one in entries if one and not (one.is_struck or one.is_expired))
    in_order = sorted(standing, key=lambda one: (one.path, one.first_line))
    return [_enforcement(memory, one, rules[one.id]) for one in in_order]


def _enforcement(memory: Memory, entry: Entry, line: str) -> Enforcement:
    is_approved = approval(entry.id, entry.text, line) in approvals(str(memory.state.root))
    return Enforcement(entry.id, entry.at, normalised(entry.text), line, bool(line) and is_approved)


def _approve(memory: Memory, entry: Entry, line: str, *, is_on: bool) -> None:
    state, approved = str(memory.state.root), approval(entry.id, entry.text, line)
    if (approved in approvals(state)) != is_on and not set_approval(state, approved, is_on):
        raise Unreadable(f"{state} can't be written", "Look whether the disk is full.")


def _line(text: str) -> str:
    rule = rule_of(text)
    if rule is None:
        raise UsageError(f"{shown(text, 80)} is no rule", f"A rule is: {FORMS}.")
    try:
        re.compile(rule.text if rule.trigger == PATTERN else "")
    except re.error as error:
        raise UsageError(
            f"{shown(rule.text, 80)} is no regular expression: {error}", f"A rule is: {FORMS}."
        ) from error
    return rule.line
