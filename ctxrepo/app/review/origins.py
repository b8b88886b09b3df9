"""The operation that says why something is in the memory: the commit, the session and the prompt it comes
from, what was recorded about it, what sessions made of it, and how it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctxrepo.app.notes.claims import claim_lines
from ctxrepo.app.result import Result, reads
from ctxrepo.domain.formats.moment import second, second_at, seconds_of
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.project.layout import is_archived
from ctxrepo.domain.project.target import NoteOrEntry
from ctxrepo.domain.records.entry_use import COUNTS, Usage
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.entries import entries_of_note, entry_by_id

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.records.decision import ItemToDecide
    from ctxrepo.domain.records.entry_evidence import EntryEvidence
    from ctxrepo.domain.records.evidence import Evidence
    from ctxrepo.domain.records.proposal import Proposal
    from ctxrepo.domain.records.save import Save
    from ctxrepo.services.history.commits import CommitSummary
    from ctxrepo.services.history.origins import Origins
    from ctxrepo.services.sessions.prompt_moments import PromptMoment
    from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class WhyRequest:
    """A note or an entry, also one that is gone."""

    target: NoteOrEntry
    """[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry; deleted ones too."""


@dataclass(frozen=True)
class Why:
    """All that is known of where something comes from. `moments` has the sessions of the commits that are
    told, by their ids, `proposals` what somebody accepted with them; `waiting` is who wrote what no commit
    holds yet. `evidence` is what the `records` amount to for an entry, `state` are its states in words,
    `items` what waits for a decision about it."""

    origins: Origins
    moments: Mapping[str, PromptMoment]
    proposals: Mapping[str, Proposal]
    waiting: Sequence[Save]
    records: Sequence[Evidence]
    evidence: EntryEvidence | None
    usage: Usage | None
    state: Sequence[str]
    items: Sequence[ItemToDecide]

    @property
    def has_quotes(self) -> bool:
        """Whether words are in it that were said in past sessions."""
        return any(moment.prompt or moment.anchor for moment in self.moments.values())


@reads
def why(desk: Desk, request: WhyRequest) -> Result[Why]:
    """Say where a note or an entry comes from. Secrets are masked."""
    from ctxrepo.domain.records.entry_evidence import by_entry
    from ctxrepo.domain.secrets import mask
    from ctxrepo.services.history.commits import deed_by_record, records_of
    from ctxrepo.services.history.origins import accepted_proposal, find_origins
    from ctxrepo.services.reading.marks import records_about
    from ctxrepo.services.usage.entry_usage import usage_of

    memory = desk.memory
    origins = find_origins(memory, request.target, desk.project)
    records = records_about(memory, origins.ids, origins.paths)
    ids = origins.ids.union(*({r.entry, r.to} for r in records if r.kind == "moved"))
    deeds = [
        deed_by_record(deed, records_of(memory, deed), ids, is_origin=deed is origins.deeds[-1])
        if origins.id
        else deed
        for deed in origins.deeds
    ]
    deeds = [replace(deed, lines=tuple(map(mask, deed.lines))) for deed in deeds]
    origins = replace(origins, text=mask(origins.text), deeds=deeds)
    moments: dict[str, PromptMoment] = {}
    proposals: dict[str, Proposal] = {}
    for deed in [*deeds[:1], *deeds[-1:]]:
        if proposal := accepted_proposal(memory, deed, origins):
            proposals[deed.commit] = proposal
        if deed.commit not in moments and (moment := _moment(memory, deed, records, proposal)):
            moments[deed.commit] = moment
    items = [item for item in _items(memory) if _is_about(item, origins)]
    waiting = [save for save in memory.journal.read() if save.path == origins.path]
    state = [*_state(memory, origins, records), *_on_its_way(memory, origins, waiting)]
    if origins.id and not origins.is_gone:
        state += claim_lines(desk, [(origins.id, origins.path)])
    usage = usage_of(memory, origins.ids, () if origins.id else origins.paths)
    evidence = by_entry(records).get(origins.id)
    answer = Why(origins, moments, proposals, waiting, records, evidence, usage, state, items)
    return Result(answer, _data(answer))


def _items(memory: Memory) -> Sequence[ItemToDecide]:
    from ctxrepo.services.review.items import items_to_decide

    return items_to_decide(memory)


def _moment(
    memory: Memory, deed: CommitSummary, records: Sequence[Evidence], proposal: Proposal | None
) -> PromptMoment | None:
    """The session in which a commit's change was written, or proposed; None where none is known."""
    from ctxrepo.services.sessions.prompt_moments import PromptMoment, prompt_moment

    if proposal and proposal.session:
        at = seconds_of(proposal.ts) or deed.when.timestamp()
        return prompt_moment(memory, proposal.agent, proposal.session, proposal.host, at)
    writers, at = deed.writers, deed.when.timestamp()
    if not writers.sessions:
        return None
    agent = writers.agents[0] if len(writers.agents) == 1 else ""
    if len(writers.sessions) > 1:
        many = f"the commit holds what {len(writers.sessions)} sessions wrote, and nothing says which of them"
        return PromptMoment(agent, "", unknown=many)
    (session,) = writers.sessions
    times = (seconds_of(record.ts) for record in records if record.session == session)
    last = max((when for when in times if when and when <= at + 1), default=at)
    return prompt_moment(memory, agent, session, writers.hosts[0] if writers.hosts else "", last)


def _is_about(item: ItemToDecide, origins: Origins) -> bool:
    """Whether an item waits about the note; of versions that met, and of proposals, about the entry if one is
    asked for."""
    from ctxrepo.domain.secrets import mask

    words = normalised(origins.text)
    if item.kind == "declined":
        return any(f"{mask(path)}: {words}" in (item.after or "").split("\n") for path in origins.paths)
    if item.kind == "doubt" and origins.id:
        return any(item.name.startswith(f"{name}-") for name in origins.ids)
    if item.kind == "proposal" and origins.id:
        return any(f"^{name}" in item.why for name in origins.ids)
    if item.path not in map(mask, origins.paths):
        return False
    if item.kind == "conflict" and origins.id and item.before:
        return words in (
            " ".join(text.split()) for text in (normalised(item.before), normalised(item.after or ""))
        )
    return True


_EXPIRED = "its last day is over: no session is given it until its date is edited, or it is said again"


def _state(memory: Memory, origins: Origins, records: Sequence[Evidence]) -> Iterator[str]:
    from ctxrepo.domain.records.evidence import latest_successors

    if origins.is_gone:
        yield _fate(origins, records)
        return
    if is_archived(origins.path):
        yield "archived: no session is given it"
    if origins.id:
        cached = memory.cache.ask(entry_by_id, origins.id)
        if cached and cached.is_pinned:
            yield "pinned"
        if cached and cached.is_struck:
            to = latest_successors(records).get(origins.id)
            yield f"superseded{f' by ^{to}' if to else ''}: no session is given it"
        if cached and cached.is_expired:
            yield _EXPIRED
        return
    entries = memory.cache.ask(entries_of_note, origins.path)
    if pinned := sum(entry.is_pinned for entry in entries):
        yield f"{pinned} of its {len(entries)} entries pinned"
    if struck := sum(entry.is_struck for entry in entries):
        yield f"{struck} of its {len(entries)} entries superseded"


def _fate(origins: Origins, records: Sequence[Evidence]) -> str:
    """What became of something that isn't there any more."""
    from ctxrepo.domain.records.evidence import fate

    if not origins.id:
        return "gone: removed"
    kind, to = fate(records, origins.id)
    replaced = {
        "superseded": f"superseded by ^{to}",
        "moved": f"it is ^{to} by now",
        "forgotten": "forgotten",
    }
    if kind in replaced:
        return f"gone: {replaced[kind]}"
    is_undone = bool(origins.deeds) and ": undo " in origins.deeds[0].subject
    return f"gone: {'undone' if is_undone else 'removed without a command of ours'}"


def _on_its_way(memory: Memory, origins: Origins, waiting: Sequence[Save]) -> Iterator[str]:
    """Where its last change is not yet."""
    from ctxrepo.services.review.open_review import in_review

    if waiting or not origins.deeds:
        yield "not committed"
        return
    last = origins.deeds[0].commit
    upstream = memory.objects.ref(memory.clone.upstream_ref)
    if last in in_review(memory):
        yield "in review"
    elif memory.has_remote and not (upstream and memory.objects.contains(upstream, last)):
        yield "not sent to the remote yet"


def _data(why: Why) -> dict[str, Any]:
    from ctxrepo.app.sessions.past_search import anchor_fields

    origins = why.origins
    changes = []
    for deed in origins.deeds:
        moment = why.moments.get(deed.commit)
        session = None
        if moment:
            session = {
                "agent": moment.agent,
                "id": moment.session,
                "prompt": moment.prompt or None,
                "asked": moment.asked or None,
                "unknown": moment.unknown or None,
                "anchor": anchor_fields(moment.anchor, moment.anchor.project) if moment.anchor else None,
                "resume": moment.resume or None,
            }
        proposal = why.proposals.get(deed.commit)
        names = ("id", "ts", "agent", "session", "host")
        proposed = {name: getattr(proposal, name) for name in names} if proposal else None
        changes.append({**plain_data(deed), "session": session, "proposed": proposed})
    usage = None
    if why.usage:
        counts = {name: getattr(why.usage, name) for name in COUNTS}
        usage = {**counts, "first": second_at(why.usage.first), "last": second_at(why.usage.last)}
    return {
        "path": origins.path,
        "at": origins.at,
        "id": f"^{origins.id}" if origins.id else "",
        "text": origins.text,
        "gone": origins.is_gone,
        "changes": changes,
        "count": origins.count,
        "older_missing": origins.is_cut,
        "waiting": [
            {
                "agent": save.by.agent,
                "session": save.by.session,
                "host": save.by.host,
                "op": save.op,
                "at": save.at,
            }
            for save in why.waiting
        ],
        "records": [
            {name: value for name, value in plain_data(record).items() if value} for record in why.records
        ],
        "evidence": plain_data(why.evidence) if why.evidence else None,
        "usage_here": usage,
        "state": list(why.state),
        "items": [
            {"id": i.id, "kind": i.kind, "why": i.why, "since": second(i.since) if i.since else None}
            for i in why.items
        ],
    }
