"""The steps of an agent become one proposal, if nothing would be lost by them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime

from ctxrepo.domain.dream.losses import LiveEntries, objections
from ctxrepo.domain.dream.steps import DreamStep, to_line
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.records.proposal import OF_DREAM, STAGE, Proposal
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import CtxrepoError
from ctxrepo.services.dream.carry_out import carry_out, live_entries
from ctxrepo.services.reading.find import NamedScope, undeleted
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory


def objections_to(
    memory: Memory, scope: NamedScope, steps: Sequence[DreamStep], now: datetime
) -> Sequence[str]:
    """Why these steps can't be proposed, a sentence each. They are tried in a draft that nobody keeps."""
    here = live_entries(memory, scope.folder)
    if reasons := objections(steps, here):
        return reasons
    try:
        carry_out(Draft(memory, held=undeleted(memory)), scope, _with_texts(steps, here), now)
    except CtxrepoError as error:
        return [f"{error.message}. {error.hint}".rstrip()]
    return ()


def propose(
    memory: Memory, scope: NamedScope, steps: Sequence[DreamStep], origin: Origin, now: datetime
) -> Proposal:
    """Put steps to which there are no objections into the inbox, as one proposal."""
    text = "\n".join(map(to_line, _with_texts(steps, live_entries(memory, scope.folder))))
    name, owner = f"{OF_DREAM}{random_name(6)}", scope.project.id if scope.project else ""
    proposal = Proposal(name, stamp(now), "tidy", text, scope.folder, owner=owner, **asdict(origin))
    with drafting(memory, STAGE, origin, now) as draft:
        draft.saying = proposal.words
        draft.stage(proposal)
    return proposal


def _with_texts(steps: Iterable[DreamStep], here: LiveEntries) -> list[DreamStep]:
    """The steps with the texts that their entries have now."""
    return [replace(step, was=tuple(here.by_id[name].text for name in step.entries)) for step in steps]
