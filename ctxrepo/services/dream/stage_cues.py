"""What a person asked for from now on is proposed to them as a rule, once, and they decide (ADR 106)."""

from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from ctxrepo.domain.dream.cues import cues_in
from ctxrepo.domain.formats.jsonl import TOMBSTONE, text_of
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.note.entry import gist
from ctxrepo.domain.records.proposal import OF_CUE, STAGE, Proposal
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.text import blake2b
from ctxrepo.services.inbox.staging import inbox_records
from ctxrepo.services.locate.look import find_location
from ctxrepo.services.reading.find import NamedScope, scope_named, search_order
from ctxrepo.services.saving.write import drafting
from ctxrepo.services.sessions.conversations import last_messages
from ctxrepo.storage.cache.entries import entries_of_scopes
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import SpoolEvent

CATEGORY = "preference"

MOST_WAITING = 10
"""While so many wait for a decision, no more are proposed."""

_READ = 256 * 1024
"""Bytes of the end of a transcript in which the last prompt is looked for."""


def stage_cues(memory: Memory, event: SpoolEvent, now: datetime) -> None:
    """Propose what the person asked for in the turn that has ended, unless that was proposed before, however
    it was decided, or memory says it. No lock is held, for the session's folder may hang."""
    if not memory.settings.inbox.cues or event.event not in ("stop", "end") or not event.transcript:
        return
    messages = last_messages(memory, event.agent, event.session, event.transcript, _READ)
    prompts = (message.text for message in reversed(messages) if message.who == "user" and message.text)
    prompt = next(prompts, "")
    cues = [cue for cue in cues_in(prompt) if mask(cue) == cue]
    if not cues:
        return
    here = find_location(memory, Path(event.cwd)) if event.cwd else None
    if here and (here.is_withheld or here.unknown):
        return
    project = here.project if here else None
    scope, origin = scope_named(memory, "", project), Origin(memory.host, event.session, event.agent)
    proposals = [_proposal(cue, scope, origin, now) for cue in cues]
    records = inbox_records(memory, OF_CUE)
    ids = {text_of(fields, "id") for fields in records}
    decided = {text_of(fields, "id") for fields in records if TOMBSTONE in fields}
    entries = (row.entry for row in memory.cache.ask(entries_of_scopes, search_order(memory, project)))
    gists = {gist(entry.plain.removeprefix(f"[{entry.category}]")) for entry in entries}
    new = [proposal for proposal in proposals if proposal.id not in ids and gist(proposal.text) not in gists]
    if new and len(ids - decided) < MOST_WAITING:
        with drafting(memory, STAGE, origin, now) as draft:
            draft.saying = new[0].words
            for proposal in new:
                draft.stage(proposal)


def _proposal(cue: str, scope: NamedScope, origin: Origin, now: datetime) -> Proposal:
    """The same words are the same proposal on all machines, and in all sessions."""
    name = blake2b(f"{scope.folder}\0{gist(cue)}".encode(), digest_size=6).hexdigest()
    owner, fields = scope.project.id if scope.project else "", {"category": CATEGORY, **asdict(origin)}
    return Proposal(f"{OF_CUE}{name}", stamp(now), "remember", cue, scope.folder, owner=owner, **fields)
