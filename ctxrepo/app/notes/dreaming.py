"""Operations that tidy memory up by proposals: what there is to do, and what an agent proposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result, reads, writes
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.target import ScopeName
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.dream.brief import Brief
    from ctxrepo.domain.records.proposal import Proposal


@dataclass(frozen=True)
class DreamRequest:
    """The scope that is to be tidied up."""

    scope: ScopeName = ""
    only: Sequence[str] = ()
    """Only this section, e.g. twins or doubtful; may be given again."""


@dataclass(frozen=True)
class StepsRequest:
    """Steps for a scope, a line of JSON each."""

    text: str
    """A file with what you propose, a JSON object a line; - reads standard input."""
    scope: ScopeName = ""
    is_trial: bool = False
    """With --from: only say whether it could be proposed."""


@reads
def dream(desk: Desk, request: DreamRequest) -> Result[Brief]:
    """Gather what there is to tidy up."""
    from ctxrepo.services.dream.gather_brief import SECTIONS, gather
    from ctxrepo.services.reading.find import scope_named

    if unknown := [name for name in request.only if name not in SECTIONS]:
        raise UsageError(f"there is no section {unknown[0]!r}", f"There are {', '.join(SECTIONS)}.")
    scope = scope_named(desk.memory, request.scope, desk.project)
    brief = gather(desk.memory, scope, request.only, desk.now)
    return Result(brief, {**plain_data(brief), "text": brief.text()})


@writes
@reads
def propose_steps(desk: Desk, request: StepsRequest) -> Result[Proposal | None]:
    """Propose the steps that an agent came to, all in one; None where they were only tried. Refused, with a
    notice for each objection, where something would be lost."""
    from ctxrepo.domain.dream.steps import read_steps
    from ctxrepo.services.dream.propose_steps import objections_to, propose
    from ctxrepo.services.reading.find import scope_named

    scope, steps = scope_named(desk.memory, request.scope, desk.project), read_steps(request.text)
    if reasons := objections_to(desk.memory, scope, steps, desk.now):
        desk.notice(*reasons)
        count = counted(len(reasons), "objection")
        raise Refused(f"nothing was proposed: {count}", "Fix these steps, and send all of them again.")
    if request.is_trial:
        return Result(None, {"steps": len(steps)})
    proposal = propose(desk.memory, scope, steps, desk.origin, desk.now)
    return Result(proposal, {"id": proposal.id, "steps": len(steps)})
