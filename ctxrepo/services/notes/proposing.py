"""One fact becomes a proposal, which waits in the inbox for a person's yes."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from ctxrepo.domain.formats.jsonl import with_room
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.project.layout import INBOX
from ctxrepo.domain.records.proposal import STAGE, Proposal, to_line
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.remember import PreparedFact, RememberResult, prepare
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory


def propose(
    memory: Memory, fact: Fact, project: Project | None, origin: Origin, now: datetime
) -> RememberResult:
    """Put `fact` into the inbox, as a proposal that waits for a person's yes."""
    # A bad fact is refused now, not when it is accepted.
    return propose_all(memory, [prepare(memory, fact, project)], origin, now)[0]


def propose_all(
    memory: Memory, ready: Sequence[PreparedFact], origin: Origin, now: datetime
) -> list[RememberResult]:
    """`propose` for several facts in one write."""
    results = []
    with drafting(memory, STAGE, origin, now) as draft:
        draft.saying = normalised(ready[0].fact.text)[:100]
        for one in ready:
            proposal = _proposal(one, origin, now)
            path = with_room(f"{INBOX}/{memory.host}", draft.there)
            draft.append_line(path, to_line(proposal))
            results.append(RememberResult(proposal.id, path, staged=True))
    return results


def _proposal(ready: PreparedFact, origin: Origin, now: datetime) -> Proposal:
    fact, scope = ready.fact, ready.scope
    return Proposal(
        id=random_name(6),
        ts=stamp(now),
        verb="remember",
        text=fact.text,
        was=ready.superseded.text if ready.superseded else "",
        scope=scope.folder,
        note=fact.note.path if fact.note else "",
        owner=scope.project.id if scope.project else "",
        category=fact.category,
        tags=fact.tags,
        holds=fact.holds,
        key=fact.key,
        supersedes=ready.superseded.id if ready.superseded else "",
        with_id=fact.with_id,
        pin=fact.pin,
        **asdict(origin),
    )
