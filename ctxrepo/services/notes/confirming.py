"""Somebody says again that an entry holds, or has looked whether it does, or that another one says otherwise:
nothing is written to its note."""

from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime

from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.evidence import Evidence, Kind, fate, marks
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.code_at_hand import CodeAtHand
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.targets import entry_named
from ctxrepo.services.saving.evidence import new_record, record, record_all
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.computed import all_doubts, drop_doubts
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.memory import Memory

_VERBS: dict[Kind, str] = {"reinforced": "reinforce", "verified": "verify"}


@dataclass(frozen=True)
class ConfirmRequest:
    """Entries that are `reinforced` or `verified`; `code` is the checkout that whoever says so works in."""

    kind: Kind
    targets: Sequence[Target]
    code: CodeAtHand | None = None


@dataclass(frozen=True)
class Confirmed:
    """An entry that was confirmed: its `text`, how often it was `reinforced` by now, and the commit of the
    code at which it was verified, '' where none is known."""

    id: str = field(metadata=ENTRY_ID)
    at: str
    text: str
    reinforced: int
    code: str = ""


def confirm(
    memory: Memory, request: ConfirmRequest, project: Project | None, origin: Origin, now: datetime
) -> list[Confirmed]:
    """Record of each of the entries that it holds. Refused, and nothing recorded, where one is superseded."""
    kind, code = request.kind, request.code
    with drafting(memory, _VERBS[kind], origin, now) as draft:
        entries = {e.id: e for e in (entry_named(memory, target, project) for target in request.targets)}
        evidence = evidence_in_view(memory).about(entries)
        for entry in entries.values():
            require_standing(entry, evidence)
        draft.saying = "; ".join(normalised(entry.text) for entry in entries.values())[:100]
        checkout = code if kind == "verified" else None
        commits = {
            e.id: checkout.commit if checkout and checkout.is_of(e.path) else "" for e in entries.values()
        }
        records = [
            replace(new_record(draft, kind, e.id, e.path, now), code=commits[e.id]) for e in entries.values()
        ]
        record_all(draft, records, now)
    if kind == "verified":
        memory.cache.change(drop_doubts, entries)  # until the worker has looked again
    known = by_entry([*evidence, *records])
    return [
        Confirmed(e.id, e.at, normalised(e.text), known[e.id].reinforced, commits[e.id])
        for e in entries.values()
    ]


def require_standing(entry: Entry, evidence: Sequence[Evidence]) -> None:
    """Refuse what is superseded."""
    if entry.id in marks(evidence).struck:
        _, heir = fate(evidence, entry.id)
        hint = (
            f"`ctxrepo read ^{heir}` shows what holds now; `ctxrepo restore ^{entry.id}` has it hold again."
        )
        raise Refused(f"^{entry.id} is superseded", hint)


def supersede(memory: Memory, name: str, origin: Origin, now: datetime) -> None:
    """Supersede the older entry of the doubt of this name by the newer one; NotFound where it is in no such
    doubt any more."""
    doubts = (doubt for doubt in memory.cache.ask(all_doubts) if doubt.name == name and doubt.by_entry)
    doubt = next(doubts, None)
    known = memory.cache.ask(entry_by_id, doubt.entry) if doubt else None
    if doubt is None or known is None:
        raise NotFound(f"no entry is in the doubt {name} any more", "`ctxrepo stale` lists those that are.")
    with drafting(memory, "supersede", origin, now) as draft:
        draft.saying = normalised(known.entry.text)[:100]
        record(draft, "superseded", doubt.entry, doubt.path, now, to=doubt.by_entry)
