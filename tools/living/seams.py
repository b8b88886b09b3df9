"""Where the measures meet what a later part adds: functions of one value, and what they answer today.

`--seams MODULE:NAME` measures with another `Seams`, so that a detector is tuned without a change here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Literal

from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.score.order import ctx_standings
from ctxrepo.domain.score.standing import KNOWN_DAYS, EntryFacts, activity_in, activity_of, by_name
from ctxrepo.errors import UsageError
from ctxrepo.services.freshness.code_claims import claim_states
from ctxrepo.services.freshness.code_names import CodeFacts
from ctxrepo.services.freshness.code_source import CodeEntry, scan_code
from ctxrepo.services.freshness.find_doubts import scan
from ctxrepo.services.recall.recall import RecalledEntry
from ctxrepo.storage.cache.computed import all_doubts
from ctxrepo.storage.code.tree import CodeTree
from ctxrepo.storage.memory import Memory
from living import obliging
from living.material.histories import DAY

StaleKind = Literal["gone", "renamed", "symbol", "command", "changed"]
Verdict = Literal["held", "changed", "unknown"]


@dataclass(frozen=True)
class StatedEntry:
    """An entry as it was stated when the code was at `commit`; `cites` are `PATH@COMMIT#L3`."""

    id: str
    text: str
    commit: str
    at: int
    cites: tuple[str, ...] = ()


@dataclass(frozen=True)
class StatedClaim:
    """A claim, as it is typed for --holds, that was true at `commit`."""

    id: str
    claim: str
    commit: str


@dataclass(frozen=True)
class ReportEntry:
    """An entry that a report may give: when it was stated, and the moments at which the files that it names
    were changed, up to the report's, oldest first."""

    text: str
    stated: int
    touches: tuple[int, ...]


def _scan(memory: Memory, code: Path | None, now: datetime) -> None:
    """What the worker does after a turn: it looks for doubts in a memory whose saves are committed."""
    scan(memory, now)


def _doubts(memory: Memory) -> Mapping[str, str]:
    """Entry id, without ^ -> the words of its doubt; that an entry is idle says nothing against it."""
    return {doubt.entry: doubt.words for doubt in memory.cache.ask(all_doubts) if doubt.remark}


def _mark(hit: RecalledEntry) -> str:
    """The doubt with which an entry is delivered beside a prompt; '' for none."""
    return hit.doubt


def _stale(entries: Sequence[StatedEntry], checkout: Path, now: datetime) -> Mapping[str, StaleKind]:
    """Entry id -> why it is doubted, with the project's code as HEAD of `checkout` has it."""
    tree = CodeTree.open(checkout, os.environ)
    stated = [CodeEntry(entry.id, "", entry.text, entry.commit, entry.at, entry.cites) for entry in entries]
    doubts = scan_code(tree, stated, CodeFacts()).doubts if tree else ()
    kinds = {doubt.entry: _KINDS[doubt.kind] for doubt in doubts if doubt.kind == "changed"}
    return kinds | {doubt.entry: _KINDS[doubt.kind] for doubt in doubts if doubt.kind != "changed"}


_KINDS: Mapping[str, StaleKind] = {"gone": "gone", "renamed": "renamed", "changed": "changed"}


def _verdicts(claims: Sequence[StatedClaim], checkout: Path) -> Mapping[str, Verdict]:
    """Claim id -> whether it holds in HEAD of `checkout`; one that isn't answered is unknown."""
    tree = CodeTree.open(checkout, os.environ)
    evidence = [EntryEvidence(claim.id, code=claim.commit, holds=(claim.claim,)) for claim in claims]
    states = claim_states(evidence, tree) if tree else {}
    return {name: state.outcome for name, (state,) in states.items()}


Changes = Mapping[str, Sequence[int]]
"""path -> when commits changed the file, in Unix seconds."""


def _by_scores(entries: Sequence[ReportEntry], changed: Changes, now: int) -> Sequence[int]:
    """The numbers of the entries in the order in which a report gives them, by what was `changed` up to
    `now`."""
    today = now // DAY
    days = {
        path: [at // DAY for at in moments if at // DAY >= today - KNOWN_DAYS]
        for path, moments in changed.items()
    }
    named = by_name({path: activity_of(some, today) for path, some in days.items() if some})
    facts = (
        EntryFacts(f"{number:06}", day=entry.stated // DAY, activity=activity_in(entry.text, named))
        for number, entry in enumerate(entries)
    )
    return [int(standing.entry) for standing in ctx_standings(facts, today)]


def _no_tidying(memory: Memory, now: datetime) -> None:
    """Nothing is tidied up."""


@dataclass(frozen=True)
class Seams:
    """What the measures call, each with today's answer."""

    scan: Callable[[Memory, Path | None, datetime], None] = _scan
    doubts: Callable[[Memory], Mapping[str, str]] = _doubts
    mark: Callable[[RecalledEntry], str] = _mark
    stale: Callable[[Sequence[StatedEntry], Path, datetime], Mapping[str, StaleKind]] = _stale
    claims: Callable[[Sequence[StatedClaim], Path], Mapping[str, Verdict]] = _verdicts
    order: Callable[[Sequence[ReportEntry], Changes, int], Sequence[int]] = _by_scores
    tidy: Callable[[Memory, datetime], None] = obliging.tidy


TODAY = Seams()

PLAIN = Seams(
    scan=lambda memory, code, now: None,
    doubts=lambda memory: {},
    mark=lambda hit: "",
    stale=lambda entries, checkout, now: {},
    claims=lambda claims, checkout: {},
    tidy=_no_tidying,
)
"""A plain list, in which nothing is doubted."""


def seams_named(name: str) -> Seams:
    """The Seams at `MODULE:NAME`, today's for ''; UsageError where there are none."""
    if not name:
        return TODAY
    module, _, attribute = name.partition(":")
    try:
        seams = getattr(import_module(module), attribute or "SEAMS")
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"--seams {name} can't be loaded: {error}", "Write MODULE:NAME of a living.seams.Seams."
        ) from error
    if not isinstance(seams, Seams):
        raise UsageError(f"--seams {name} is no living.seams.Seams", "Write MODULE:NAME of one.")
    return seams
