"""One fact becomes a proposal, which waits in the inbox for a person's yes."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.records.proposal import STAGE, Proposal
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.inbox.staging import waiting
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.remarks import RememberResult
from ctxrepo.services.notes.remember import EntryPlan, plan_entry
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory


def propose(
    memory: Memory, fact: Fact, project: Project | None, origin: Origin, now: datetime
) -> RememberResult:
    """Put `fact` into the inbox, as a proposal that waits for a person's yes."""
    # A bad fact is refused now, not when it is accepted.
    return propose_all(memory, [plan_entry(memory, fact, project)], origin, now)[0]


def propose_all(
    memory: Memory, plans: Sequence[EntryPlan], origin: Origin, now: datetime
) -> list[RememberResult]:
    """`propose` for several facts in one write. Of what waits already the first proposal is told."""
    results = []
    with drafting(memory, STAGE, origin, now) as draft:
        draft.saying = normalised(plans[0].fact.text)[:100]
        lines = [(line.proposal, line.file) for line in waiting(memory)]
        known = {_wish(proposal): (proposal.id, file) for proposal, file in reversed(lines) if proposal}
        for plan in plans:
            proposal = _proposal(plan, origin, now)
            wish = _wish(proposal)
            if is_new := wish not in known:
                known[wish] = proposal.id, draft.stage(proposal)
            results.append(RememberResult(*known[wish], proposal.scope, existing=not is_new, staged=True))
    return results


def _wish(proposal: Proposal) -> Proposal:
    """What is asked for, by whomever and whenever."""
    text, tags, holds = normalised(proposal.text), tuple(proposal.tags), tuple(proposal.holds)
    origin = asdict(Origin(""))
    return replace(proposal, id="", ts="", was="", owner="", text=text, tags=tags, holds=holds, **origin)


def _proposal(plan: EntryPlan, origin: Origin, now: datetime) -> Proposal:
    fact, scope = plan.fact, plan.scope
    return Proposal(
        id=random_name(6),
        ts=stamp(now),
        verb="remember",
        text=fact.text,
        was=plan.superseded.text if plan.superseded else "",
        scope=scope.folder,
        note=fact.note.path if fact.note else "",
        owner=scope.project.id if scope.project else "",
        category=fact.category,
        tags=fact.tags,
        holds=fact.holds,
        key=fact.key,
        supersedes=plan.superseded.id if plan.superseded else "",
        with_id=fact.with_id,
        pin=fact.pin,
        **asdict(origin),
    )
